r"""Learning on the trees of ``thm:lowerbound`` as a game with finitely many outcomes, summed up exactly.

An episode on a tree has two ingredients that are independent of each other and of the past: the holding
times, whose law is the same in every instance, and the jump from the leaf, which is good with probability
:math:`1/2`, or :math:`1/2 + \Delta` if the pair of leaf and action is the instance's own pair :math:`j`.
Only through the *moment* at which a leaf is entered can the holding times influence the choice.  So a game
has finitely many moments, each with

* the probability that the leaf is entered then and left before :math:`H` (the jump is *seen*), or is
  not left before :math:`H` (it is *missed*), and
* the weight :math:`E[(H-\gamma_d)^+;\ \text{the leaf is entered then}]`, what a good jump earns.

An algorithm maps the episodes it has seen to a pair for each moment.  In an episode whose holding times
are *biased* by :math:`(H-\gamma_d)^+` a moment has the probability weight / total weight; every other
episode keeps its law.  All numbers may be rationals or balls.

The best of *all* algorithms for the average over the instances is found by dynamic programming: what matters
of a history are the numbers of good and bad jumps of each pair, in any order of the pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from flint import arb, fmpq

from verify.provers.balls import precision
from verify.provers.comparison import enclosing

BITS = 200
GOOD, BAD, MISSED = 1, 0, -1
Number = Any  # int, Fraction, fmpq or arb; a Fraction does not meet a ball in one game
Episode = tuple[int, int, int]  # moment, pair, outcome
History = tuple[Episode, ...]
Algorithm = Callable[[History], tuple[int, ...]]  # the pair for each moment


@dataclass(frozen=True)
class Moment:
    """When the leaf is entered: see the first lines of the module."""

    seen: Number
    missed: Number
    weight: Number

    @property
    def chance(self) -> Number:
        """The probability of the moment, whether the jump is seen or not."""
        return self.seen + self.missed


@dataclass(frozen=True)
class Tape:
    """An arbitrary adaptive algorithm: the pair is read off a tape at a place the past determines."""

    cells: tuple[int, ...]
    moments: int

    def __call__(self, history: History) -> tuple[int, ...]:
        """The pair for each moment after this history."""
        place = 0
        for moment, pair, outcome in history:
            place = 31 * place + 9 * moment + 3 * pair + outcome + 2
        return tuple(self.cells[(place + m) % len(self.cells)] for m in range(self.moments))


@dataclass(frozen=True)
class Game:
    """An algorithm on the instances ``0`` (no pair is better) and ``1, ..., pairs``."""

    moments: tuple[Moment, ...]
    pairs: int
    gap: Number
    algorithm: Algorithm

    @property
    def weight(self) -> Number:
        """``E[(H - γ_d)^+]``."""
        return sum(m.weight for m in self.moments)

    def good(self, instance: int, pair: int) -> Number:
        """The probability that the jump from ``pair`` is good."""
        return (1 + 2 * (self.gap if pair == instance else 0 * self.gap)) / 2

    def histories(self, instance: int, episodes: int) -> dict[History, Number]:
        """The law of what is seen in so many episodes."""
        law: dict[History, Number] = {(): 1}
        for _ in range(episodes):
            law = {
                (*h, e): chance * p
                for h, chance in law.items()
                for e, p in self._episode(h, instance)
                if p != 0
            }
        return law

    def _episode(self, history: History, instance: int) -> Iterator[tuple[Episode, Number]]:
        for m, (moment, pair) in enumerate(zip(self.moments, self.algorithm(history), strict=True)):
            good = self.good(instance, pair)
            yield (m, pair, GOOD), moment.seen * good
            yield (m, pair, BAD), moment.seen * (1 - good)
            yield (m, pair, MISSED), moment.missed

    def visit(self, instance: int, pair: int, episode: int, *, biased: bool) -> Number:
        """The probability that ``pair`` is chosen in an episode (the first is 1), in the instance."""
        total: Number = 0
        for history, chance in self.histories(instance, episode - 1).items():
            for moment, chosen in zip(self.moments, self.algorithm(history), strict=True):
                if chosen == pair:
                    total += chance * (moment.weight if biased else moment.chance)
        return total / self.weight if biased else total

    def own_visits(self, episodes: int, *, biased: bool) -> Number:
        """The sum over instances ``j`` of the expected visits to the pair ``j``."""
        return sum(
            self.visit(j, j, k, biased=biased)
            for j in range(1, self.pairs + 1)
            for k in range(1, episodes + 1)
        )

    def seen_visits(self, pair: int, episodes: int) -> Number:
        """The expected number of visits in instance 0 whose jump is seen."""
        return sum(
            (chance * sum(e[1] == pair and e[2] != MISSED for e in history)
             for history, chance in self.histories(0, episodes).items())
        )  # fmt: skip

    def divergence(self, instance: int, episodes: int, *, then_biased: bool = False) -> arb:
        """``KL(P_0, P_j)`` by its definition; ``then_biased`` adds the choice in a biased episode."""
        nothing, other = self.histories(0, episodes), self.histories(instance, episodes)
        with precision(BITS):
            total = arb(0)
            for history, chance in nothing.items():
                for share in self._shares() if then_biased else [1]:
                    p, q = chance * share, other[history] * share
                    if p != 0:
                        total += enclosing(p) * (enclosing(p) / enclosing(q)).log()
            return total

    def _shares(self) -> list[Number]:
        """The law of the moment in a biased episode; the choice is a function of it and of the past."""
        return [m.weight / self.weight for m in self.moments]


def coin_divergence(gap: Number) -> arb:
    """``kl(1/2, 1/2 + gap)``, by its definition."""
    with precision(BITS):
        half = arb(1) / 2
        return (half / (half + enclosing(gap))).log() / 2 + (half / (half - enclosing(gap))).log() / 2


def distance(left: Number, right: Number) -> arb:
    """``|left - right|`` as a ball; the two may be enclosures."""
    with precision(BITS):
        return abs(enclosing(left) - enclosing(right))


def least_average_regret(moments: tuple[Moment, ...], pairs: int, gap: Fraction, episodes: int) -> Fraction:
    """The least average over ``j`` of ``R_j/E[(H - γ_d)^+]`` that any algorithm reaches, in rationals.

    Draw ``j`` evenly: an episode gains the probability that the pair it chooses is ``j``, weighted by the
    moment.  Relative to instance 0 a history has the likelihood ``(1 + 2 gap)^good (1 - 2 gap)^bad`` under
    ``j``, from the jumps of pair ``j``; gains are multiplied by the sum of these, which saves all divisions.
    """
    total = sum(_flint(m.weight) for m in moments)
    chances = [(_flint(m.weight) / total, _flint(m.seen), _flint(m.missed)) for m in moments]
    up, down = 1 + 2 * _flint(gap), 1 - 2 * _flint(gap)
    likely = {(i, j): up**i * down**j for i in range(episodes + 1) for j in range(episodes + 1)}

    @cache
    def most(counts: tuple[tuple[int, int], ...], left: int) -> fmpq:
        """The largest gain from here on; ``counts`` are the good and bad jumps of the pairs tried."""
        if not left:
            return fmpq(0)
        options = []
        for tried in sorted({*counts, *([(0, 0)] if len(counts) < pairs else [])}):
            others, (good, bad) = list(counts), tried
            if tried in others:
                others.remove(tried)
            after = [(*others, (good + 1, bad)), (*others, (good, bad + 1))]
            later = sum((most(tuple(sorted(c)), left - 1) for c in after), fmpq(0)) / 2
            options.append((likely[tried], later))
        same = most(counts, left - 1)
        gains = (
            max(share * odds + seen * later for odds, later in options) + missed * same
            for share, seen, missed in chances
        )
        return sum(gains, fmpq(0))

    gain = most((), episodes) / pairs
    return gap * (episodes - Fraction(int(gain.p), int(gain.q)))


def _flint(number: Number) -> fmpq:
    """A rational number; the game is played 10^5 times, for which Python's fractions are slow."""
    return number if isinstance(number, fmpq) else fmpq(number.numerator, number.denominator)
