"""What was found out about a claim, as data that can be written down and read back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from verify.claims import Verdict


def plain(data: Any) -> Any:
    """The same data as JSON gives it back; what JSON has no word for (nan, sets, objects) is an error."""
    return json.loads(json.dumps(data, allow_nan=False))


@dataclass(frozen=True)
class Result:
    """The verdict on one claim, with what supports it.

    ``error`` is set when a check crashed or two checks contradict each other: a defect of the
    checks, never a property of the claim, and never kept for later.
    """

    label: str
    verdict: Verdict
    evidence: Mapping[str, Any] = field(default_factory=dict)
    witness: Mapping[str, Any] | None = None
    slack: Mapping[str, Any] | None = None
    seconds: float = 0.0
    error: str | None = None
    read: tuple[str, ...] = ()  # besides code: then it is never kept

    def __repr__(self) -> str:
        how = f"failed: {self.error}" if self.error else f"by {self.evidence.get('check', 'no check')}"
        return f"Result({self.label!r}: {self.verdict} {how}, {self.seconds:.2f} s)"

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {**vars(self), "verdict": str(self.verdict)}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Result:
        """The result that :meth:`to_json` wrote; ``KeyError``, ``TypeError`` or ``ValueError`` otherwise."""
        read = tuple(data.get("read", ()))
        return Result(**{**data, "verdict": Verdict(data["verdict"]), "read": read})

    @staticmethod
    def failed(label: str, check: str, error: str, *, seconds: float = 0.0, trace: str = "") -> Result:
        """A check that crashed decides nothing."""
        evidence = {"check": check, "error": error, **({"traceback": trace} if trace else {})}
        return Result(
            label, Verdict.UNDECIDED, evidence, seconds=seconds, error=f"check {check} failed: {error}"
        )
