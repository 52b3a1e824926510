"""The table of a run: what was decided, what is open, what is wrong, how long it took, and what peers say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from tests.benchmarks.corpus.entries import Entry, families
from tests.benchmarks.corpus.running import Outcome
from verify.tables import table

Outcomes = Mapping[str, Outcome]  # by label

_HEAD = ("family", "true", "false", "proved", "refuted", "open", "wrong", "median s", "max s")


def totals(entries: Sequence[Entry], found: Outcomes) -> dict[str, int]:
    """How many are true, false, proved, refuted, open (or crashed), and wrong."""
    answers = [found[e.label] for e in entries]
    pairs = list(zip(entries, answers, strict=True))
    decided = [a.answer for e, a in pairs if a.right(e.truth)]
    wrong = sum(a.wrong(e.truth) for e, a in pairs)
    return {
        "true": sum(e.truth for e in entries),
        "false": sum(not e.truth for e in entries),
        "proved": decided.count("proved"),
        "refuted": decided.count("refuted"),
        "open": len(entries) - len(decided) - wrong,
        "wrong": wrong,
    }


def summary(entries: Sequence[Entry], found: Outcomes, peers: Mapping[str, Outcomes]) -> str:
    """The table, one row per family and one for all."""
    named = [(str(content["title"]), name) for name, content in families().items()]
    parts = [(title, [e for e in entries if e.family == name]) for title, name in named]
    parts = [(title, part) for title, part in parts if part]
    if len(parts) > 1:
        parts.append(("all", list(entries)))
    return table((*_HEAD, *peers), [_row(title, part, found, peers) for title, part in parts])


def _row(title: str, part: Sequence[Entry], found: Outcomes, peers: Mapping[str, Outcomes]) -> list[str]:
    times = [found[e.label].seconds for e in part]
    counts = [str(count) for count in totals(part, found).values()]
    return [
        title,
        *counts,
        f"{median(times):.2f}",
        f"{max(times):.1f}",
        *(_peer(part, p) for p in peers.values()),
    ]


def _peer(part: Sequence[Entry], found: Outcomes) -> str:
    """``decided of those that it can be asked``, and what of it is wrong."""
    asked = [e for e in part if found[e.label].answer != "not expressible"]
    if not asked:
        return "-"
    right = sum(found[e.label].right(e.truth) for e in asked)
    wrong = sum(found[e.label].wrong(e.truth) for e in asked)
    return f"{right} of {len(asked)}" + (f", {wrong} wrong" if wrong else "")


def open_entries(entries: Sequence[Entry], found: Outcomes, slow: float) -> list[str]:
    """A line for each entry that is wrong, open, or took longer than ``slow`` seconds; the worst first."""
    lines = []
    for entry in entries:
        outcome = found[entry.label]
        kind = 0 if outcome.wrong(entry.truth) else 1 if not outcome.right(entry.truth) else 2
        if kind < 2 or outcome.seconds > slow:
            word = ("WRONG", "open", "slow")[kind]
            truth = "true" if entry.truth else "false"
            where = "; ".join([*entry.domain, *([f"{entry.reals} real"] if entry.reals else [])])
            why = f"{outcome.answer} {outcome.why}" if kind == 0 else outcome.why
            head = f"{word:5} {outcome.seconds:7.2f} s  {entry.label} ({truth})"
            text = f"{head}: {entry.says}  on  {where}  [{why}]"
            lines.append((kind, -outcome.seconds, text))
    return [text for *_, text in sorted(lines)]
