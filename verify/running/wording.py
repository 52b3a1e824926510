"""What a run found about one claim, in words: its witness, the line that re-checks it, its evidence."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

_FOR_THE_CHECKER = ("line", "relation", "domain", "integers", "certificate")
LONG = ("certificate", "others", "derivation")  # evidence that is no reading matter


def witness_text(witness: Mapping[str, Any]) -> str:
    """The witness of a refutation: the instance and its two sides."""
    return ", ".join(f"{k} {_plain(v)}" for k, v in witness.items() if k not in _FOR_THE_CHECKER)


def recheck_line(witness: Mapping[str, Any]) -> str:
    """One line for a shell that re-checks a witness."""
    if "relation" in witness:
        data = {k: witness[k] for k in ("relation", "domain", "integers", "point") if k in witness}
        return f"echo {shlex.quote(json.dumps(data))} | python -m verify.recheck -"
    return f"python -c {shlex.quote(str(witness['line']))}" if "line" in witness else ""


def evidence_text(evidence: Mapping[str, Any]) -> str:
    """The evidence in one line, without proofs and derivations, which are long."""
    short = {k: v for k, v in evidence.items() if k not in LONG}
    return shortened(json.dumps(short, ensure_ascii=False))


def shortened(text: str, most: int = 300) -> str:
    """In one line, and not too long."""
    short = " ".join(text.split())
    return short if len(short) <= most else short[: most - 3] + "..."


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{k} = {_plain(v)}" for k, v in value.items()) or "none"
    text = re.sub(r"\d{12,}/\d+", lambda match: f"{float(Fraction(match[0])):.10g}", str(value))
    return text if len(text) <= 200 else text[:197] + "..."
