"""Certificates as files: a numeric solution as JSON that anybody can check against a model.

The document holds the piecewise polynomials, not the proof: checking *is* computing the bound
again, from the polynomials and the model alone.  Doubles are written as the shortest decimals
that read back as the same doubles.

=============  ================================================================================
key            meaning
=============  ================================================================================
format         ``"ctucbvi-certificate-1"``
semantics      ``"committed"`` or ``"adjustable"``: the problem that is said to be solved
truncate       whether values are capped at the remaining time: likewise
objective      ``"max"`` or ``"min"``: likewise; it must be that of the model (missing: ``"max"``)
times          from 0 to the horizon, increasing: the ends of the pieces
values         ``values[k][j][x]``: coefficient j of V in state x on piece k, in u = 0..1
scores         committed: ``scores[k][j][i]``, likewise q of pair i (state by state)
best           ``best[k][x]``: the pair hinted to be best
capped         ``capped[k][x]``: 1 where V = t is hinted, else 0
kinks          ``kinks[k]``: the switches inside piece k, in increasing u, each as ``[u, pair, bends]``: the
               pair hinted to be best from there on, and ``[i, c_2, c_3, ...]`` for each pair i that is bent:
               what is added to its q is ``c_m`` times the m-th power of the distance from here (optional;
               committed, not truncated)
bound          the bound that is claimed (optional)
=============  ================================================================================

A file may come from anybody.  Each key is checked on reading (its type, its shape, its range), a key that is
given twice is refused, and what the file says about itself is never believed: semantics and truncation name
the problem for which the bound is computed (the objective is the model's, and a file that names another is
refused), hints can only make that bound larger, and the bound that is
claimed is compared with the one that is proved.
"""

from __future__ import annotations

import json
from itertools import chain
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from ctucbvi.disk import replace_file
from ctucbvi.errors import InputError
from ctucbvi.model import CTMDP, Objective, Semantics
from ctucbvi.numeric.arrays import Floats
from ctucbvi.numeric.certificate import Certificate
from ctucbvi.numeric.kinks import POWERS, Kinks
from ctucbvi.numeric.polynomials import MOST_ORDERS
from ctucbvi.numeric.solution import NumericSolution

FORMAT = "ctucbvi-certificate-1"
_LONGEST_NAME = 100  # characters that are told


