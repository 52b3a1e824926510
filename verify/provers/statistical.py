"""Probability claims by seeded trials, with exact bounds and an error that is paid for in advance.

Claimed is ``P(trial) >= p`` (or ``<= p``).  After n trials with k successes, the Clopper–Pearson bounds at
error α are the numbers L, U with

    P(Bin(n, L) >= k) = α,        P(Bin(n, U) <= k) = α,

and whatever the true probability q is, ``L > q`` happens with probability at most α, and so does ``U < q``.
Both tails are monotone in q, so ``L >= p`` is the same as ``P(Bin(n, p) >= k) <= α``: the verdict needs one
tail, which :func:`upper_tail` encloses in balls (terms from the edge inward, the rest bounded by a geometric
series).  The printed bounds are found by bisection and err outward.

**Looks.**  Trials are made in planned looks of growing size, and the run stops at the first that decides.
Stopping when it suits is only honest when every look is paid for: look i gets α_i, in proportion to its
trials, with Σ α_i = the error of the check.  If the claim is false, ``supported`` needs some L_i above the
truth; if it is true, ``refuted`` needs some U_i below it.  Only one of the two can be wrong, so each may use
the whole error, and the union bound over the looks gives: *the verdict is wrong with probability at most
the error*.

A trial may answer ``None`` when it could not tell: such trials count as failures for the lower bound and as
successes for the upper one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy
from flint import arb

from verify.claims import Claim, ClaimError, Effort, Finding, Verdict
from verify.progress import working
from verify.provers.balls import precision, rational

_BITS = 128
_BLOCK = 10_000  # trials that share one generator
_LOOKS = 5
_DIGITS = 9  # of the printed bounds


def upper_tail(n: int, k: int, p: Fraction) -> arb:
    """``P(Bin(n, p) >= k)`` in a ball."""
    if k <= 0:
        return arb(1)
    if k > n or p == 0:
        return arb(0)
    if p == 1:
        return arb(1)
    with precision(_BITS):
        if k > n * p:
            return _edge_sum(n, k, p)
        return 1 - _edge_sum(n, n - k + 1, 1 - p)  # at most k-1 successes: at least n-k+1 failures


def _edge_sum(n: int, k: int, p: Fraction) -> arb:
    """``Σ_{j>=k} C(n,j) p^j (1-p)^{n-j}`` for k >= np: the ratio of terms is below 1 and falls."""
    chance, odds = _ball(p), _ball(p / (1 - p))
    term = (
        arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()
        + k * chance.log() + (n - k) * (1 - chance).log()
    ).exp()  # fmt: skip
    total = arb(0)
    for j in range(k, n + 1):
        total += term
        ratio = odds * (n - j) / (j + 1)
        term *= ratio
        if ratio < 1 and term < total * arb(2) ** -_BITS * (1 - ratio):
            rest = term / (1 - ratio)
            return total + arb(0).union(rest)
    return total


def _ball(number: Fraction) -> arb:
    return arb(rational(number))


def excludes_below(n: int, k: int, p: Fraction, error: Fraction) -> bool:
    """Whether k successes in n trials certainly give a lower bound of at least p at this error."""
    with precision(_BITS):
        return bool(upper_tail(n, k, p) <= _ball(error))


def excludes_above(n: int, k: int, p: Fraction, error: Fraction) -> bool:
    """Whether they certainly give an upper bound below p (strictly: p itself is excluded)."""
    with precision(_BITS):
        return bool(upper_tail(n, n - k, 1 - p) < _ball(error))


def lower_bound(n: int, k: int, error: Fraction, digits: int = _DIGITS) -> Fraction:
    """The Clopper–Pearson lower bound, rounded down to ``digits`` decimals."""
    low, high = 0, 10**digits  # low is certainly a bound (0 is one), high is not known to be
    while high - low > 1:
        middle = (low + high) // 2
        if excludes_below(n, k, Fraction(middle, 10**digits), error):
            low = middle
        else:
            high = middle
    return Fraction(low, 10**digits)


def upper_bound(n: int, k: int, error: Fraction, digits: int = _DIGITS) -> Fraction:
    """The Clopper–Pearson upper bound, rounded up."""
    return 1 - lower_bound(n, n - k, error, digits)


@dataclass(frozen=True)
class Look:
    """One planned look at the trials made so far, and the error it may spend."""

    trials: int  # altogether
    error: Fraction


def planned(trials: int, error: Fraction) -> tuple[Look, ...]:
    """Looks after growing numbers of trials, the last after all; their errors add up to ``error``."""
    sizes = sorted({max(1, trials >> i) for i in range(_LOOKS)})
    return tuple(Look(size, error * Fraction(size, sum(sizes))) for size in sizes)


def needed(p: Fraction, error: Fraction) -> int | None:
    """So many trials, all successes, show ``P >= p`` at this error, and one less do not; none for p = 1."""

    def enough(trials: int) -> bool:
        return excludes_below(trials, trials, p, planned(trials, error)[-1].error)

    if p == 1:
        return None
    low, high = 0, 1
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def entropy(seed: int, label: str, name: str) -> list[int]:
    """The seed of a check: the run's seed, and a digest of the claim's label and the check's name."""
    digest = hashlib.sha256(f"{label}\0{name}".encode()).digest()
    return [seed, *(int.from_bytes(digest[i : i + 4], "big") for i in range(0, 16, 4))]


