r"""The model: a finite-horizon continuous-time Markov decision process, in exact rationals.

In state :math:`x` an action :math:`a` is chosen from those that :math:`x` offers.  The
process stays for an exponential time with rate :math:`\lambda(x,a) \ge 0` (0: for ever),
earns at rate :math:`r(x,a)` meanwhile, and then jumps to :math:`y` with probability
:math:`p(y\mid x,a)`.  A jump back to :math:`x` is a jump: a new decision epoch.  After
time :math:`H` the process stops and earns :math:`g(x)`, the terminal reward (0 unless
given), or :math:`g(x,a)` if the action that is held then has one of its own.  ``t`` always means *remaining*
time.  At a jump to :math:`y` a *lump* :math:`\varrho(x,a,y)` may be earned besides, and :math:`c(x,a)` at
once for choosing :math:`a` (:mod:`ctucbvi.model.rows`); rewards may be costs, to be minimised
(:class:`Objective`).  All are reduced in one place, :meth:`CTMDP.plain`, to rewards per unit of time that are
to be maximised, and values that pairs start from; planners know nothing else.  A discount rate is a way out
of every state (:func:`discounted`); an episode may begin in several states by chance
(:mod:`ctucbvi.model.beginning`).

One model poses two problems that differ (:class:`Semantics`):

``committed``
    the action is held until the next jump.  The value is the fixed point :math:`V = GV` of

    .. math:: (\mathcal T^a u)(x,t) = r\!\int_0^t\! e^{-\lambda s}ds
              + \int_0^t\! \lambda e^{-\lambda s} \sum_y p(y)\,u(y,t-s)\,ds + e^{-\lambda t} g(x),
              \qquad G = \max_a \mathcal T^a .
``adjustable``
    the action may change at any moment.  The value solves the HJB system

    .. math:: v' = \max_a\bigl[\, r - \lambda v + \lambda \textstyle\sum_y p(y)\,v(y)\bigr],
              \qquad v(\cdot,0) = g .

    What is held at the very end is chosen then: of terminal rewards per action the best counts,
    :math:`v(x,0) = \max_a g(x,a)`, under every policy.  Rewards for choosing have no place here, since an
    action can be chosen again at every moment.

Raising a rate and adding the self-loop that compensates for it (uniformisation) changes
nothing in the second problem and *changes* the first, where a self-jump is a decision
epoch.
"""

from ctucbvi.model.beginning import Initial
from ctucbvi.model.ctmdp import CTMDP
from ctucbvi.model.discounting import discounted
from ctucbvi.model.kinds import Objective, Semantics
from ctucbvi.model.reaching import reaching
from ctucbvi.model.rows import Number, Numbers, Pair, Transition, by_target, choices

__all__ = [
    "CTMDP",
    "Initial",
    "Number",
    "Numbers",
    "Objective",
    "Pair",
    "Semantics",
    "Transition",
    "by_target",
    "choices",
    "discounted",
    "reaching",
]
