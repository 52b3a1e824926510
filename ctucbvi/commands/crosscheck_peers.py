"""``ctucbvi crosscheck --peers``: other tools as a third opinion, where they apply and are installed."""

from __future__ import annotations

from typing import Any

from ctucbvi import CTMDP, UndecidedError, peers, solve
from verify.tables import table

_EPSILON = 1e-6


def third_opinions(models: list[CTMDP], semantics: tuple[str, ...]) -> list[dict[str, Any]]:
    """One entry per model, semantics and peer: how far the peer is off, or why it has no say."""
    found: list[dict[str, Any]] = []
    for peer, reason in peers.available().items():
        for model in models if reason is None else []:
            for name in semantics:
                entry: dict[str, Any] = {"peer": peer, "model": model.name, "semantics": name}
                try:
                    opinion = peers.third_opinion(model, name, peer=peer, epsilon=_EPSILON)
                except peers.PeerUnsuitableError as error:
                    found.append({**entry, "left_out": str(error)})
                    continue
                except (peers.PeerFailedError, UndecidedError) as error:
                    found.append({**entry, "left_out": f"no answer: {error}"})
                    continue
                exact = solve(model, name, digits=15)
                worst = max(abs(float(exact.value(x).mid) - v) for x, v in opinion.values.items())
                agree = worst <= opinion.stated_error + 1e-12
                found.append({**entry, "difference": worst, "stated": opinion.stated_error, "agree": agree})
        if reason is not None:
            found.append({"peer": peer, "left_out": reason})
    return found


def report(entries: list[dict[str, Any]]) -> str:
    """The same as text: a table of what was compared, then what was left out."""
    rows = [
        (
            e["peer"],
            e["model"],
            e["semantics"],
            f"{e['difference']:.1e}",
            f"{e['stated']:.1e}",
            "agree" if e["agree"] else "DISAGREE",
        )
        for e in entries
        if "agree" in e
    ]
    lines = ["third opinions", ""]
    if rows:
        lines += [table(("peer", "model", "semantics", "|dV|", "stated", "verdict"), rows), ""]
    for e in entries:
        if "left_out" in e:
            where = f", {e['model']}, {e['semantics']}" if "model" in e else ""
            lines.append(f"{e['peer']}{where}: left out: {e['left_out']}")
    return "\n".join(lines)
