"""The prover: against plain branch and bound in balls and in ``mpmath.iv``, and against z3.

The plain versions evaluate the formula over a box and halve the box until the sign is certain; they
are given every advantage (one variable order, no bookkeeping), and a budget, because near equality
they need millions of boxes.  z3 is asked only what it can express: polynomials.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from time import perf_counter
from typing import Any

from flint import arb, fmpq
from mpmath import iv

from verify.claims import Domain, Relation, claim
from verify.claims.claim import Effort
from verify.provers.goals import Goal
from verify.provers.proof import Proof
from verify.provers.proof.boxes import BranchAndBound
from verify.provers.proof.leaves import Work
from verify.streams import writing
from verify.tables import table

_BUDGET = 200_000  # boxes a plain version may use

Box1 = tuple[tuple[Fraction, Fraction], ...]


def ball(low: Fraction, high: Fraction) -> arb:
    """A ball that contains the interval."""
    ends = [arb(fmpq(e.numerator, e.denominator)) for e in (low, high)]
    return ends[0].union(ends[1])


def interval(low: Fraction, high: Fraction) -> Any:
    """An ``mpmath.iv`` interval that contains the interval."""
    a, b = (iv.mpf(e.numerator) / iv.mpf(e.denominator) for e in (low, high))
    return iv.mpf([a.a, b.b])


def plain(gap: Callable[..., Any], box: Box1, make: Callable[[Fraction, Fraction], Any]) -> tuple[bool, int]:
    """Halve the widest side until the gap is certainly not negative; whether it ended, and the boxes."""
    stack, boxes = [box], 0
    while stack:
        sides = stack.pop()
        boxes += 1
        if boxes > _BUDGET:
            return False, boxes
        value = gap(*(make(*side) for side in sides))
        if value >= 0:
            continue
        i = max(range(len(sides)), key=lambda j: sides[j][1] - sides[j][0])
        low, high = sides[i]
        middle = (low + high) / 2
        for part in ((low, middle), (middle, high)):
            stack.append((*sides[:i], part, *sides[i + 1 :]))
    return True, boxes


def log_cubic(log: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: x - x * x / 2 + x * x * x / 3 - log(1 + x)


def two_rates(exp: Callable[[Any], Any], bound: Any) -> Callable[[Any, Any], Any]:
    return lambda a, x: bound - exp(-a * x) * (1 + a * x)


_CASES = [
    ("log(1+x) <= x - x²/2 + x³/3 on [0.01, 3]", "log(1 + x) <= x - x**2/2 + x**3/3", ("0.01 <= x <= 3",),
     log_cubic(lambda z: z.log()), log_cubic(iv.log), ((Fraction(1, 100), Fraction(3)),)),
    ("the same on [0.2, 3]", "log(1 + x) <= x - x**2/2 + x**3/3", ("0.2 <= x <= 3",),
     log_cubic(lambda z: z.log()), log_cubic(iv.log), ((Fraction(1, 5), Fraction(3)),)),
    ("(1 + ax) exp(-ax) <= 1.01 on [0, 5]²", "(1 + a*x)*exp(-a*x) <= 1.01", ("0 <= a <= 5", "0 <= x <= 5"),
     two_rates(lambda z: z.exp(), arb("1.01")), two_rates(iv.exp, iv.mpf("1.01")),
     ((Fraction(0), Fraction(5)),) * 2),
]  # fmt: skip


def against_plain_intervals() -> None:
    """Boxes and seconds, on the same claims."""
    for title, says, area, balls, intervals, box in _CASES:
        domain, work = Domain.of(*area), Work(4000)
        search = BranchAndBound(Goal.of(Relation.of(says, domain), domain), work, work.budget)
        seconds, node = _timed(search.run)
        assert node is not None, title
        rows = [("ctucbvi", str(work.boxes), f"{seconds:.3f} s", "1")]
        for name, gap, make in (("plain balls", balls, ball), ("mpmath.iv", intervals, interval)):
            taken, (ended, boxes) = _timed(lambda gap=gap, make=make, box=box: plain(gap, box, make))
            over = "" if ended else "> "
            rows.append((name, f"{over}{boxes}", f"{over}{taken:.3f} s", f"{over}{taken / seconds:.0f}"))
        print(f"\n{title}")
        print(table(("", "boxes", "time", "ratio"), rows))


_POLYNOMIALS = [
    ("x**5 - x + 0.535 >= 0", ("0 <= x <= 1",)),
    ("x**4*y**2 + x**2*y**4 - 3*x**2*y**2 + 1 >= 0", ("-2 <= x <= 2", "-2 <= y <= 2")),
    ("(a*c + b*d)**2 <= (a**2 + b**2)*(c**2 + d**2)", tuple(f"-3 <= {v} <= 3" for v in "abcd")),
    ("x**4*y**2 + x**2*y**4 - 2.99*x**2*y**2 + 1.001 >= 0", ("-2 <= x <= 2", "-2 <= y <= 2")),
]


def against_z3() -> None:
    """Polynomial inequalities on a box; z3 decides them exactly."""
    try:
        import z3
    except ImportError:
        print("\nz3 is not installed (extra 'bench')")
        return
    rows = []
    for says, area in _POLYNOMIALS:
        one = claim("case", says, says=says, domain=area)
        seconds, finding = _timed(lambda one=one: Proof().run(one, Effort()))
        taken, answer = _timed(lambda says=says, area=area: _z3_answer(z3, says, area))
        rows.append(
            (
                says,
                finding.verdict.value,
                f"{seconds:.3f} s",
                answer,
                f"{taken:.3f} s",
                f"{taken / seconds:.2g}",
            )
        )
    print("\npolynomial inequalities on a box; z3 has no exponentials or logarithms")
    print(table(("", "ctucbvi", "time", "z3", "time", "ratio"), rows))


def _z3_answer(z3: Any, says: str, area: tuple[str, ...]) -> str:
    """Ask z3 for a point of the box that violates the relation, for at most 30 seconds."""
    domain = Domain.of(*area)
    relation = Relation.of(says, domain)
    names = {name: z3.Real(name) for name in domain.ranges}
    solver = z3.Solver()
    solver.set("timeout", 30_000)
    for name, r in domain.ranges.items():
        solver.add(names[name] >= z3.Q(r.lower.numerator, r.lower.denominator))
        solver.add(names[name] <= z3.Q(r.upper.numerator, r.upper.denominator))
    solver.add(_z3_term(z3, relation.gap, names) < 0)
    return {"unsat": "proved", "sat": "refuted"}.get(str(solver.check()), "no answer")


def _z3_term(z3: Any, formula: Any, names: dict[str, Any]) -> Any:
    if formula.is_Rational:
        return z3.Q(int(formula.p), int(formula.q))
    if formula.is_Symbol:
        return names[formula.name]
    parts = [
        _z3_term(z3, part, names) for part in formula.args if not (formula.is_Pow and part is formula.args[1])
    ]
    if formula.is_Add:
        return z3.Sum(parts)
    if formula.is_Mul:
        return z3.Product(parts)
    return z3.Product([parts[0]] * int(formula.exp))


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = perf_counter()
    answer = work()
    return perf_counter() - began, answer


@writing("python -m tests.benchmarks.bench_provers")
def main() -> None:
    """All of it."""
    against_plain_intervals()
    against_z3()


if __name__ == "__main__":
    main()
