"""A run: choose claims, take from the cache what is known, check the rest."""

from __future__ import annotations

import contextlib
import difflib
import fnmatch
import functools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from verify.claims import Claim, ClaimError, ClaimSet, Effort, Verdict
from verify.running.accepted import accepted, claiming, known
from verify.running.cache import Cache, cache_folder
from verify.running.cluster import in_cluster
from verify.running.engine import effort_for, too_few
from verify.running.fingerprints import Fingerprints
from verify.running.loading import load_claims
from verify.running.parallel import Job, Task, Underway, cores, in_processes, in_this_process
from verify.running.results import Result
from verify.running.written import document
from verify.source import Source
from verify.tables import frame

Progress = Callable[
    [int, int, Sequence[Underway]], None
]  # so many claims of so many are done, these under way


_FEW = 3  # names in a message


def _more(names: Sequence[str]) -> str:
    return f" and {len(names) - _FEW} more" if len(names) > _FEW else ""


@dataclass(frozen=True)
class Run:
    """Claims and what was found out about those that were selected."""

    claims: ClaimSet
    effort: Effort
    results: Mapping[str, Result]  # in the order in which the claims are written
    known: int  # how many of them were in the cache
    tally: str = ""  # how many are proved by what, as the fresh process says
    accepted: int = 0  # how many of these it had accepted before

    def __repr__(self) -> str:
        counts = Counter(str(result.verdict) for result in self.results.values())
        found = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
        return f"Run({len(self.results)} claims, {self.effort.profile}: {found})"

    def to_frame(self) -> Any:
        """A pandas table: label, kind, verdict, expected, check, seconds."""
        return frame(
            {
                "label": label,
                "kind": str(self.claims[label].kind),
                "verdict": str(result.verdict),
                "expected": str(self.claims[label].expects(self.effort.profile) or ""),
                "check": result.evidence.get("check"),
                "seconds": result.seconds,
            }
            for label, result in self.results.items()
        )


def matching(source: Source, claims: ClaimSet, wanted: Iterable[str]) -> list[str]:
    """The claims that are named by labels and patterns (``lem:*``), in the order they are written."""
    chosen: set[str] = set()
    labels = [claim.label for claim in claims]
    for text in wanted:
        found = [text] if text in claims else fnmatch.filter(labels, text)
        if not found:
            near = difflib.get_close_matches(
                text, [*labels, *(() if source.file else source.offers)], n=3, cutoff=0.4
            )
            file = f" --claims {source.file}" if source.file else ""
            hint = f"did you mean {', '.join(near)}?" if near else f"see {source.command} claims{file}"
            raise ClaimError(f"no {'mutant of' if source.mutants else 'claim'} {text!r}; {hint}")
        chosen.update(found)
    return [label for label in labels if label in chosen]


def select(source: Source, claims: ClaimSet, wanted: Iterable[str]) -> list[str]:
    """The claims that are named, with all that they rest on; all claims if none is named."""
    chosen = matching(source, claims, wanted)
    needed = set(claims.closure(chosen)) if chosen else {claim.label for claim in claims}
    return [claim.label for claim in claims if claim.label in needed]


