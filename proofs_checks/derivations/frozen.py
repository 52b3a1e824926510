r"""What a learner computes stays the same within an episode: its iterates, and the value of its policy."""

from __future__ import annotations

from proofs_checks.derivations.earnings import frozen_values
from proofs_checks.derivations.estimates import plan, rate_name
from proofs_checks.derivations.operators import applied
from proofs_checks.derivations.runs import equal
from proofs_checks.derivations.setting import Image
from proofs_checks.derivations.values import POLICY, Iterates
from verify.kernel import calculus, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_JUMP = "jump(n) == 1"
_ESTIMATES = ("lh", "lt", "ph", "al", "be", "bo")  # lt and bo are not every learner's


def _counts(D: Derivation, name: str, more: str = "") -> Theorem:
    """What was known when the episode began."""
    at = f"{name}({{n}}, x, a{more})"
    goal = f"{at.format(n='n + 1')} == {at.format(n='n')}"
    return D.by_value(goal, [D.assume(_JUMP)], D.fact(f"{name}-step"))


def estimates_stay(D: Derivation) -> dict[str, Theorem]:
    """jump(n) == 1 ⊢ the estimates, the radii and a bonus of decision n + 1 are those of decision n."""
    if plan(D) != "n":
        return _plan_stays(D)
    found = {name: _counts(D, name) for name in ("Nf", "Tf")}
    found["Mf"] = _counts(D, "Mf", ", y")
    for name in (one for one in _ESTIMATES if one in D.setting.facts):
        found[name] = _defined(D, name, found)
    return found


def _arguments(name: str) -> str:
    return "x, a, y" if name == "ph" else "x, a"


def _defined(D: Derivation, name: str, found: dict[str, Theorem]) -> Theorem:
    """The same of what is defined by what stays."""
    then = D.valued(D.fact(name, n="n + 1"), *found.values())
    return D.linear(f"{name}(n + 1, {_arguments(name)}) == {name}(n, {_arguments(name)})", then, D.fact(name))


def _plan_stays(D: Derivation) -> dict[str, Theorem]:
    """The same where they are those of a plan, and a bonus is made of them."""
    same, found = D.mp(D.fact("frozen-pl"), D.assume(_JUMP)), {}
    for name in (one for one in _ESTIMATES if one in D.setting.facts and one != "bo"):
        here = f"{name}({{n}}, {_arguments(name)})"
        now = here.format(n="pl(n + 1)")
        template = f"{now} == {here.format(n='Nat_900')}"
        found[name] = D.rewrite(same, D.linear(f"{now} == {now}"), "Nat_900", template)
    if "bo" in D.setting.facts:
        found["bo"] = _defined(D, "bo", found)
    return found


def iterates_stay(D: Derivation, image: Image) -> Theorem:
    """jump(n) == 1 ⊢ All(x, All(t, Vh(n + 1, m, x, t) == Vh(n, m, x, t))), for what alg:VI maximises."""
    stay, at = estimates_stay(D), plan(D)
    rate, now = f"{rate_name(D)}({at}, x, a)", image("a", "Vh(n, m, {y}, {s})", at)
    after = at.replace("n", "n + 1")
    old = now.replace("pl(n)", "pl(n + 1)").replace("(n,", "(n + 1,")
    numbers = [one for name, one in stay.items() if name in _ESTIMATES and name != "ph"]
    moved = D.closed(D.at(D.valued(D.assume(f"v == {old}"), *numbers), v=old))

    def step(before: Theorem) -> Theorem:
        values = D.scaled(D.special(before, "y", "t - s"), f"ph({at}, x, a, y)")
        rows = D.scaled(stay["ph"], "Vh(n + 1, m, y, t - s)")
        goal = f"ph({after}, x, a, y)*Vh(n + 1, m, y, t - s) == ph({at}, x, a, y)*Vh(n, m, y, t - s)"
        jumps = D.scaled(D.over(D.linear(goal, rows, values), "y"), f"{rate}*exp(-{rate}*s)")
        one = D.largest(D.linear(f"{old} == {now}", moved, D.integral(jumps, "s", "t")), "a")
        top = f"MaxOver(a, {old})"
        least = D.rewrite(
            one, D.linear(f"Min(t, {top}) == Min(t, {top})"), "Real_1", f"Min(t, {top}) == Min(t, Real_1)"
        )
        steps = D.fact("Vh-step"), D.fact("Vh-step", n="n + 1")
        return D.all(D.linear("Vh(n + 1, m + 1, x, t) == Vh(n, m + 1, x, t)", *steps, least), "x", "t")

    first = D.linear("Vh(n + 1, 0, x, t) == Vh(n, 0, x, t)", D.fact("Vh-0"), D.fact("Vh-0", n="n + 1"))
    says = "All(x, All(t, Vh(n + 1, m, x, t) == Vh(n, m, x, t)))"
    return D.induction("m", says, D.all(first, "x", "t"), step)


def policy_stays(D: Derivation) -> Theorem:
    """jump(n) == 1, 0 <= t ⊢ Vpi(n + 1, x, t) == Vpi(n, x, t)."""
    bodies = {"gpi": ("x t", "pol(n, x, t)"), "gq": ("m x t", "Vp(n, m, x, t)")}
    bound = applied(D, D.at(Iterates(D, POLICY).bounds[1], n="m"), bodies)
    steps = theorems.both(D.all(D.fact("Vp-0"), "x", "t"), D.all(D.fact("Vp-step"), "m", "x", "t"))
    here = theorems.cut(steps, bound)
    there = D.at(here, n="n + 1")
    same, name = D.special(frozen_values(D), "x", "t"), D.variable("m")
    limits = D.fact("Vpi"), D.fact("Vpi", n="n + 1")
    below = D.linear(
        "Vp(n + 1, m, x, t) <= Vpi(n, x, t)", same, calculus.supremum(here, name, name), limits[0]
    )
    above = D.linear(
        "Vp(n, m, x, t) <= Vpi(n + 1, x, t)", same, calculus.supremum(there, name, name), limits[1]
    )
    return equal(
        D,
        D.linear("Vpi(n + 1, x, t) <= Vpi(n, x, t)", calculus.bounded(below, name), limits[1]),
        D.linear("Vpi(n, x, t) <= Vpi(n + 1, x, t)", calculus.bounded(above, name), limits[0]),
    )
