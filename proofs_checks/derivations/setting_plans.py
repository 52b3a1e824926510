r"""Plans that are kept: when a lazy learner plans again, as facts.

``pl(n)`` is the decision, first of its episode, whose data the plan of decision n is made of.  A learner
plans before an episode wherever its data have grown by more than the factor :math:`1+\eta` since: for some
pair the jumps (counted from 1) or the time (from :math:`L/\lambda_{\max}` on, or from where a setting says);
one that iterates down to :math:`\epsilon_k` also if the number of the episode has.  It may plan more often.
"""

from __future__ import annotations

from verify.kernel.language import Fact
from verify.kernel.terms import Symbol

MORE = "(1 + eta)"
SYMBOLS = [Symbol("pl", ("Nat",), "Nat", "_1"), Symbol("eta", (), "Real")]


def kept(now: str, then: str) -> Fact:
    """That a plan is kept only while there is not much more of something than there was."""
    return Fact(f"{now} <= {MORE}*{then}", "the learner plans again where there is more than that", "model")


FACTS = {
    "eta": Fact("0 <= eta", "what part more of data a plan is kept for", "model"),
    "planned": Fact("pl(n) <= n", "the plan of decision n was made before it, or at it", "model"),
    "planned-new": Fact("new(pl(n)) == 1", "plans are made when an episode begins", "model"),
    "kept-N": kept("Nf(n, x, a)", "Max(1, Nf(pl(n), x, a))"),
}

KEPT_TIME = {"kept-T": kept("Tf(n, x, a)", "Max(Tf(pl(n), x, a), L/lmax)")}
KEPT_EPISODES = {"kept-k": kept("ep(n) + 1", "(ep(pl(n)) + 1)")}
STAYS = {
    "frozen-pl": Fact("Imp(jump(n) == 1, pl(n + 1) == pl(n))", "no plan is made within an episode", "model")
}
