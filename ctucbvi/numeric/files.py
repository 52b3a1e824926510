"""Certificates as files: a numeric solution as JSON that anybody can check against a model.

The document holds the piecewise polynomials, not the proof: checking *is* computing the bound
again, from the polynomials and the model alone.  Doubles are written as the shortest decimals
that read back as the same doubles.

=============  ================================================================================
key            meaning
=============  ================================================================================
format         ``"ctucbvi-certificate-1"``
semantics      ``"committed"`` or ``"adjustable"``
truncate       whether values are capped at the remaining time
times          from 0 to the horizon, increasing: the ends of the pieces
values         ``values[k][j][x]``: coefficient j of V in state x on piece k, in u = 0..1
scores         committed: ``scores[k][j][i]``, likewise q of pair i (state by state)
best           ``best[k][x]``: the pair hinted to be best
capped         ``capped[k][x]``: 1 where V = t is hinted, else 0
bound          the bound that is claimed (optional)
=============  ================================================================================
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ctucbvi.errors import InputError
from ctucbvi.model import CTMDP, Semantics
from ctucbvi.numeric.certificate import Certificate
from ctucbvi.numeric.planner import NumericSolution

FORMAT = "ctucbvi-certificate-1"


def save_certificate(certificate: Certificate, path: str) -> None:
    """Write ``certificate`` to ``path``."""
    s = certificate.solution
    document = {
        "format": FORMAT,
        "model": s.model.name,
        "semantics": str(s.semantics),
        "truncate": s.truncate,
        "bound": certificate.bound,
        "times": s.times.tolist(),
        "values": s.coefficients.tolist(),
        "scores": s.scores.tolist() if s.semantics is Semantics.COMMITTED else [],
        "best": s.best.tolist(),
        "capped": s.capped.tolist(),
    }
    try:
        Path(path).write_text(json.dumps(document), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def load_certificate(path: str, model: CTMDP) -> tuple[NumericSolution, float | None]:
    """The solution in ``path``, to be checked against ``model``, and the bound it claims."""
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path}: is not JSON; write one with ctucbvi plan --certificate") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"{path}: is not a certificate; its key 'format' must be {FORMAT!r}")
    semantics = Semantics(str(document.get("semantics")))
    truncate = document.get("truncate", False)
    if not isinstance(truncate, bool):
        raise InputError(f"{path}: truncate: {truncate!r} is neither true nor false")
    times = _array(document, "times", path, (None,))
    pieces, states, pairs = len(times) - 1, len(model.states), len(model.transitions)
    values = _array(document, "values", path, (pieces, None, states))
    shape = values.shape[:2]
    committed = semantics is Semantics.COMMITTED
    scores = _array(document, "scores", path, (*shape, pairs)) if committed else np.zeros((*shape, pairs))
    best = _array(document, "best", path, (pieces, states)).astype(np.int64)
    capped = _array(document, "capped", path, (pieces, states)).astype(np.int64)
    claimed = document.get("bound")
    if claimed is not None and not (isinstance(claimed, int | float) and claimed >= 0):
        raise InputError(f"{path}: bound: {claimed!r} is not a number of at least 0")
    solution = NumericSolution(model, semantics, truncate, 0.0, times, values, scores, best, capped)
    return solution, claimed


def _array(document: dict[str, Any], key: str, path: str, shape: tuple[int | None, ...]) -> Any:
    """The numbers under ``key``, in the shape that the model asks for (None: any length above 0)."""
    if key not in document:
        raise InputError(f"{path}: {key!r} is missing")
    try:
        numbers = np.array(document[key], dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{path}: {key!r} is not an array of numbers") from None
    fits = numbers.ndim == len(shape) and all(
        n > 0 and wanted in (None, n) for n, wanted in zip(numbers.shape, shape, strict=True)
    )
    if not fits:
        wanted = tuple("any" if n is None else n for n in shape)
        raise InputError(f"{path}: {key!r} has shape {numbers.shape}, but the model asks for {wanted}")
    if not np.isfinite(numbers).all():
        raise InputError(f"{path}: {key!r} has an entry that is not a finite number")
    return numbers
