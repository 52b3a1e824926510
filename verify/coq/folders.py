"""A run as a folder for Coq: a file per inequality and per derivation, the libraries, and a project file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from verify.coq.derivations.files import LIBRARY as OF_DERIVATIONS
from verify.coq.derivations.files import DerivationFile, ExportedDerivation, KnownTheorems
from verify.coq.export import File, Stated, identifier, monotone_theorem, theorem
from verify.coq.text import NotExportedError
from verify.recheck.intervals import UnknownError

LIBRARIES = ("Boxes", "Rules", OF_DERIVATIONS)  # in the order in which they are compiled
INDEX = "index.json"


def write_folder(claims: Iterable[Mapping[str, Any]], folder: Path) -> dict[str, Any]:
    """Write the proved ones of the claims; the index says what is in which file, and what is not and why.

    Derivations may rest on inequalities (``needs``), and on claims that are hypotheses there (``rests on``).

    A file that would be the same is left as it is, so that what was compiled need not be compiled again;
    one of an earlier run, of a claim that is not there any more, is removed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written: dict[str, str] = {}
    left: dict[str, str] = {}
    partly: dict[str, list[str]] = {}
    every = list(claims)
    for claim in filter(is_proved_inequality, every):
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
    derived, beyond = _derivations(every, written)
    for one in derived.values():
        _put(folder / f"{one.name}.v", one.text)
    for name in LIBRARIES:
        _put(folder / f"{name}.v", library(name))
    index = {
        "written": written,
        "only where": partly,
        "not exported": left,
        "derivations": {label: one.name for label, one in derived.items()},
        "rests on": {label: list(one.hypotheses) for label, one in derived.items() if one.hypotheses},
        "needs": {one.name: list(one.needs) for one in derived.values() if one.needs},
        "derivations not exported": beyond,
    }
    names = [*LIBRARIES, *written.values(), *(one.name for one in derived.values())]
    for old in _named_before(folder) - set(names):
        for path in folder.glob(f"{old}.v*"):
            path.unlink()
    listed = "\n".join(f"{name}.v" for name in names)
    _put(folder / "_CoqProject", f"-R . Verify\n-arg -w -arg none\n{listed}\n")
    _put(folder / INDEX, json.dumps(index, indent=1) + "\n")
    return index


def _derivations(
    claims: list[Mapping[str, Any]], relations: Mapping[str, str]
) -> tuple[dict[str, ExportedDerivation], dict[str, str]]:
    """The derivations, those they rest on first; and why others are none."""
    every = {str(c["label"]): c for c in claims if is_derived(c)}
    found: dict[str, ExportedDerivation] = {}
    left: dict[str, str] = {}
    begun: set[str] = set()

    def write(label: str) -> None:
        if label not in every or label in begun:
            return
        begun.add(label)
        claim = every[label]
        document = claim["evidence"]["derivation"]
        try:
            for step in document["steps"]:
                if step.get("rule") == "lemma":
                    write(str(step["label"]))
            taken = [*relations.values(), *(one.name for one in found.values())]
            name = _free(identifier(label), taken)
            words = " ".join(str(claim.get("statement") or "").split())
            file = DerivationFile(document, KnownTheorems(relations, found))
            found[label] = file.written(name, str(claim["theorem"]), words)
        except NotExportedError as error:
            left[label] = str(error)
        except (UnknownError, RecursionError, KeyError, TypeError) as error:
            left[label] = f"cannot be read: {error}"

    for label in every:
        write(label)
    return found, left


def library(name: str) -> str:
    """The rules, once for all theorems."""
    return files("verify.coq").joinpath(f"{name}.v").read_text(encoding="utf-8")


def is_derived(claim: Mapping[str, Any]) -> bool:
    """Whether it is proved, and a derivation shows it."""
    derivation = (claim.get("evidence") or {}).get("derivation")
    return bool(claim.get("verdict") == "proved" and claim.get("theorem") and isinstance(derivation, Mapping))


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
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        return {*index["written"].values(), *index.get("derivations", {}).values()}
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
