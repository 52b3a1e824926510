r"""Radii that fall with the jumps seen of a pair, paid on jumps: on every path, and in the mean.

What is paid at a jump is the radius times the time u - τ that remains after it, at most H.  The number of
jumps that the learner knows lags behind by at most the jumps of one episode, so for every pair, with
√(g(n)/n) the radius after n jumps, N the jumps of the pair and J those of the longest episode,

.. math:: \sum 1_{jump}(u-\tau)\sqrt{g(N^+)/N^+} \le 2\sqrt{H\,g(N)\,Z} + \sqrt{g(1)}\,H J,\qquad
          Z = \sum1_{jump}(u-\tau) .

The sum of all N has at most the mean Kv, that of all Z at most KvH/2, and g is below a line.
"""

from __future__ import annotations

from proofs_checks.derivations.longest import rises
from proofs_checks.derivations.optimistic_times import HERE
from proofs_checks.derivations.runs import ACTIVE, by_jump, decided, remaining
from proofs_checks.derivations.unions import rises_to
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

PAIR = HERE.format(n="n")
_EVENTS = ["ep(n) + 1 <= K", "X(n) == x", "act(n) == a"]
OWN = f"Ind(ep({{n}}) + 1 <= K)*{HERE}*jump({{n}})*(rem({{n}}) - spent({{n}}))"
LEFT = "Sum(i, {n}, " + OWN.format(n="i") + ")"
SEEN = "Sum(i, {n}, Ind(ep(i) + 1 <= K)*" + HERE.format(n="i") + "*jump(i))"


