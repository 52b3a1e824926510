r"""The exact and the fast learner side by side on the same draws, compared at every step.

The fast side is :class:`~ctucbvi.learning.fast.located.LocatedLearner`: doubles throughout, switches located.
Before each episode:

* **Plans.**  Lazy learners (:mod:`ctucbvi.learning.replanning`) plan the same episodes, unless :math:`T` is
  so close to where a plan is due that the rounding of doubles decides; the exact side's decision is taken.
* **Estimates.**  The counts are equal, so :math:`\hat p` is.  :math:`T` and :math:`\hat\lambda` differ by
  what adding up doubles can cost, no more.
* **Bonus.**  Within its rounding errors of the exact side's enclosure.
* **Values.**  The polynomials of the fast side are *proved* to be close to the iterates of the exact side's
  model: their residual is bounded in that model, with its exact :math:`\hat p, \hat\lambda` and rewards,
  so that all of the fast side's roundings are inside the bound.  With the rounding :math:`\eta t` of the
  exact side's own bonus this is the *proved error* :math:`e`.  Each enclosure of a fast value must meet
  that of the exact one, and :math:`e` must be small.
* **Iterations.**  :math:`n_k` may differ only where :math:`\|V_n - V_{n-1}\|` as the fast side has it is
  within :math:`2e` of :math:`\epsilon_k`.

In each state that is entered both sides choose.  The choices may differ only where the exact values of
the two actions are within :math:`2e` of each other, that is, where the remaining time is within the proved
error of a switch.  The exact side's choice is then taken.

:meth:`Lockstep.follow` puts the compiled learner of the studies in the lead instead, which plans on a grid
of remaining times (:class:`~ctucbvi.learning.fast.learner.FastLearner`).  Its counts and times must be equal
to the exact ones, the episodes that a lazy one plans the same, and its actions those of the exact policy
except within a cell of a certified switch (half a cell for the nearest grid point, or a whole one next to 0,
where the action is that of the first cell's end, and what the error of the grid moves the switch by).  Of a
learner with a bonus the values on the grid have no proved error, so they are not compared.  Of the optimistic
learner, which has no located counterpart, sets and values are compared too
(:mod:`ctucbvi.learning.lockstep.grid`).

A history that is replayed was somebody's: an action in it that is not the exact side's is a difference, too,
explained only by a tie or by a comparison that stays undecided.  :mod:`ctucbvi.learning.lockstep.checking`
compares it, and what else its learner says of itself, with the exact side alone.

Every difference is listed, explained or not.  Beside them stand, per episode, whether the event
:math:`\mathcal G` and ``eq:optimism`` held.
"""

from ctucbvi.learning.lockstep.checking import CheckedEpisode, Checker
from ctucbvi.learning.lockstep.driver import Lockstep
from ctucbvi.learning.lockstep.located import proof
from ctucbvi.learning.lockstep.records import Difference, LockstepEpisode

__all__ = ["CheckedEpisode", "Checker", "Difference", "Lockstep", "LockstepEpisode", "proof"]