def run_claims(
    source: Source,
    wanted: Iterable[str] = (),
    *,
    profile: str = "quick",
    seed: int = 0,
    workers: int | None = None,
    cluster: str | None = None,
    fresh: bool = False,
    recheck: bool = False,
    cache: Cache | None = None,
    progress: Progress | None = None,
    checking: Callable[[int, int], None] | None = None,
    warn: Callable[[str], None] | None = None,
) -> Run:
    """Check the selected claims; ``workers=0`` does it in this process, ``None`` on all cores.

    With the address of a dask scheduler, ``cluster``, its workers do it.  What they say is proved, or
    refuted at a point, a fresh process has to accept (:mod:`verify.running.accepted`), or have accepted
    before, unless ``fresh`` or ``recheck`` ask it again; ``checking`` hears how far it is.
    """
    prints = Fingerprints(source)
    if source.file:
        prints.sources("")  # before it is run: what is edited in the meantime is not taken for what has run
    claims = load_claims(source)
    labels = select(source, claims, wanted)
    effort = effort_for(claims, profile, seed)
    if source.examples is not None and (few := too_few((claims[label] for label in labels), effort)):
        label, least = few
        raise ClaimError(
            f"--examples {source.examples}: too few trials to decide {label}; write at least {least}"
        )
    cache = Cache(cache_folder(source.name)) if cache is None else cache
    if (fault := cache.fault()) and warn is not None:
        warn(fault)
    prints.read(claims[label] for label in labels)

    @functools.cache
    def task(label: str) -> Task:
        return Task(label, prints.key(claims[label], effort), prints.ground(claims[label]))

    kept = {} if fresh else {x: r for x in labels if (r := cache.get(task(x).key)) is not None}
    if recheck:  # what code has proved only code can prove again
        kept = {x: r for x, r in kept.items() if not (r.verdict is Verdict.PROVED and _by_code(claims[x]))}
    found = dict(kept)
    rest = [label for label in labels if label not in found]
    job = Job(source, effort, None if fault else cache, _places(source, claims, rest))

    def watch(current: Sequence[Underway]) -> None:
        if progress is not None:
            progress(len(found), len(labels), current)

    many = min(cores() if workers is None else workers, len(rest))
    if cluster is not None and rest:
        stream = in_cluster(job, [*map(task, rest)], claims, cluster, watch)
    elif many:
        stream = in_processes(job, map(task, rest), many, watch)
    else:
        stream = in_this_process(job, [*map(task, rest)], claims, watch)
    with contextlib.closing(stream):  # an interrupted run ends its workers
        for result in stream:
            found[result.label] = result
    if warn is not None:
        for label in rest:
            if read := found[label].read:
                told = f"{', '.join(read[:_FEW])}{_more(read)}"
                warn(f"{label}: is not kept: the checks have read {told}, which is in no key")
    run = Run(claims, effort, {label: found[label] for label in labels}, len(kept))
    said = accepted(
        document(run),
        run.results,
        folder=None if fault else cache.home,
        kept=not (fresh or recheck),
        workers=cores() if workers is None else workers,
        tell=checking or (lambda _done, _total: None),
    )
    return replace(run, results=said.results, tally=said.tally, accepted=said.kept)


def _places(source: Source, claims: ClaimSet, labels: Iterable[str]) -> dict[str, str] | None:
    """The modules of the claims to be checked, and of those that they name, directly or not."""
    if source.file or source.suites:
        return None
    found: dict[str, str] = {}
    waiting = list(labels)
    while waiting:
        label = waiting.pop()
        if label not in found:
            found[label] = claims[label].module
            repair = claims[label].finding
            waiting += [*claims[label].uses, *([repair.repair] if repair and repair.repair else [])]
    return found


def _by_code(claim: Claim) -> bool:
    return claim.says is None and not claim.theorem


def known_results(
    source: Source, claims: ClaimSet, labels: Iterable[str] | None = None, *, profile: str, seed: int
) -> dict[str, Result]:
    """What earlier runs have established about the labels (all by default), without checking anything.

    A claim that is said to be proved or refuted is known if that was accepted, with all that it rests on.
    """
    effort, fingerprints = effort_for(claims, profile, seed), Fingerprints(source)
    cache = Cache(cache_folder(source.name))

    @functools.cache
    def kept(label: str) -> Result | None:
        return cache.get(fingerprints.key(claims[label], effort))

    wanted = [claim.label for claim in claims] if labels is None else list(labels)
    below = claims.closure([label for label in wanted if kept(label) is not None])
    found: dict[str, Result] = {}
    for label in below:  # a claim that rests on one that is not known has no row
        if (result := kept(label)) is not None and all(used in found for used in claims[label].uses):
            found[label] = result
    data = document(Run(claims, effort, found, len(found)))
    asked = {row["label"]: row for row in data["claims"] if claiming(row)}
    shown = known({row["label"]: row for row in data["claims"]}, data["settings"], list(asked), cache.home)
    return {label: result for label, result in found.items() if label in shown or label not in asked}
