r"""The result of a study as one JSON document, the same whoever computed it and however often it stopped.

:math:`V^*` comes from the exact planner, or, for large models, from the fast planner with its certificate;
either way it is an enclosure.  What policies can be worth bounds the regret of
one episode; the worst value is minus the best value of the model with rewards negated.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ctucbvi.enclosure import Enclosure
from ctucbvi.exact.planner import solve
from ctucbvi.model import CTMDP, Semantics
from ctucbvi.numeric.certificate import certify
from ctucbvi.numeric.planner import smallest_tolerance, solve_numeric
from ctucbvi.study.bound import Bound, regret_bound
from ctucbvi.study.driver import Outcome
from ctucbvi.study.evaluation import Evaluator
from ctucbvi.study.plan import Contestant, Study
from ctucbvi.study.summary import Curve

_DIGITS = 20  # of V*
_SMALL = 40  # pairs up to which the exact planner is asked: by size, as time would make results differ
_SHOWN = 10  # significant digits of the numbers of a curve
FORMAT = "ctucbvi regret study 1"


@dataclass(frozen=True)
class Result:
    """What a study found."""

    study: Study
    optimal: Enclosure  # V* of the initial state at H
    curves: tuple[Curve, ...]
    bound: Bound  # of thm:CT-UCB at the checkpoints

    @classmethod
    def of(cls, outcome: Outcome, confidence: Fraction = Fraction(95, 100)) -> Result:
        """Add up the runs of a complete study."""
        study = outcome.study
        best = optimal_value(study)
        curves = tuple(
            Curve.of(
                contestant.name,
                study.checkpoints,
                outcome.runs[contestant.name],
                optimal=best,
                losses=possible_losses(study, contestant),
                error=value_error(study, contestant),
                confidence=confidence,
            )
            for contestant in study.contestants
        )
        return cls(study, best, curves, regret_bound(study.model, study.settings, study.checkpoints))

    def to_json(self) -> dict[str, Any]:
        """The document; equal studies have equal documents."""
        value, lower, upper = self.optimal.decimals(15)
        first = self.study.identity(self.study.contestants[0])
        shared = {key: first[key] for key in ("model", "model_sha256", "settings", "seed", "initial")}
        return {
            "format": FORMAT,
            **shared,
            "runs": len(self.curves[0].regrets),
            "optimal": {"value": value, "lower": lower, "upper": upper},
            "confidence": str(self.curves[0].confidence),
            "checkpoints": list(self.study.checkpoints),
            "learners": [self._learner(curve) for curve in self.curves],
            "bound": [None if b is None else _short(b) for b in self.bound.values],
            "bound_missing": self.bound.missing or None,
            "versions": first["versions"],
        }

    def _learner(self, curve: Curve) -> dict[str, Any]:
        contestant = self.study.contestant(curve.name)
        return {
            "name": curve.name,
            "steps": contestant.steps,
            "sampled": contestant.sampled,
            **dict(contestant.options),
            "error_per_episode": _short(float(curve.error)),
            "mean": [_short(float(m)) for m in curve.mean],
            "standard_error": None
            if curve.standard_error is None
            else list(map(_short, curve.standard_error)),
            "band": _ends(curve.band),
            "guaranteed": _ends(curve.guaranteed),
            "final": [_short(float(run[-1])) for run in curve.regrets],
        }


def document_text(document: dict[str, Any]) -> str:
    """The document with one line for each list, so that it stays small and can be read."""
    lines = []
    for key, value in document.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            entries = ",\n".join(
                "  {\n"
                + ",\n".join(f"   {json.dumps(k)}: {json.dumps(v)}" for k, v in entry.items())
                + "\n  }"
                for entry in value
            )
            lines.append(f" {json.dumps(key)}: [\n{entries}\n ]")
        else:
            lines.append(f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def optimal_value(study: Study) -> Enclosure:
    """V*(x_0, H) of the committed problem, averaged over the initial states."""
    return _mixed(study, study.model, Semantics.COMMITTED)


def possible_losses(study: Study, contestant: Contestant) -> tuple[Fraction, Fraction]:
    """Between which numbers the regret of one episode lies, whatever the policy.

    A sampled policy need not wait for a jump: the adjustable problem bounds what it is worth, and its
    regret may be negative.
    """
    optimal = optimal_value(study)
    semantics = Semantics.ADJUSTABLE if contestant.sampled else Semantics.COMMITTED
    best = _mixed(study, study.model, semantics)
    worst = -_mixed(study, study.model.with_rewards(-1), semantics)
    least = optimal.lower - best.upper if contestant.sampled else Fraction(0)
    return least, optimal.upper - worst.lower


def value_error(study: Study, contestant: Contestant) -> Fraction:
    """The proved error of the value that a policy of ``contestant`` is given."""
    model = study.model
    mixing = (len(model.states) + 4) * model.value_scale / 2**52 if len(study.initial) > 1 else Fraction(0)
    return Fraction(Evaluator(model, contestant.steps, sampled=contestant.sampled).bound) + mixing


def _mixed(study: Study, model: CTMDP, semantics: Semantics) -> Enclosure:
    """The optimal value of ``model``, averaged over the initial states of ``study``."""
    values = _values(model, semantics, tuple(x for x, _ in study.initial))
    lower = sum((p * v.lower for (_, p), v in zip(study.initial, values, strict=True)), Fraction(0))
    upper = sum((p * v.upper for (_, p), v in zip(study.initial, values, strict=True)), Fraction(0))
    return Enclosure(lower, upper)


@lru_cache(maxsize=16)
def _values(model: CTMDP, semantics: Semantics, states: tuple[str, ...]) -> tuple[Enclosure, ...]:
    """Certified optimal values of ``states`` at H."""
    if len(model.transitions) <= _SMALL:
        solution = solve(model, semantics, digits=_DIGITS)
        return tuple(solution.value(x) for x in states)
    proof = certify(solve_numeric(model, semantics, tolerance=100 * smallest_tolerance(model)))
    return tuple(proof.value(x) for x in states)


def _ends(band: tuple[tuple[float, float], ...] | None) -> dict[str, list[float]] | None:
    if band is None:
        return None
    return {"lower": [_short(a) for a, _ in band], "upper": [_short(b) for _, b in band]}


def _short(number: float) -> float:
    return float(f"{number:.{_SHOWN}g}")
