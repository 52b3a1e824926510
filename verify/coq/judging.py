"""Coq as the judge of a folder: every file is compiled, and what its theorem rests on is looked through.

A file is *accepted* if ``coqc`` takes it within the time limit and its theorem rests on nothing but the
axioms of the real numbers of Coq and the machine numbers that Interval computes with.  Verdicts are kept
beside the files, under a digest of the file, of those it needs, the libraries and the version of Coq: what
has not changed is not compiled again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from verify.coq.folders import INDEX, LIBRARIES
from verify.errors import UserError

KEPT = "verdicts.json"
_KEYS = (
    *("written", "only where", "not exported"),
    *("derivations", "rests on", "needs", "derivations not exported"),
)
INSTALL = "coqc is not installed; install it: apt install coq libcoq-coquelicot libcoq-interval"

# Classical logic and functional extensionality, as the real numbers of Coq's standard library use them.
_REALS = {
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
# Machine integers and floating point, which the kernel of Coq computes with; and what they satisfy.
_MACHINE = re.compile(
    r"(PrimInt63|PrimFloat)\.[a-z0-9_]+|Uint63\.([a-z0-9_]+_spec|of_to_Z|eqb_refl|eqb_correct)"
    r"|FloatAxioms\.([a-z0-9_]+_spec|SF2Prim_Prim2SF|Prim2SF_valid|Prim2SF_SF2Prim)"
)


@dataclass(frozen=True)
class Judgement:
    """What Coq says of one file."""

    name: str
    accepted: bool
    seconds: float
    why: str = ""
    digest: str = ""
    known: bool = False  # from an earlier run


def coqc() -> str:
    """The compiler."""
    found = shutil.which("coqc")
    if found is None:
        raise UserError(INSTALL)
    return found


def foreign_axioms(output: str) -> list[str]:
    """What ``Print Assumptions`` lists and is not on the list; without such a line at all, that."""
    if "Closed under the global context" in output:
        return []
    if "Axioms:" not in output:
        return ["(the assumptions were not printed)"]
    names = [line.split()[0] for line in output.partition("Axioms:")[2].splitlines() if line[:1].strip()]
    return [name for name in names if name not in _REALS and not _MACHINE.fullmatch(name)]


def judge(
    folder: Path, limit: float, workers: int, tell: Callable[[int, int, str], None] = lambda *_: None
) -> list[Judgement]:
    """The verdicts on all files of the folder, in the order of its index."""
    compiler = coqc()
    index = _index(folder)
    names, needs = [*index["written"].values(), *index["derivations"].values()], index["needs"]
    digests = _digests(folder, names, needs, _library(folder, compiler, limit))
    kept = _kept(folder)
    found: dict[str, Judgement] = {}
    for name in names:
        old = kept.get(name)
        if old is not None and old.digest == digests[name] and (folder / f"{name}.vo").exists():
            found[name] = old
    todo = [name for name in names if name not in found]
    while todo:  # what others need comes before them
        now = [name for name in todo if not set(needs.get(name, ())) & set(todo)] or todo
        for verdict in _verdicts(folder, now, digests, compiler, limit, workers):
            found[verdict.name] = verdict
            _keep(folder, found)
            tell(len(found), len(names), verdict.name)
        todo = [name for name in todo if name not in now]
    _keep(folder, found)
    return [found[name] for name in names]


def _verdicts(
    folder: Path, names: list[str], digests: Mapping[str, str], compiler: str, limit: float, workers: int
) -> Iterator[Judgement]:
    """Of files that do not need each other, as they come."""
    with ThreadPoolExecutor(workers) as pool:
        jobs = [pool.submit(_compiled, folder, name, compiler, limit, digests[name]) for name in names]
        try:
            for job in as_completed(jobs):
                yield job.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _index(folder: Path) -> dict[str, dict[str, Any]]:
    try:
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        return {key: dict(index[key]) for key in _KEYS}
    except (OSError, ValueError, KeyError, TypeError):
        raise UserError(f"{folder}: has no {INDEX}; write the folder with verify --coq {folder}") from None


def _run(folder: Path, name: str, compiler: str, limit: float) -> tuple[int, str]:
    """The exit status of the compiler, and what it says; -1 after the time limit."""
    command = [compiler, "-q", "-w", "none", "-R", ".", "Verify", f"{name}.v"]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=limit,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return -1, f"not done after {limit:g} s"
    return done.returncode, done.stdout if done.returncode == 0 else done.stderr


def _library(folder: Path, compiler: str, limit: float) -> str:
    """The digest of the libraries and of Coq, after they were compiled if need be."""
    sources = [folder / f"{name}.v" for name in LIBRARIES]
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
    base = hashlib.sha256(b"".join(s.read_bytes() for s in sources) + version.encode()).hexdigest()
    stamp = folder / "library.digest"
    made = all(s.with_suffix(".vo").exists() for s in sources)
    if not made or not stamp.exists() or stamp.read_text() != base:
        for source in sources:
            status, said = _run(folder, source.stem, compiler, limit)
            if status:
                raise UserError(f"{source}: Coq does not take the library: {_one_line(said)}")
        stamp.write_text(base)
    return base


def _digests(folder: Path, names: list[str], needs: Mapping[str, Any], base: str) -> dict[str, str]:
    """Of each file together with those that it needs, which come before it."""
    found: dict[str, str] = {}
    for name in names:
        others = "".join(found.get(other, "") for other in needs.get(name, ()))
        try:
            text = (folder / f"{name}.v").read_bytes()
        except OSError:
            again = f"write the folder again with verify --coq {folder}"
            raise UserError(f"{folder}: {name}.v, which {INDEX} names, cannot be read; {again}") from None
        found[name] = hashlib.sha256(text + base.encode() + others.encode()).hexdigest()
    return found


def _compiled(folder: Path, name: str, compiler: str, limit: float, digest: str) -> Judgement:
    began = monotonic()
    status, said = _run(folder, name, compiler, limit)
    why = _one_line(said) if status else ""
    if not status and (foreign := foreign_axioms(said)):
        why = f"rests on {', '.join(foreign)}"
    return Judgement(name, not why, round(monotonic() - began, 2), why, digest)


def _one_line(said: str) -> str:
    """The first error of the compiler, with its place."""
    text = " ".join(said.split())
    place = re.search(r"line (\d+)", text)
    error = text.partition("Error:")[2].strip() or text
    return f"line {place[1]}: {error[:200]}" if place else error[:200]


def _kept(folder: Path) -> dict[str, Judgement]:
    """Accepted files of earlier runs; a rejected one is tried again."""
    try:
        data = json.loads((folder / KEPT).read_text(encoding="utf-8"))
        every = [Judgement(**{**one, "known": True}) for one in data]
    except (OSError, ValueError, TypeError):
        return {}
    return {one.name: one for one in every if one.accepted}


def _keep(folder: Path, found: dict[str, Judgement]) -> None:
    part = folder / f"{KEPT}.part"
    part.write_text(json.dumps([asdict(one) for one in found.values()], indent=1) + "\n", encoding="utf-8")
    os.replace(part, folder / KEPT)


def lines(verdicts: list[Judgement], folder: Path) -> Iterator[str]:
    """The verdicts for people: what was rejected, is there in part or not exported, and the counts."""
    index = _index(folder)
    left = index["not exported"]
    slow = sorted(verdicts, key=lambda one: -one.seconds)[:3]
    for one in verdicts:
        if not one.accepted:
            yield f"rejected      {one.name}: {one.why} ({one.seconds:.1f} s)"
    for label, conditions in index["only where"].items():
        yield f"only where    {label}: {', '.join(conditions)}"
    for label, why in left.items():
        yield f"not exported  {label}: {why}"
    for label, claims in index["rests on"].items():
        yield f"rests on      {label}: {', '.join(claims)}, as hypotheses"
    beyond = index["derivations not exported"]
    for why, count in Counter(beyond.values()).most_common():
        yield f"not exported  {count} derivation{'s' if count > 1 else ''}: {why}"
    for what, names, others in (
        ("inequalities", index["written"], left),
        ("derivations", index["derivations"], beyond),
    ):
        judged = [one for one in verdicts if one.name in names.values()]
        accepted = sum(one.accepted for one in judged)
        yield f"{what}: accepted {accepted}, rejected {len(judged) - accepted}, not exported {len(others)}"
    total, known = sum(one.seconds for one in verdicts), sum(one.known for one in verdicts)
    if verdicts:
        longest = ", ".join(f"{one.name} {one.seconds:.1f} s" for one in slow)
        yield f"{total:.0f} s of compiling ({known} known from before); the longest: {longest}"
