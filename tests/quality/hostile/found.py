"""False claims that were once proved, each in its smallest form, by cause.

The cause of all of them is a limit that computer algebra gives for one sign of a parameter and nobody proves.
"""

from __future__ import annotations

from fractions import Fraction

from tests.quality.hostile.claims import Hostile


def _found(cause: str, says: str, domain: str, **at: int | Fraction) -> Hostile:
    point = {name: Fraction(x) for name, x in at.items()}
    return Hostile(f"found, {cause}", says, tuple(domain.split("; ")), (point,))


HALF = Fraction(1, 2)
TINY = Fraction(1, 10**301)
FOUND = [
    _found(
        "exponentials",
        "exp(x)/(10000*(exp(x) + exp(a*x))) <= 1/x",
        "x >= 1; 1/4 <= a <= 1/2",
        x=10**5,
        a=HALF,
    ),
    _found(
        "exponentials at 0",
        "exp(1/x)/(10000*(exp(1/x) + exp(a/x))) <= 1/(1 + 1/x)",
        "0 < x <= 1; 1/4 <= a <= 1/2",
        x=Fraction(1, 10**5),
        a=HALF,
    ),
    _found(
        "powers",
        "1/10**6 <= x/(5*10**5*(x + x**a)) + 1/(1000*log(2 + x))",
        "x >= 1; 2 <= a <= 3",
        x=10**450,
        a=2,
    ),
    _found("powers at 0", "x/(10**300*(x + x**a)) <= x", "0 < x <= 1; 2 <= a <= 3", x=TINY, a=2),
]
