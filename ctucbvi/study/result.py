"""The result of a study as one JSON document, the same whoever computed it and however often it stopped."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ctucbvi.enclosure import Enclosure
from ctucbvi.figures import Picture
from ctucbvi.frames import frame
from ctucbvi.learning import NeverLeft, never_left
from ctucbvi.study.bound import RegretBound, regret_bound
from ctucbvi.study.cells import grid_loss
from ctucbvi.study.driver import StudyRuns
from ctucbvi.study.figure import picture_of
from ctucbvi.study.optimum import optimal_value, possible_losses, value_error
from ctucbvi.study.plan import Contestant, Study
from ctucbvi.study.summary import Curve

_SHOWN = 10  # significant digits of the numbers of a curve
FORMAT = "ctucbvi regret study 2"
READ = ("ctucbvi regret study 1", FORMAT)  # earlier ones have the same curves


@dataclass(frozen=True)
class StudyResult:
    """What a study found."""

    study: Study
    optimal: Enclosure  # V* of the initial state at H
    curves: tuple[Curve, ...]
    bound: RegretBound  # of thm:CT-UCB at the checkpoints

    @classmethod
    def of(cls, outcome: StudyRuns, confidence: Fraction = Fraction(95, 100)) -> StudyResult:
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
            "horizon": str(self.study.model.horizon),
            "runs": len(self.curves[0].regrets),
            "optimal": {"value": value, "lower": lower, "upper": upper},
            "confidence": str(self.curves[0].confidence),
            "checkpoints": list(self.study.checkpoints),
            "learners": [self._learner(curve) for curve in self.curves],
            "bound": [None if b is None else short(b) for b in self.bound.values],
            "bound_missing": self.bound.missing or None,
            "never_left": [pair.to_json() for pair in self.never_left],
            "versions": first["versions"],
        }

    def __repr__(self) -> str:
        return f"StudyResult({self.study.model.name!r}: {', '.join(map(repr, self.curves))})"

    def plot(self) -> Picture:
        """Regret and bound over the number of episodes; a notebook shows it, ``.save(file)`` writes it."""
        return picture_of(self.to_json())

    def to_frame(self) -> Any:
        """A pandas table: learner, episodes, mean, standard_error, lower and upper end of the band, bound."""
        document = self.to_json()
        return frame(
            {
                "learner": learner["name"],
                "episodes": k,
                "mean": learner["mean"][i],
                "standard_error": None if learner["standard_error"] is None else learner["standard_error"][i],
                "lower": None if learner["band"] is None else learner["band"]["lower"][i],
                "upper": None if learner["band"] is None else learner["band"]["upper"][i],
                "bound": document["bound"][i],
            }
            for learner in document["learners"]
            for i, k in enumerate(document["checkpoints"])
        )

    @property
    def never_left(self) -> tuple[NeverLeft, ...]:
        """The pairs that keep the paper's bonus for ever, if somebody plays with that."""
        study = self.study
        if all(contestant.name != "ct-ucbvi" for contestant in study.contestants):
            return ()
        settings = study.settings.with_bonus("paper")
        return never_left(study.model, settings, [x for x, _ in study.initial])

    def _grid(self, contestant: Contestant, curve: Curve) -> dict[str, float | None]:
        """What the best policy on the grid loses, at most, and its share of the regret."""
        loss = grid_loss(self.study, contestant)
        if loss is None:
            return {"grid_loss_per_episode": None, "grid_share": None}
        total, regret = loss * curve.checkpoints[-1], curve.mean[-1]
        share = None if regret <= 0 else _above(total / regret)
        return {"grid_loss_per_episode": _above(loss), "grid_share": share}

    def _learner(self, curve: Curve) -> dict[str, Any]:
        contestant = self.study.contestant(curve.name)
        return {
            "name": curve.name,
            "steps": contestant.steps,
            "sampled": contestant.sampled,
            **dict(contestant.options),
            **self._grid(contestant, curve),
            "error_per_episode": short(float(curve.error)),
            "mean": [short(float(m)) for m in curve.mean],
            "standard_error": None
            if curve.standard_error is None
            else list(map(short, curve.standard_error)),
            "band": _ends(curve.band),
            "guaranteed": _ends(curve.guaranteed),
            "final": [short(float(run[-1])) for run in curve.regrets],
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


def _ends(band: tuple[tuple[float, float], ...] | None) -> dict[str, list[float]] | None:
    if band is None:
        return None
    return {"lower": [short(a) for a, _ in band], "upper": [short(b) for _, b in band]}


def _above(number: Fraction) -> float:
    """A short number that is not below ``number``."""
    return short(float(number) * (1 + 10.0**-_SHOWN * 10))


def short(number: float) -> float:
    """The number as documents show it."""
    return float(f"{number:.{_SHOWN}g}")
