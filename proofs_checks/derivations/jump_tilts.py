r"""ℓ¹ sets of the jump probabilities from exponential tilts: no logarithm of the number of jumps.

For each set B of states and each tilt ζ_m > 0, m < k, exp(ζ(M(B) - p(B)N) - ζ²N/8) is a supermartingale, so

    ‖p̂ - p‖₁ <= 2(l/(ζN) + ζ/8),    l = S ln 2 + ln(SAk/δ),

for ever, for all pairs and tilts, with probability at least 1 - δ.  With s = √(l/N) and the tilts 2^(2-m)
the least of these radii (and of 2) is at most 3s/2, where s >= 2^(1-k), and 3/2^k elsewhere, because
(4s - ζ)(2s - ζ) <= 0 for ζ/4 <= s <= ζ/2, which says 2s²/ζ + ζ/4 <= 3s/2.
"""

from __future__ import annotations

from proofs_checks.derivations.jump_sets import COUNT, DISTANCE, SeenRow, chance, crossing, exponent
from proofs_checks.derivations.rate_peels import sizes
from proofs_checks.derivations.runs import product
from proofs_checks.derivations.tilts import all_tilts, tilt_by_tilt
from proofs_checks.derivations.unions import (
    all_cover,
    all_pairs,
    cancelled,
    covered,
    ever_first,
    ever_over,
    one_of_first,
)
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

LEVEL = "(S*log(2) + log(S*A*k/delta))"


def tilt_level(k: str) -> str:
    """The level l of k tilts."""
    return LEVEL.replace("k", k)


def least_radius(k: str, n: str) -> str:
    """What the least radius of the tilts 2^(2-m), m < k, is at most, after n jumps."""
    return f"Max(3/2*sqrt({tilt_level(k)}/{n}), 3*exp(-{k}*log(2)))"


_SEEN = f"1 <= {COUNT}"


def radius(level: str, tilt: str, count: str) -> str:
    """2(l/(ζN) + ζ/8)."""
    return f"2*({level}/({tilt}*{count}) + {tilt}/8)"


# --- the event --------------------------------------------------------------------------------------

_WITHIN = f"{DISTANCE} <= {radius(LEVEL, 'gtilt(m)', COUNT)}"
_COVER = f"Imp({_SEEN}, {all_tilts(_WITHIN)})"
_POSITIVE = "All(m, 0 < gtilt(m))"
TILTS = f"Imp({_POSITIVE}, Imp(1 <= k, 1 - delta <= E(Ind({all_cover(f'All(x, All(a, {_COVER}))')}))))"
_LARGE = f"{LEVEL} <= {exponent(z='gtilt(m)')}"


def tilts(D: Derivation) -> Theorem:
    """The rows of all pairs with data are in their sets, always, with probability at least 1 - δ."""
    some, positive = D.assume("1 <= k"), D.special(D.assume(_POSITIVE), "m")
    rarely = D.closed(D.at(crossing(D), d="gtilt(m)", c=LEVEL), D.linear("0 <= gtilt(m)", positive))
    sets = ever_over(D, "B", f"Ind({_LARGE})", rarely)
    rarely = ever_first(D, "m", "k", f"SumOver(B, Ind({_LARGE}))", sets)
    cover, missed, bound = all_pairs(D, _missed(D, positive), rarely, _COVER)
    counts = [D.fact(name) for name in ("states", "actions", "subsets")]
    result = D.valued(covered(D, cover, missed, bound), *counts)
    cost = D.claim("lem:CI-p/tilts", S="S", A="A", J="k", d="delta")
    domain = ("S >= 1", "A >= 1", "J >= 1", "0 < d", "d < 1")
    ratio = D.pointwise("0 < S*A*J/d", *domain, integers="S A J", S="S", A="A", J="k", d="delta")
    cost = D.closed(cost, *sizes(D), some, D.closed(ratio, *sizes(D), some))
    return D.imply(D.linear(D.formula(TILTS).parts[1].parts[1], result, cost), _POSITIVE, "1 <= k")


def _missed(D: Derivation, positive: Theorem) -> Theorem:
    """Where an estimate is far off, the supermartingale of a set and a tilt is at least e^l."""
    event = f"SumOver(B, Ind({_LARGE}))"
    total = f"1 <= Sum(m, k, {event})"
    never = D.assume(terms.negation(D.formula(total)))
    number = D.linear(f"0 < {COUNT}", D.assume(_SEEN))
    row, far = SeenRow(D, number), D.assume(terms.negation(D.formula(_WITHIN)))
    both = product(D, positive, number)
    half = D.linear(
        f"{COUNT}*{DISTANCE}/2 == SumOver(y, inB(B, y)*Mf(i, x, a, y)) - {chance()}*{COUNT}",
        D.scaled(D.assume(SeenRow.event), f"{COUNT}/2"),
        D.scaled(row.inside, COUNT),
        D.scaled(row.unit, "SumOver(y, inB(B, y)*Mf(i, x, a, y))"),
    )
    unit = D.positive("inverse", "gtilt(m)", positive)
    reached = D.linear(
        _LARGE,
        D.times(far, both),
        D.scaled(half, "gtilt(m)"),
        D.scaled(row.unit, f"{LEVEL}*gtilt(m)*(1/gtilt(m))"),
        D.scaled(unit, LEVEL),
    )
    some = D.linear(total, row.one_set(D, (reached,), f"Ind({_LARGE})"), one_of_first(D, event, "m", "k"))
    inside = D.cases(_WITHIN, lambda yes: yes, lambda _: D.absurd(D.linear("0 < 0", some, never), _WITHIN))
    safe = D.imply(D.all(D.imply(inside, "m < k"), "m"), _SEEN)
    denial = D.assume(terms.negation(safe.says))
    return D.cases(total, lambda yes: yes, lambda _: theorems.absurd(safe, denial, D.formula(total)))


