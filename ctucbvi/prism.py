r"""Models of PRISM and JANI, built by Storm, which writes its explicit format; that is read as any other.

Storm builds the model in exact rationals, so that ``1/3`` in the file is a third.  It runs in a process
of its own. What it builds must have the shape of :mod:`ctucbvi.modelfile.drn`: a chain in continuous
time, or a Markov automaton that chooses, waits and jumps.

A property asks for a probability :math:`P(\phi\,U^{\le t}\,\psi)`: the goal is :math:`\psi`, what is to be
avoided on the way is where :math:`\phi` does not hold, the horizon is :math:`t`.  Storm says where both
hold, states that cannot be reached before the goal are not built.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

from ctucbvi.errors import InputError, ModelError
from ctucbvi.model import CTMDP
from ctucbvi.modelfile import one_line
from ctucbvi.modelfile.drn import parse_drn

_LABELS = {"goal": "asked-goal", "avoid": "asked-avoid"}  # what a property asks, as labels of states

# Reads {file, constants, jani, property, labels} from stdin and writes, as the last line and in JSON, the
# explicit format, and what the property asks; or why it is none that can be asked here.
_WORKER = """
import json, pathlib, re, sys, tempfile
import stormpy
task = json.load(sys.stdin)
properties, asked = [], {}
if task["jani"]:
    program, properties = stormpy.parse_jani_model(task["file"])
else:
    program = stormpy.parse_prism_program(task["file"], prism_compatibility=True)
if task["property"] is None:
    program, _ = stormpy.instantiate_constants(program, task["constants"])
    model = stormpy.build_model[stormpy.Rational](program, options=stormpy.BuilderOptions(build_full=True))
else:
    named = [p for p in properties if p.get_name() == task["property"]]
    if not named and re.fullmatch(r"[\\w.-]+", task["property"]):
        names = ", ".join(p.get_name() for p in properties) or "there is none"
        sys.exit(f"refused: no property {task['property']!r} in the file; choose from: {names}")
    named = named or stormpy.parse_properties(task["property"], program)
    if len(named) != 1:
        sys.exit(f"refused: {len(named)} properties at once, and one is asked; write one")
    program, (named,) = stormpy.instantiate_constants(program, task["constants"], named)
    formula = named.get_raw_formula()
    until = formula.subformula if formula.is_probability_operator_formula else None
    if (until is None or formula.has_bound or not until.is_bounded_until_formula or until.is_multi_dimensional
            or until.has_lower_bound or not re.search(r" U<=? ?[^=<]", str(until))):
        sys.exit(f"refused: not a probability within a time, as P...=? [... U<=t ...]: {formula}")
    asked["horizon"] = str(until.upper_bound_expression.evaluate_as_rational())
    if formula.has_optimality_type:
        asked["objective"] = "max" if "MAX" in str(formula.optimality_type) else "min"
    model = stormpy.build_model[stormpy.Rational](program, options=stormpy.BuilderOptions(named))
    sides = [("goal", until.right_subformula), ("along", until.left_subformula)]
    found = {}
    for name, side in sides:  # the first question removes what cannot happen from the model
        question = stormpy.developer.Property(name, side, set())
        found[name] = stormpy.model_checking(model, question).get_truth_values_vector()
        assert len(found[name]) == model.nr_states
    found["avoid"] = ~found.pop("along")
    for name, states in found.items():
        if states.get_number_of_set_bits():
            asked[name] = task["labels"][name]
            model.labeling.add_label(asked[name])
            model.labeling.set_states(asked[name], states)
    if "goal" not in asked:
        sys.exit(f"refused: no state that can be reached is a goal of {formula}: it is 0; ask for another")
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "model.drn"
    stormpy.io.export_to_drn(model, str(file))
    print(json.dumps([file.read_text(), asked]))
"""
_ANSWERED = ("horizon", "objective", "goal", "avoid", "reward")  # by a property


def load_prism(
    path: str | PathLike[str],
    *,
    constants: str = "",
    property: str | None = None,  # noqa: A002  (what JANI and PRISM call it)
    seconds: float = 600.0,
    **options: Any,
) -> CTMDP:
    """Read a PRISM or JANI file with Storm; ``constants`` as in ``"N=3,p=1/10"``, options of ``load_drn``.

    ``property`` is the name of one in the JANI file, or a formula in Storm's language, that asks for the
    probability to reach something within a time: it says horizon, goal and objective then.
    """
    where, file = one_line(str(path)), Path(path)
    if not file.is_file():
        raise InputError(f"{where}: no such file; check the path")
    if property is not None and (told := next((key for key in _ANSWERED if key in options), None)):
        raise InputError(f"{where}: the property says the {told}; leave one of them out")
    if find_spec("stormpy") is None:
        raise InputError(f"{where}: stormpy is not installed, and reads it; pip install 'ctucbvi[peers]'")
    text, asked = built(file, where, constants, property, seconds)
    try:
        return parse_drn(
            text, where=f"{where} (as Storm builds it)", **{"name": file.stem, **options, **asked}
        )
    except ModelError as error:
        if repr(_LABELS["goal"]) not in str(error):  # which nobody but us has written
            raise
        raise InputError(
            f"{where}: no state that can be reached is a goal of {one_line(str(property))}: it is 0; "
            "ask for another"
        ) from None


def built(
    file: Path, where: str, constants: str, wanted: str | None, seconds: float
) -> tuple[str, dict[str, Any]]:
    """Storm's explicit format, and the options of ``parse_drn`` that the property gives."""
    jani = file.suffix.lower() == ".jani"
    task = {"file": str(file), "constants": constants, "jani": jani, "property": wanted, "labels": _LABELS}
    command = [sys.executable, "-c", _WORKER]
    try:
        run = subprocess.run(
            command, input=json.dumps(task), capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        raise InputError(
            f"{where}: Storm has not built it in {seconds:g} s; choose smaller constants"
        ) from None
    if run.returncode != 0:
        if (last := run.stderr.strip().splitlines()[-1:]) and last[0].startswith("refused: "):
            raise InputError(f"{where}: {one_line(last[0].removeprefix('refused: '))}")
        raise InputError(f"{where}: Storm does not build it: {_reason(run.stdout + run.stderr)}")
    text, asked = json.loads(run.stdout.splitlines()[-1])
    return text, asked


def _reason(printed: str) -> str:
    """The line of what was printed that says most."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    told = [line for line in lines if "ERROR" in line or "Error" in line or "Exception" in line]
    return one_line((told or lines or ["no message"])[-1])[:300]