@dataclass(frozen=True)
class Statistical:
    """``P(trial) >= at_least``, or ``P(trial) <= at_most``.

    ``trial(rng)`` returns whether it succeeded (``None``: cannot tell); with ``vectorised`` it is
    ``trial(rng, count)`` and returns how many of ``count`` independent trials did.
    """

    trial: Callable[..., Any]
    at_least: Fraction | None = None
    at_most: Fraction | None = None
    trials: tuple[int, int] = (20_000, 400_000)  # quick, thorough
    vectorised: bool = False
    title: str = ""

    def __post_init__(self) -> None:
        if (self.at_least is None) == (self.at_most is None):
            raise ClaimError("statistical check: give either at_least or at_most")
        for bound in (self.at_least, self.at_most):
            _probability(bound)

    @property
    def name(self) -> str:
        """``statistical``, with its title if it has one."""
        return f"statistical ({self.title})" if self.title else "statistical"

    @property
    def random(self) -> bool:
        """Yes: it can be wrong by bad luck, with probability at most its error."""
        return True

    @property
    def claimed(self) -> Fraction:
        """The probability in the claim."""
        return _probability(self.at_least if self.at_least is not None else self.at_most)

    @property
    def of_formula(self) -> bool:
        """Whether it looks at the claim's formula."""
        return False

    def needed(self, effort: Effort) -> int | None:
        """The fewest trials that can support the claim; ``None`` if no number can."""
        return needed(self.claimed if self.at_least is not None else 1 - self.claimed, effort.error)

    def run(self, claim: Claim, effort: Effort) -> Finding:
        """Look as often as planned, and stop at the first look that decides."""
        seed = entropy(effort.seed, claim.label, self.name)
        looks = planned(effort.scaled(*self.trials), effort.error)
        seen: list[dict[str, Any]] = []
        verdict = Verdict.UNDECIDED
        yes = unknown = done = 0
        for number, look in enumerate(looks):
            more, open_ = self._trials(seed, number, looks)
            yes, unknown, done = yes + more, unknown + open_, look.trials
            seen.append({"trials": done, "successes": yes, "error": str(look.error)})
            verdict = self._verdict(done, yes, unknown, look.error)
            if verdict is not Verdict.UNDECIDED:
                break
        evidence = self._evidence(seen, unknown, looks, seed, effort)
        if verdict is Verdict.UNDECIDED:
            evidence["needed"] = self.needed(effort)
        witness = self._witness(evidence) if verdict is Verdict.REFUTED else None
        return Finding(self.name, verdict, evidence, witness=witness)

    def _verdict(self, n: int, yes: int, unknown: int, error: Fraction) -> Verdict:
        p, low, high = self.claimed, yes, yes + unknown
        if self.at_most is not None:  # the same about failures
            p, low, high = 1 - p, n - high, n - low
        if excludes_below(n, low, p, error):
            return Verdict.SUPPORTED
        return Verdict.REFUTED if excludes_above(n, high, p, error) else Verdict.UNDECIDED

    def _trials(self, seed: list[int], number: int, looks: Sequence[Look]) -> tuple[int, int]:
        """Successes and undecided ones among the new trials of a look."""
        yes = unknown = 0
        done = looks[number - 1].trials if number else 0
        for rng, size in generators(seed, number, looks[number].trials - done):
            working(done / looks[-1].trials)
            if self.vectorised:
                more = int(self.trial(rng, size))
                if not 0 <= more <= size:
                    raise ClaimError(f"statistical check: {more} successes in {size} trials")
                yes, done = yes + more, done + size
                continue
            for _ in range(size):
                answer = self.trial(rng)
                if answer not in (True, False, None):
                    raise ClaimError(
                        f"statistical check: a trial returned {answer!r}, not True, False or None"
                    )
                yes += answer is not None and bool(answer)
                unknown += answer is None
                done += 1
                working(done / looks[-1].trials)
        return yes, unknown

    def _evidence(
        self,
        seen: list[dict[str, Any]],
        unknown: int,
        looks: tuple[Look, ...],
        seed: list[int],
        effort: Effort,
    ) -> dict[str, Any]:
        n, k = seen[-1]["trials"], seen[-1]["successes"]
        spent = Fraction(seen[-1]["error"])
        return {
            "claimed": f"P >= {self.at_least}" if self.at_least is not None else f"P <= {self.at_most}",
            "trials": n,
            "successes": k,
            "undecided": unknown,
            "lower": _decimal(lower_bound(n, k, spent)),
            "upper": _decimal(upper_bound(n, k + unknown, spent)),
            "error": str(effort.error),
            "looks": seen,
            "planned": [look.trials for look in looks],
            "seed": seed,
        }

    def _witness(self, evidence: dict[str, Any]) -> dict[str, Any]:
        """The counts; the line confirms from them that the claimed probability is excluded."""
        last = evidence["looks"][-1]
        side = "at_least" if self.at_least is not None else "at_most"
        arguments = {
            "trials": last["trials"],
            "successes": last["successes"],
            "undecided": evidence["undecided"],
            side: str(self.claimed),
            "error": last["error"],
        }
        called = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
        source = f"{getattr(self.trial, '__module__', '?')}:{getattr(self.trial, '__qualname__', '?')}"
        return {
            **arguments,
            "lower": evidence["lower"],
            "upper": evidence["upper"],
            "seed": evidence["seed"],
            "trial": source,
            "line": f"from verify.provers.statistical import excluded; print(excluded({called}))",
        }


