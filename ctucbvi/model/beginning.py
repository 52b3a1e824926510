r"""Where an episode begins: in one state, or in several by chance.

With initial probabilities :math:`\mu` what a policy is worth is :math:`\sum_x \mu(x)\,V(x,H)`; the best
policy is the one that is best in every state, and no equation knows :math:`\mu`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ctucbvi.errors import ModelError
from ctucbvi.model.rows import Number, Numbers, choices
from ctucbvi.numbers import exact, shown

Initial = str | Numbers  # a state; or several in their order, with probabilities above 0 that sum to 1


def initial_from(given: str | Mapping[str, Number] | Numbers) -> Initial:
    """What somebody says, with exact numbers; :func:`checked` looks whether it can be meant."""
    if not isinstance(given, Mapping):
        return given
    return tuple((x, exact(p, f"initial probability of {x!r}")) for x, p in given.items())


def checked(given: Initial, states: Sequence[str] | Mapping[str, int]) -> Initial:
    """The same in its normal form; one line if it is no distribution over these states."""
    if isinstance(given, str) or not isinstance(given, tuple):
        if given not in states:
            raise ModelError(f"initial: {given!r} is not a state; {choices(states, given)}")
        return given
    found = dict(given)
    for x, p in found.items():
        if x not in states:
            raise ModelError(f"initial: {x!r} is not a state; {choices(states, x)}")
        if not isinstance(p, Fraction):
            raise ModelError("initial: its numbers are not all fractions; build the model with CTMDP.of")
        if p < 0:
            raise ModelError(f"initial probability of {x!r} is {shown(p)}; write a number from 0 to 1")
    total = sum(found.values(), Fraction(0))
    if total != 1 or len(found) < len(given):
        what = f"sum to {shown(total)}, not exactly 1" if len(found) == len(given) else "name a state twice"
        raise ModelError(f"initial probabilities {what}; correct one of them")
    kept = tuple((x, found[x]) for x in states if found.get(x))
    return kept[0][0] if len(kept) == 1 else kept
