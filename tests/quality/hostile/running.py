"""The engine on a hostile claim, with an end to its patience.

The provers run without the search for counterexamples (``PROVERS``: a false claim must not be proved
even where nobody met its witness), or as a claim without named checks runs (``None``). What takes longer
than the processor time allowed is given up: a claim that is not decided is not proved.
"""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any, NamedTuple

from tests.quality.hostile.claims import Hostile
from tests.quality.hostile.truth import UndefinedError, inside
from verify import Effort, Proof, Verdict
from verify.claims import ClaimError
from verify.running.engine import run_claim

PROVERS = (Proof(boxes=(150, 150)),)
QUICK = (Proof(goals=40, boxes=(60, 60)),)


class PatienceError(BaseException):
    """The time is up; no check may catch it."""


class Ran(NamedTuple):
    """What came out: a verdict, ``refused`` or ``slow``; and the evidence."""

    verdict: str
    evidence: dict[str, Any]


@contextlib.contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Processor time of this process, so that other work on the machine does not count."""

    def over(_: int, __: FrameType | None) -> None:
        raise PatienceError

    def swallowed(what: sys.UnraisableHookArgs) -> None:
        """Python cannot raise it out of a finalizer or a callback of C: the next signal counts."""
        if what.exc_type is not PatienceError:
            told(what)

    told, before = sys.unraisablehook, signal.signal(signal.SIGVTALRM, over)
    sys.unraisablehook = swallowed
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        sys.unraisablehook = told


def ran(of: Hostile, checks: Any = PROVERS, seconds: float = 20) -> Ran:
    """The engine's verdict."""
    try:
        with patience(seconds):
            result = run_claim(of.claim(checks=checks), Effort())
            return Ran(str(result.verdict), {**result.evidence, "witness": result.witness})
    except ClaimError as error:
        return Ran("refused", {"reason": str(error)})
    except PatienceError:
        return Ran("slow", {})


def falsely_proved(of: Hostile, found: Ran) -> bool:
    """Whether a false claim is called proved, or proved on a box that holds its witness."""
    if found.verdict == Verdict.PROVED:
        return True
    if found.verdict != Verdict.PROVED_ON_BOX:
        return False
    box = found.evidence.get("certificate", {}).get("box", ())
    try:
        return all(inside(box, (), at) for at in of.witness)
    except UndefinedError:
        return True  # a box that cannot be read
