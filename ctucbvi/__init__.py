"""Finite-horizon continuous-time Markov decision processes, solved with guaranteed digits.

>>> import ctucbvi
>>> model = ctucbvi.bundled_model("machine-repair")
>>> solution = ctucbvi.solve(model, digits=20)
>>> solution.value("operating").decimals(20)[0]
'0.64105556983992198683'
>>> [switch.after for switch in solution.switches]
[('fast',), ('slow',)]

Hypothesis strategies for models are in :mod:`ctucbvi.strategies`, the independent mpmath
solver in :mod:`ctucbvi.second_opinion`, the fast planner in :mod:`ctucbvi.numeric` (which takes a
moment to import, because it is compiled).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctucbvi.enclosure import Enclosure
    from ctucbvi.errors import InputError, ModelError, PolicyError, UndecidedError
    from ctucbvi.exact import (
        Budget,
        ExpPoly,
        PolicyValue,
        Solution,
        ValueIteration,
        algorithm2,
        evaluate,
        solve,
    )
    from ctucbvi.library import bundled_model, bundled_models, find_model
    from ctucbvi.model import CTMDP, Objective, Semantics, Transition, discounted, reaching
    from ctucbvi.modelfile import dump_model, load_model, parse_model, save_model
    from ctucbvi.policy import Policy
    from ctucbvi.solutions import Doubt, Segment, Switch

# Loaded when asked for: the command line must not pay for the planner to answer --help.
_HOMES = {
    "enclosure": "Enclosure",
    "errors": "InputError ModelError PolicyError UndecidedError",
    "exact": "Budget ExpPoly PolicyValue Solution ValueIteration algorithm2 evaluate solve",
    "library": "bundled_model bundled_models find_model",
    "model": "CTMDP Objective Semantics Transition discounted reaching",
    "modelfile": "dump_model load_model parse_model save_model",
    "policy": "Policy",
    "solutions": "Doubt Segment Switch",
}

__all__ = [
    "CTMDP",
    "Budget",
    "Doubt",
    "Enclosure",
    "ExpPoly",
    "InputError",
    "ModelError",
    "Objective",
    "Policy",
    "PolicyError",
    "PolicyValue",
    "Segment",
    "Semantics",
    "Solution",
    "Switch",
    "Transition",
    "UndecidedError",
    "ValueIteration",
    "algorithm2",
    "bundled_model",
    "bundled_models",
    "discounted",
    "dump_model",
    "evaluate",
    "find_model",
    "load_model",
    "parse_model",
    "reaching",
    "save_model",
    "solve",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("ctucbvi")
    for home, names in _HOMES.items():
        if name == home or name in names.split():
            module = import_module(f"ctucbvi.{home}")
            return module if name == home else getattr(module, name)
    raise AttributeError(f"module 'ctucbvi' has no attribute {name!r}")