# --- the radius -------------------------------------------------------------------------------------


def zeta(m: str) -> str:
    """The tilt 2^(2-m)."""
    return f"(4*exp(-{m}*log(2)))"


_SIGNS = ("0 < c", "0 < q", "d <= 2")  # l, N, and a distance of probability vectors
_GIVEN = f"And({', '.join(_SIGNS)})"


def _small(k: str) -> str:
    return f"d <= Max(3/2*sqrt(c/q), 3*exp(-{k}*log(2)))"


_EACH = f"d <= {radius('c', zeta('m'), 'q')}"
RADIUS = f"Imp({_GIVEN}, Imp(1 <= k, Imp({all_tilts(_EACH)}, {_small('k')})))"
_ROOT = "sqrt(c/q)"


def radii(D: Derivation) -> Theorem:
    """A distance within the radii of all tilts is at most 3/2 √(l/N), or 3/2^k."""
    most, half = _part(D, "d <= 2"), D.pointwise("exp(-log(2)) == 1/2")

    def first(bound: Theorem) -> Theorem:
        return _one_tilt(
            D, "0", "1", D.linear(f"d <= 3/2*{_ROOT}", most, D.assume(f"2 <= {_ROOT}")), bound, half
        )

    def step(before: Theorem, bound: Theorem) -> Theorem:
        large = D.assume(f"2*exp(-(k + 1)*log(2)) <= {_ROOT}")
        early = D.split(
            D.known("max-cases", f"3/2*{_ROOT}", "3*exp(-(k + 1)*log(2))"),
            *[lambda value: D.linear(f"d <= 3/2*{_ROOT}", value, before, large)] * 2,
        )
        return _one_tilt(D, "(k + 1)", "(k + 2)", early, bound, D.scaled(half, "exp(-(k + 1)*log(2))"))

    return D.imply(tilt_by_tilt(D, _EACH, _small, first, step), _GIVEN)


def _part(D: Derivation, text: str) -> Theorem:
    return theorems.part(D.assume(_GIVEN), D.formula(text))


def _one_tilt(D: Derivation, m: str, k: str, early: Theorem, bound: Theorem, half: Theorem) -> Theorem:
    """The radius of k tilts from that of tilt m, the last; ``early`` is for ζ/2 <= s."""
    tilt, over = zeta(m), D.positive("inverse-positive", "q", _part(D, "0 < q"))
    ratio = D.linear("0 <= c/q", product(D, _part(D, "0 < c"), over))
    square, sign = D.mp(D.known("sqrt-square", "c/q"), ratio), D.known("sqrt", "c/q")
    positive = D.linear(f"0 < {tilt}", D.known("exp", f"-{m}*log(2)"))
    scaled = D.linear(
        f"{tilt}*d <= 2*{_ROOT}**2 + {tilt}**2/4",
        D.times(bound, positive),
        D.scaled(D.positive("inverse", tilt, positive), "2*c*(1/q)"),
        square,
    )
    largest = [D.known(name, f"3/2*{_ROOT}", f"3*exp(-{k}*log(2))") for name in ("max", "max-right")]

    def between(no: Theorem) -> Theorem:
        below = D.linear(f"0 <= {tilt} - 2*{_ROOT}", no)

        def inside(yes: Theorem) -> Theorem:
            peel = D.times(D.linear(f"0 <= 4*{_ROOT} - {tilt}", yes), below)
            return D.linear(_small(k), cancelled(D, f"d <= 3/2*{_ROOT}", positive, scaled, peel), *largest)

        def short(less: Theorem) -> Theorem:
            gap = D.linear(f"0 <= {tilt}/4 - {_ROOT}", less)
            squares = [D.times(gap, sign), D.times(gap, positive)]
            return D.linear(
                _small(k), cancelled(D, f"d <= 3/8*{tilt}", positive, scaled, *squares), *largest, half
            )

        return D.cases(f"{tilt}/4 <= {_ROOT}", inside, short)

    return D.cases(f"{tilt}/2 <= {_ROOT}", lambda _: D.linear(_small(k), early, *largest), between)