def save_certificate(certificate: Certificate, path: str) -> None:
    """Write ``certificate`` to ``path``."""
    s = certificate.solution
    if not isinstance(s, NumericSolution):
        raise InputError(f"{path}: a file has all pieces, and not all were kept; solve without at=")
    document = {
        "format": FORMAT,
        "model": s.model.name,
        "semantics": str(s.semantics),
        "truncate": s.truncate,
        "objective": str(s.model.objective),
        "bound": certificate.bound if certificate.bound < inf else None,
        "times": s.times.tolist(),
        "values": _turned(s.coefficients, s.model).tolist(),
        "scores": _turned(s.scores, s.model).tolist() if s.semantics is Semantics.COMMITTED else [],
        "best": s.best.tolist(),
        "capped": s.capped.tolist(),
    }
    if s.kinks is not None:
        document["kinks"] = kinks_as_lists(s)
    try:
        replace_file(Path(path), json.dumps(document, allow_nan=False).encode())
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def load_certificate(path: str, model: CTMDP) -> tuple[NumericSolution, float | None]:
    """The solution in ``path``, to be checked against ``model``, and the bound it claims."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise InputError(f"{path}: is not JSON; write one with ctucbvi plan --certificate") from None
    try:
        return read_certificate(text, model)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def read_certificate(text: str, model: CTMDP) -> tuple[NumericSolution, float | None]:
    """The same from the text of a file."""
    try:
        document = json.loads(text, object_pairs_hook=_once)
    except InputError:
        raise
    except (ValueError, RecursionError):
        raise InputError("is not JSON; write one with ctucbvi plan --certificate") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"is not a certificate; its key 'format' must be {FORMAT!r}")
    named, truncate = _given(document, "semantics"), _given(document, "truncate")
    semantics = Semantics(named if isinstance(named, str) and len(named) < 40 else _short(named))
    if not isinstance(truncate, bool):
        raise InputError(f"truncate: {_short(truncate)} is neither true nor false")
    objective = document.get("objective", str(Objective.MAX))
    if not isinstance(objective, str) or objective != model.objective:
        raise InputError(
            f"objective: {_short(objective)}, but model {model.name!r} asks for {str(model.objective)!r}; "
            "a certificate is for one of them"
        )
    model.plain(truncate=truncate, semantics=semantics)  # refuses what has no value
    times = _array(document, "times", (None,), float)
    pieces, states, pairs = len(times) - 1, len(model.states), len(model.transitions)
    values = _turned(_array(document, "values", (pieces, None, None), float), model)
    _same_size(values, states, "states", model)
    orders = values.shape[1]
    if orders > MOST_ORDERS:
        raise InputError(f"'values' has pieces of {orders} coefficients; at most {MOST_ORDERS} are allowed")
    if semantics is Semantics.COMMITTED:
        scores = _turned(_array(document, "scores", (pieces, orders, None), float), model)
        _same_size(scores, pairs, "pairs of state and action", model)
    else:
        if document.get("scores"):
            raise InputError("'scores' belong to the committed problem; leave them empty")
        scores = np.broadcast_to(0.0, (pieces, orders, pairs))
    best = _array(document, "best", (pieces, states), int)
    capped = _array(document, "capped", (pieces, states), int)
    if not (np.isin(capped, (0, 1)).all() and (truncate or not capped.any())):
        raise InputError("'capped' has an entry that is not 0, or 1 where values are truncated")
    kinks = _kinks(document["kinks"], pieces, model) if "kinks" in document else None
    if kinks is not None and (truncate or semantics is not Semantics.COMMITTED):
        raise InputError("'kinks' belong to the committed problem without truncation")
    solution = NumericSolution(
        model, semantics, truncate, 0.0, times, values, scores, best, capped, kinks=kinks
    )
    return solution, _claim(document.get("bound"))


def kinks_as_lists(solution: NumericSolution) -> list[list[list[Any]]]:
    """The kinks of a solution that has some, as a file has them."""
    assert solution.kinks is not None
    row, place, pair, bent_row, bent, bend = solution.kinks
    bends = [[i, *c] for i, c in zip(bent.tolist(), _turned(bend, solution.model).tolist(), strict=True)]
    found = [
        [u, i, bends[bent_row[k] : bent_row[k + 1]]]
        for k, (u, i) in enumerate(zip(place.tolist(), pair.tolist(), strict=True))
    ]
    return [found[row[k] : row[k + 1]] for k in range(len(row) - 1)]


def _kinks(lists: Any, pieces: int, model: CTMDP) -> Kinks:
    """The kinks that a file has; what is wrong with their numbers is found when they are used."""
    try:
        kinks = [(u, i, bends) for piece in lists for u, i, bends in piece]
        parts = [lists, *lists, *(row for piece in lists for row in piece), *(more for *_, more in kinks)]
        if any(type(part) is not list for part in (*parts, *(bend for *_, more in kinks for bend in more))):
            raise TypeError("not a list")
        bends = [bend for *_, more in kinks for bend in more]
        counts = [len(piece) for piece in lists]
        widths = {len(bend) for bend in bends} or {POWERS + 1}
    except (TypeError, ValueError):
        raise InputError("'kinks' are not lists of [u, pair, bends]") from None
    whole = [i for _, i, _ in kinks] + [bend[0] for bend in bends if bend]
    real = [u for u, _, _ in kinks] + [c for bend in bends for c in bend[1:]]
    if len(counts) != pieces or len(widths) != 1 or min(widths) < 2 or max(widths) > MOST_ORDERS:
        raise InputError("'kinks' has not one list for each piece, or bends of different lengths")
    if {type(i) for i in whole} - {int} or {type(c) for c in real} - {int, float}:
        raise InputError("'kinks' has an entry that is not a number where there must be one")
    if any(abs(i) > len(model.transitions) for i in whole) or not all(-inf < c < inf for c in real):
        raise InputError("'kinks' has a pair that the model does not have, or a number that is not finite")
    try:
        return Kinks(
            np.cumsum([0, *counts]),
            np.array([u for u, _, _ in kinks], float),
            np.array([i for _, i, _ in kinks], np.int64),
            np.cumsum([0, *(len(more) for *_, more in kinks)]),
            np.array([bend[0] for bend in bends], np.int64),
            _turned(
                np.array([bend[1:] for bend in bends], float).reshape(len(bends), min(widths) - 1), model
            ),
        )
    except OverflowError:
        raise InputError("'kinks' has a number that is too large") from None


def _turned(polynomials: Floats, model: CTMDP) -> Floats:
    """Of the model, from those of its plain form that a solution has; and back.  Signs only: no rounding."""
    return polynomials if model.objective is Objective.MAX else -polynomials


def said_model(path: str) -> str | None:
    """The name of the model that the file says it is about, if it says so: to be told, not to be believed."""
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        name = document["model"]
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return None
    return name if isinstance(name, str) and len(name) < _LONGEST_NAME else None


def _same_size(numbers: Any, size: int, what: str, model: CTMDP) -> None:
    if numbers.shape[2] != size:
        found = f"is about a model of {numbers.shape[2]} {what}"
        raise InputError(f"{found}, and {model.name!r} has {size}; name the model that it was made for")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object without repetition: of two values for a key a reader may see the other one."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InputError("a key is given twice; keep one")
    return found


def _given(document: dict[str, Any], key: str) -> Any:
    if key not in document:
        raise InputError(f"{key!r} is missing")
    return document[key]


def _short(entry: Any) -> str:
    text = repr(entry)
    return text if len(text) <= 40 else text[:37] + "..."


def _claim(bound: Any) -> float | None:
    """The bound that is claimed, if any."""
    if bound is None:
        return None
    if type(bound) not in (int, float) or not 0 <= bound < 1e308:
        raise InputError(f"bound: {_short(bound)} is not a number of at least 0")
    return float(bound)


def _array(
    document: dict[str, Any], key: str, shape: tuple[int | None, ...], kind: type[int] | type[float]
) -> Any:
    """The numbers under ``key``, in the shape that the model asks for (None: any length above 0)."""
    flat = nested = _given(document, key)
    try:
        for _ in shape[1:]:
            flat = chain.from_iterable(flat)
        types = set(map(type, flat))
        numbers = np.array(nested, dtype=np.float64 if kind is float else np.int64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{key!r} is not an array of numbers, {len(shape)} deep") from None
    if not types <= {int, kind}:
        raise InputError(f"{key!r} has an entry that is not {'a' if kind is float else 'a whole'} number")
    fits = numbers.ndim == len(shape) and all(
        n > 0 and wanted in (None, n) for n, wanted in zip(numbers.shape, shape, strict=True)
    )
    if not fits:
        wanted = tuple("any" if n is None else n for n in shape)
        raise InputError(f"{key!r} has shape {numbers.shape}, but the model asks for {wanted}")
    if not np.isfinite(numbers).all():
        raise InputError(f"{key!r} has an entry that is not a finite number")
    return numbers
