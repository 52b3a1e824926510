"""The panel of the bounds: every formula as a tree, its conditions, and models to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ctucbvi import bundled_model
from ctucbvi.bounds import Constant
from ctucbvi.bounds.catalogue import LOWER_EVERY, LOWER_EVERY_SIZE, of_version
from ctucbvi.bounds.trees import tree
from ctucbvi.bounds.versions import LUMP, OPTIMISTIC, POISSON, PRINTED, SHARP
from verify.report import Panel

ASSETS = Path(__file__).parent / "assets"

_SHOWN = (
    (of_version(PRINTED), "as printed", "tone-1", False),
    (of_version(SHARP), "CT-UCBVI, sharpest constants", "tone-2", False),
    (of_version(LUMP), "bonus as a lump sum", "tone-3", False),
    (of_version(OPTIMISTIC), "optimistic learner", "tone-4", False),
    (of_version(POISSON), "optimistic, rates by Poisson tails", "tone-5", False),
    (LOWER_EVERY, "lower bound, full trees", "tone-6", False),
    (LOWER_EVERY_SIZE, "lower bound, every S ≥ 6", "tone-6", True),
)


def bounds_panel() -> Panel:
    """Bounds against K, with sliders."""
    data = {"bounds": [_bound(*one) for one in _SHOWN], "models": [_model("machine-repair"), _TREE, _FAST]}
    return Panel("bounds", "The bounds in numbers", "Bounds", data, asset("bounds.js"), asset("panels.css"))


def _bound(constant: Constant, words: str, tone: str, dashed: bool) -> dict[str, Any]:
    return {
        "name": constant.name,
        "label": constant.label,
        "words": words,
        "tone": tone,
        "dashed": dashed,
        "conditions": [condition.text for condition in constant.conditions],
        "tree": tree(constant),
    }


_TREE = {
    "name": "tree of the lower bound",
    "S": 9,
    "A": 2,
    "H": 3,
    "K": 10**7,
    "lambda_min": 1,
    "lambda_max": 4,
}
_FAST = {"name": "fast rates", "S": 2, "A": 2, "H": 1, "K": 10**7, "lambda_min": 1, "lambda_max": 100}


def _model(name: str) -> dict[str, Any]:
    model = bundled_model(name)
    rates = [row.rate for row in model.transitions]
    sizes = {"S": len(model.states), "A": len(model.actions), "H": float(model.horizon), "K": 10**7}
    return {"name": model.name, **sizes, "lambda_min": float(min(rates)), "lambda_max": float(max(rates))}


def asset(name: str) -> str:
    """A file of the panels."""
    return (ASSETS / name).read_text(encoding="utf-8")
