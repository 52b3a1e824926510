"""A run as a folder for Coq: one file per proved inequality, the library, and a ``_CoqProject``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from verify.coq.export import File, Stated, identifier, monotone_theorem, theorem
from verify.coq.text import NotExportedError
from verify.recheck.intervals import UnknownError

LIBRARIES = ("Boxes", "Rules")  # in the order in which they are compiled
INDEX = "index.json"


def write_folder(claims: Iterable[Mapping[str, Any]], folder: Path) -> dict[str, Any]:
    """Write the proved ones of the claims; the index says what is in which file, and what is not and why.

    A file that would be the same is left as it is, so that what was compiled need not be compiled again;
    one of an earlier run, of a claim that is not there any more, is removed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written: dict[str, str] = {}
    left: dict[str, str] = {}
    partly: dict[str, list[str]] = {}
    for claim in claims:
        if not is_proved_inequality(claim):
            continue
        label = str(claim["label"])
        try:
            name = _free(identifier(label), written.values())
            file = file_of(claim, name)
            _put(folder / f"{name}.v", file.text)
            written[label] = name
            if file.only_where:
                partly[label] = list(file.only_where)
        except NotExportedError as error:
            left[label] = str(error)
        except (UnknownError, RecursionError) as error:
            left[label] = f"cannot be read: {error}"
    for name in LIBRARIES:
        _put(folder / f"{name}.v", library(name))
    index = {"written": written, "only where": partly, "not exported": left}
    for old in _named_before(folder) - set(written.values()):
        for path in folder.glob(f"{old}.v*"):
            path.unlink()
    names = "\n".join(f"{name}.v" for name in (*LIBRARIES, *written.values()))
    _put(folder / "_CoqProject", f"-R . Verify\n-arg -w -arg none\n{names}\n")
    _put(folder / INDEX, json.dumps(index, indent=1) + "\n")
    return index


def library(name: str) -> str:
    """The rules, once for all theorems."""
    return files("verify.coq").joinpath(f"{name}.v").read_text(encoding="utf-8")


def is_proved_inequality(claim: Mapping[str, Any]) -> bool:
    """Whether it says an inequality or a monotonicity, and proofs of it are there for the whole domain."""
    evidence = claim.get("evidence") or {}
    formula = claim.get("formula")
    proofs = evidence.get("certificate") is not None or bool(evidence.get("certificates"))
    proved = "proved" in (claim.get("verdict"), evidence.get("formula"))
    return bool(proved and proofs and formula and ("relation" in formula or "monotone" in formula))


def file_of(claim: Mapping[str, Any], name: str = "") -> File:
    """The file of one claim of a document."""
    formula, area, evidence = claim["formula"], claim["area"], claim["evidence"]
    certificates = evidence.get("certificates") or [evidence["certificate"]]
    proofs = [_proof(one) for one in certificates]
    name = name or identifier(str(claim["label"]))
    conditions, integers, reals = (tuple(area[key]) for key in ("conditions", "integers", "reals"))
    words = " ".join(str(claim.get("statement") or "").split())
    if "relation" in formula:
        return theorem(name, Stated(formula["relation"], conditions, integers, reals), proofs[0][1], words)
    said = Stated(f"0 <= {formula['monotone']}", conditions, integers, reals)
    return monotone_theorem(
        name, said, (formula["monotone"], formula["in"], formula["increasing"]), proofs, words
    )


def _proof(certificate: Any) -> tuple[str, Any]:
    """The relation and the tree of a certificate; a long one is in a file of its own."""
    if isinstance(certificate, Mapping) and "proof" not in certificate:
        raise NotExportedError("the document names the proof by its digest only")
    return str(certificate.get("relation")), certificate["proof"]


def _named_before(folder: Path) -> set[str]:
    try:
        return set(json.loads((folder / INDEX).read_text(encoding="utf-8"))["written"].values())
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return set()


def _free(name: str, taken: Iterable[str]) -> str:
    """A name that no other claim has, whatever the case."""
    known = {one.lower() for one in (*taken, *LIBRARIES)}
    found, number = name, 1
    while found.lower() in known:
        number += 1
        found = f"{name}_{number}"
    return found


def _put(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