class Lag:
    """What is known when an episode begins lags behind what was seen by the jumps of the longest episode."""

    def __init__(self, D: Derivation) -> None:
        self.D = D
        low, high = remaining(D)
        self.low, self.high, spent = low, high, D.fact("spent-low")
        self.left = D.linear("0 <= rem(n) - spent(n)", D.fact("spent-high"))
        self.less = D.linear("rem(n) - spent(n) <= H", high, spent)
        some = D.times(self.left, D.whole("jump(n)"))
        self.sign = D.decide(f"0 <= {OWN.format(n='n')}", _EVENTS, some)
        few = D.times(self.less, D.whole(f"{ACTIVE}*{PAIR}*jump(n)"))
        self.few = D.linear(f"{OWN.format(n='n')} <= H*{ACTIVE}*{PAIR}*jump(n)", few)

    def _counted(self) -> Theorem:
        """Z(n) <= H N(n)."""
        D = self.D
        most = D.times(D.whole(f"{PAIR}*jump(n)"), D.fact("horizon"))
        own = D.decide(f"{OWN.format(n='n')} <= H*{PAIR}*jump(n)", _EVENTS[:1], self.few, most)
        step = D.scaled(D.fact("N-step"), "H")
        return D.induction(
            "n",
            f"{LEFT.format(n='n')} <= H*N(n, x, a)",
            D.by_value(f"{LEFT.format(n='0')} <= H*N(0, x, a)", [D.fact("N-0")]),
            lambda below: D.linear(f"{LEFT.format(n='n + 1')} <= H*N(n + 1, x, a)", below, own, step),
        )

    def _known(self) -> Theorem:
        """Z(n) <= H Nf(n) + H Ind(ep(n) < K) pos(n)."""
        D = self.D
        events = ["X(n) == x", "act(n) == a"]
        most = D.times(D.whole(f"{ACTIVE}*jump(n)"), D.fact("horizon"))
        own = D.decide(f"{OWN.format(n='n')} <= H*{ACTIVE}*jump(n)", events, self.few, most)
        ended = D.at(self._counted(), n="n + 1")

        def claim(n: str) -> str:
            return f"{LEFT.format(n=n)} <= H*Nf({n}, x, a) + H*Ind(ep({n}) + 1 <= K)*pos({n})"

        def step(below: Theorem) -> Theorem:
            facts = [D.fact("Nf-step"), D.fact("pos-step")]
            return by_jump(D, lambda case, _: D.by_value(claim("n + 1"), [*facts, *case], below, own, ended))

        begin = D.by_value(claim("0"), [D.fact("Nf-0"), D.fact("pos-0")])
        return D.induction("n", claim("n"), begin, step)

    def longest(self) -> Theorem:
        """Z(n + 1) <= H Nf(n) + H top(n + 1)."""
        D = self.D
        before, now = rises(D)
        tops = D.induction(
            "n",
            "Ind(ep(n) + 1 <= K)*pos(n) <= top(n)",
            D.by_value("Ind(ep(0) + 1 <= K)*pos(0) <= top(0)", [D.fact("pos-0"), D.fact("top-0")]),
            lambda _: by_jump(
                D,
                lambda case, __: D.by_value(
                    "Ind(ep(n + 1) + 1 <= K)*pos(n + 1) <= top(n + 1)",
                    [D.fact("pos-step"), *case],
                    now,
                    D.whole("top(n + 1)"),
                ),
            ),
        )
        events = ["X(n) == x", "act(n) == a"]
        most = D.times(D.whole(f"{ACTIVE}*jump(n)"), D.fact("horizon"))
        own = D.decide(f"{OWN.format(n='n')} <= H*{ACTIVE}*jump(n)", events, self.few, most)
        horizon = D.fact("horizon")
        facts = [self._known(), own, *(D.times(one, horizon) for one in (before, now, tops))]
        goal = f"{LEFT.format(n='n + 1')} <= H*Nf(n, x, a) + H*top(n + 1)"
        return by_jump(D, lambda case, _: D.by_value(goal, case, *facts))

    def seen(self) -> Theorem:
        """Ind(ep(n) < K) Nf(n) <= SEEN(n)."""
        D = self.D
        count = SEEN.format(n="n")

        def claim(n: str) -> str:
            return f"Ind(ep({n}) + 1 <= K)*N({n}, x, a) <= {SEEN.format(n=n)}"

        events = ["ep(n) + 1 <= K", "ep(n) + 2 <= K"]
        signs = D.whole(count), D.whole(SEEN.format(n="n + 1"))
        all_of_it = D.induction(
            "n",
            claim("n"),
            D.by_value(claim("0"), [D.fact("N-0")]),
            lambda below: by_jump(
                D,
                lambda case, _: decided(D, claim("n + 1"), [D.fact("N-step"), *case], events, below, *signs),
            ),
        )
        return D.linear(
            f"{ACTIVE}*Nf(n, x, a) <= {count}", all_of_it, D.times(known_jumps(D), D.whole(ACTIVE))
        )


def known_jumps(D: Derivation) -> Theorem:
    """Nf(n) <= N(n)."""
    more, steps = D.whole(f"{PAIR}*jump(n)"), [D.fact("N-step"), D.fact("Nf-step")]
    return D.induction(
        "n",
        "Nf(n, x, a) <= N(n, x, a)",
        D.linear("Nf(0, x, a) <= N(0, x, a)", D.fact("Nf-0"), D.fact("N-0")),
        lambda below: by_jump(
            D,
            lambda case, _: D.by_value("Nf(n + 1, x, a) <= N(n + 1, x, a)", [*steps, *case], below, more),
        ),
    )


def known_rise(D: Derivation) -> Theorem:
    """Imp(n <= m, Nf(n) <= Nf(m)): what is known when an episode begins only grows."""
    facts = known_jumps(D), D.whole(f"{PAIR}*jump(n)")
    equations = [D.fact("Nf-step"), D.fact("N-step")]
    step = by_jump(
        D, lambda case, _: D.by_value("Nf(n, x, a) <= Nf(n + 1, x, a)", [*equations, *case], *facts)
    )
    return rises_to(D, "Nf({n}, x, a)", step)
