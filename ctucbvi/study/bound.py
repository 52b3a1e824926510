r"""The upper bound of the learner's theorem, in doubles, for the runs of a study.

Of CT-UCBVI that is ``thm:CT-UCB`` (``eq:regret-bound``):

.. math:: 3(CH+1)\sqrt{SAK}\,\Bigl(H + \frac1{\lambda_{\min}}\Bigr)(\lambda_{\max}H + 1)
          \frac{\ln K}{\ln(\ln K + 1)}
          \Bigl(\sqrt{2S + 6\ln(2SAKH)} + 4\lambda_{\max}H\sqrt{\ln(2SAKH)}\Bigr)
          + e^{\lambda_{\max}H}\sum_{k\le K}\epsilon_k + 1,

with :math:`C = \lambda_{\max}/(1-e^{-\lambda_{\max}H}) \vee 1`, which is computed in :mod:`ctucbvi.bounds`.
Over the number of episodes it is the dashed line of the paper's figure.  Two things to know when reading it:

* The theorem speaks about the algorithm that was told :math:`K` (it enters the bonus) and takes
  :math:`\delta = 1/(2KH)`, the choice made in its proof.  The line at :math:`k < K` therefore bounds
  another run of the algorithm than the one whose regret is drawn, as it does in the paper.
* It is not defined for :math:`K = 1`, where :math:`\ln K/\ln(\ln K + 1)` is 0/0, nor where a pair is
  never left (:math:`\lambda_{\min} = 0`), nor where :math:`2SAKH < 1`.

The learner with the sharp bonus has ``thm:CT-UCB/sharp-bonus``, the one that knows :math:`\lambda_{\min}`
``remark:lambda-min/regret`` (:mod:`ctucbvi.bounds.versions`), both with the same :math:`\delta`; the two
together have none.  The optimistic learner has a theorem for each kind of sets
(:mod:`ctucbvi.bounds.optimistic`), with :math:`\delta = 1/(2K)`, without conditions on the rates; that
variant of it that knows :math:`\lambda_{\min}` has none.

**Lazy learners** (``replan`` :math:`\eta > 0`) have theorems of their own, with :math:`\sqrt{1+\eta}` before
the leading term: that of CT-UCBVI is ``thm:CT-UCB/sharp/lazy``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ctucbvi.bounds.arithmetics import DOUBLES
from ctucbvi.bounds.conditions import REAL, check
from ctucbvi.bounds.parameters import Parameters
from ctucbvi.bounds.versions import KNOWN_RATE, LAZY, PRINTED, SHARP, SHARP_BONUS, VERSIONS, Version
from ctucbvi.learning.settings import Settings
from ctucbvi.model import CTMDP

_VERSIONS = {version.name: version for version in (*VERSIONS, *LAZY)}
_THEOREMS = {  # by the sets for rates and jumps, with δ = 1/(2K)
    ("paper", "l1"): "optimistic",
    ("poisson", "l1"): "poisson",
    ("paper", "kl"): "kl",
    ("poisson", "kl"): "kl-poisson",
}
_LARGEST = 600  # of λmax H, so that e^{λmax H} and what it is multiplied by are doubles


@dataclass(frozen=True)
class RegretBound:
    """The bound at several numbers of episodes; None where it is not defined."""

    values: tuple[float | None, ...]
    missing: str  # why some or all values are missing; empty if none is


def regret_bound(model: CTMDP, settings: Settings, episodes: Sequence[int]) -> RegretBound:
    """The bound of the learner's theorem at increasing numbers of episodes."""
    reason = _never(model, settings)
    if reason:
        return RegretBound((None,) * len(episodes), reason)
    version, replan = _version(settings), settings.replan or None
    found: list[float | None] = []
    missing = ""
    told = {"lambda_max": settings.lambda_max, "epsilon": settings.epsilon, "replan": replan}
    told |= {"lambda_min": settings.lambda_min}
    for k in episodes:
        p = Parameters.of_model(model, episodes=k, **told)
        why = _not_at(version, p)
        missing = missing or why
        found.append(None if why else version.bound(p, DOUBLES))
    return RegretBound(tuple(found), missing)


def _version(settings: Settings) -> Version:
    """The theorem of the learner."""
    if settings.bonus == "optimistic":
        name = _THEOREMS[str(settings.rates), str(settings.jumps)]
    elif settings.bonus == "sharp":
        name = SHARP_BONUS.name
    elif settings.lambda_min is not None:
        name = KNOWN_RATE.name
    else:
        name = SHARP.name if settings.replan else PRINTED.name
    return _VERSIONS[f"{name}-lazy" if settings.replan else name]


def _never(model: CTMDP, settings: Settings) -> str:
    """Why the bound is defined for no number of episodes; empty if it is for some."""
    known = settings.lambda_min is not None
    if settings.bonus == "optimistic":
        return "the theorem is about the learner that knows no lambda_min" if known else ""
    if settings.bonus not in ("paper", "sharp"):
        return "the theorem is about learners with a bonus"
    if settings.bonus == "sharp" and known:
        return "the theorem of the sharp bonus is about the learner that knows no lambda_min"
    if still := [f"{row.state}/{row.action}" for row in model.transitions if row.rate == 0]:
        return f"the bound needs lambda_min > 0, and {', '.join(still)} never jumps (rate 0)"
    if settings.lambda_max * model.horizon > _LARGEST:
        return "exp(lambda_max H) is beyond double precision"
    return ""


def _not_at(version: Version, p: Parameters) -> str:
    if version is PRINTED and p.episodes < 2:
        return "ln K / ln(ln K + 1) is 0/0 at K = 1"
    if version is PRINTED and not REAL.holds(p):
        return "ln(2SAKH) is negative for a horizon as short as this"
    failing = check(version.conditions, p).failing
    return f"the bound needs {' and '.join(failing)}" if failing else ""
