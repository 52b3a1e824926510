"""Models of PRISM and JANI, built by Storm, which writes its explicit format; that is read as any other.

Storm builds the model in exact rationals, so that ``1/3`` in the file is a third.  It runs in a process
of its own. What it builds must have the shape of :mod:`ctucbvi.modelfile.drn`: a chain in continuous
time, or a Markov automaton that chooses, waits and jumps.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

from ctucbvi.errors import InputError
from ctucbvi.model import CTMDP
from ctucbvi.modelfile import one_line
from ctucbvi.modelfile.drn import parse_drn

# Reads {file, constants, jani} from stdin and writes the explicit format as the last line, in JSON.
_WORKER = """
import json, pathlib, sys, tempfile
import stormpy
task = json.load(sys.stdin)
if task["jani"]:
    program = stormpy.parse_jani_model(task["file"])[0]
else:
    program = stormpy.parse_prism_program(task["file"], prism_compatibility=True)
program, _ = stormpy.instantiate_constants(program, task["constants"])
model = stormpy.build_model[stormpy.Rational](program, options=stormpy.BuilderOptions(build_full=True))
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "model.drn"
    stormpy.io.export_to_drn(model, str(file))
    print(json.dumps(file.read_text()))
"""


def load_prism(
    path: str | PathLike[str], *, constants: str = "", seconds: float = 600.0, **options: Any
) -> CTMDP:
    """Read a PRISM or JANI file with Storm; ``constants`` as in ``"N=3,p=1/10"``, options of ``load_drn``."""
    where, file = one_line(str(path)), Path(path)
    if not file.is_file():
        raise InputError(f"{where}: no such file; check the path")
    if find_spec("stormpy") is None:
        raise InputError(f"{where}: stormpy is not installed, and reads it; pip install 'ctucbvi[peers]'")
    task = {"file": str(file), "constants": constants, "jani": file.suffix.lower() == ".jani"}
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
        raise InputError(f"{where}: Storm does not build it: {_reason(run.stdout + run.stderr)}")
    text = json.loads(run.stdout.splitlines()[-1])
    return parse_drn(text, where=f"{where} (as Storm builds it)", **{"name": file.stem, **options})


def _reason(printed: str) -> str:
    """The line of what was printed that says most."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    told = [line for line in lines if "ERROR" in line or "Error" in line or "Exception" in line]
    return one_line((told or lines or ["no message"])[-1])[:300]
