"""Functions of the counts N and M(y) of a pair: how a decision changes them, and what is seen of them.

``gx`` stands for every function of a whole number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from proofs_checks.derivations.crossings import by_jump
from proofs_checks.derivations.unions import equal, whole_cases
from verify.kernel import terms
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

HERE = "Ind(X(n) == x)*Ind(act(n) == a)*jump(n)"
_TO = {"N": "", "M": ", y"}
Rule = Callable[[Derivation, str], Theorem]
NEW = {"N": HERE, "M": f"{HERE}*Ind(X(n + 1) == y)"}


def _count(name: str, n: str, f: str = "") -> str:
    return f"{name}{f}({n}, x, a{_TO[name]})"


def moves(D: Derivation, name: str) -> Theorem:
    """f(N at decision n + 1) == f(N) + (f(N + 1) - f(N)), the last if a jump was counted; likewise for M."""
    goal = "gx(gone + {b}) == gx(gone) + {b}*(gx(gone + 1) - gx(gone))"

    def with_value(number: str, low: Theorem, high: Theorem) -> Theorem:
        back = D.linear(f"{number} == gtwo", equal(D, low, high))
        return D.rewrite(back, D.linear(goal.format(b=number)), "Nat_900", goal.format(b="Nat_900"))

    both = whole_cases(
        D,
        "gtwo",
        lambda none: with_value("0", none, D.whole("gtwo")),
        lambda some: with_value("1", D.assume("gtwo <= 1"), some),
    )
    before, new = _count(name, "n"), NEW[name]
    shown = D.instantiate(D.instantiate(both, "gone", "", before), "gtwo", "", new)
    events = ["X(n) == x", "act(n) == a", *(["X(n + 1) == y"] if name == "M" else [])]
    shown = D.closed(shown, D.decide(f"{new} <= 1", events, D.fact("jump")))
    step = D.fact(f"{name}-step")
    back = D.linear(terms.relation("==", *reversed(step.says.parts)), step)
    return D.rewrite(
        back, shown, "Nat_900", f"gx(Nat_900) == gx({before}) + {new}*(gx({before} + 1) - gx({before}))"
    )


def keeps(D: Derivation, name: str) -> Theorem:
    """f(N as it was when the episode began) stays until an episode begins."""
    old, after, now = _count(name, "n", "f"), _count(name, "n + 1", "f"), _count(name, "n + 1")
    goal = f"gx({after}) == jump(n)*gx({old}) + (1 - jump(n))*gx({now})"

    def case(equations: Sequence[Theorem]) -> Theorem:
        value = D.valued(D.fact(f"{name}f-step"), equations[0])
        same = D.rewrite(
            value, D.linear(f"gx({after}) == gx({after})"), "Nat_900", f"gx({after}) == gx(Nat_900)"
        )
        return D.by_value(goal, equations[:1], same)

    return by_jump(D, case)


def begins(D: Derivation, name: str, f: str) -> Theorem:
    """f(N) == f(0) at first."""
    first = _count(name, "0", f)
    zero, same = D.fact(f"{name}{f}-0"), D.linear(f"gx({first}) == gx({first})")
    return D.rewrite(zero, same, "Nat_900", f"gx({first}) == gx(Nat_900)")


def of_counts(D: Derivation, of_jumps: str, of_all: str, rule: Rule) -> list[Theorem]:
    """What a rule says of a function of M(y), summed over y, and of one of N; both are functions of l."""
    bodies = {"M": of_jumps, "N": of_all}
    found = {name: D.instantiate(rule(D, name), "gx", "l", body) for name, body in bodies.items()}
    return [D.over(found["M"], "y"), found["N"]]
