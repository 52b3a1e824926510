r"""Rewards that count less the later they come, as a model without discount.

With a discount rate :math:`\beta` what is earned after a time :math:`s` counts :math:`e^{-\beta s}`.  That is
the probability that an exponential time of rate :math:`\beta`, independent of everything, is longer than
:math:`s`: a discounted episode is worth what one without discount is worth that ends at this time, if it
comes before the horizon.  So every pair gets another way out,

.. math:: \lambda'(x,a) = \lambda(x,a) + \beta,\qquad p'(y) = \frac{\lambda(x,a)}{\lambda'(x,a)}\,p(y),
   \qquad p'(\text{ended}) = \frac{\beta}{\lambda'(x,a)},

to a state in which nothing is earned, a terminal reward neither, and which jumps to itself only.  Values,
policies and switching times of all other states are those of the discounted problem, committed and
adjustable: in the operator :math:`e^{-\lambda' s} = e^{-\lambda s} e^{-\beta s}` and :math:`\lambda' p' =
\lambda p`.

That state would be worth 0 at rate 0, too.  But then a learner would never see a jump there, so that the
paper's bonus would stay what it is at first, and there would be no bounds of the regret that need
:math:`\lambda_{\min} > 0`.  Its rate is the largest :math:`\lambda'`: the largest rate of the model stays
what it is without this state, and so does the least.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from ctucbvi.errors import ModelError
from ctucbvi.model.ctmdp import CTMDP
from ctucbvi.model.rows import Number, Transition
from ctucbvi.numbers import exact, shown

_ENDED = "ended"


def discounted(model: CTMDP, rate: Number) -> CTMDP:
    """The model in which what is earned after a time ``s`` counts ``exp(-rate*s)``; one more state."""
    beta = exact(rate, "discount")
    if beta < 0:
        raise ModelError(f"discount: {shown(beta)} is negative; write a rate of 0 or more")
    if not beta:
        return model
    ended = _ENDED
    while ended in model.states:
        ended += "'"
    stays = Transition(ended, model.actions[0], model.max_rate + beta, Fraction(0), ((ended, Fraction(1)),))
    return replace(
        model,
        states=(*model.states, ended),
        transitions=(*(_leaving(row, beta, ended) for row in model.transitions), stays),
        terminal=(*model.terminal, Fraction(0)),
    )


def _leaving(row: Transition, beta: Fraction, ended: str) -> Transition:
    rate = row.rate + beta
    targets = row.to if row.rate else ()  # at rate 0 a row may say where to, and nothing ever gets there
    to = (*((y, p * row.rate / rate) for y, p in targets), (ended, beta / rate))
    return replace(row, rate=rate, to=to)