def _probability(number: Any) -> Fraction:
    """An exact probability; ``None`` stands for one that is not claimed."""
    if number is None:
        return Fraction(0)
    if isinstance(number, float) or not 0 <= Fraction(number) <= 1:
        raise ClaimError(f"statistical check: {number!r} is no exact probability; write Fraction(19, 20)")
    return Fraction(number)


def _decimal(number: Fraction) -> str:
    """A bound as a decimal; it has finitely many digits."""
    return f"{number.numerator / number.denominator:.{_DIGITS}f}"


def generators(seed: list[int], look: int, count: int) -> Iterator[tuple[numpy.random.Generator, int]]:
    """The generators of a look's trials, each for a block of them."""
    for block, start in enumerate(range(0, count, _BLOCK)):
        sequence = numpy.random.SeedSequence([*seed, look, block])
        yield numpy.random.default_rng(sequence), min(_BLOCK, count - start)


def excluded(
    *,
    trials: int,
    successes: int,
    undecided: int,
    error: str,
    at_least: str | None = None,
    at_most: str | None = None,
) -> bool:
    """Whether the counts exclude the claimed probability at this error: the re-check of a witness."""
    if at_least is not None:
        return excludes_above(trials, successes + undecided, Fraction(at_least), Fraction(error))
    assert at_most is not None
    return excludes_above(trials, trials - successes, 1 - Fraction(at_most), Fraction(error))
