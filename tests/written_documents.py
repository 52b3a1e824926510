"""Whole documents of claims as ``verify --json`` writes them, from the few fields that a test is about."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from verify.recheck.schema import KINDS, VERDICTS


def rises(function: str, variable: str = "x", *, increasing: bool = True) -> dict[str, Any]:
    return {"monotone": function, "in": variable, "increasing": increasing}


def tends(function: str, value: str, variable: str, towards: str) -> dict[str, Any]:
    return {"limit": function, "to": value, "in": variable, "towards": towards}


def words(formula: Mapping[str, Any] | None) -> str | None:
    """What a formula says, in words."""
    match formula:
        case {"relation": str(says)}:
            return says
        case {"monotone": f, "in": x, "increasing": up}:
            return f"{f} is non-{'decreasing' if up else 'increasing'} in {x}"
        case {"limit": f, "to": value, "in": x, "towards": end}:
            return f"{f} -> {value} as {x} -> {end}"
    return None


def row(
    says: str | Mapping[str, Any] | None = None,
    domain: list[str] | tuple[str, ...] = (),
    integers: Any = (),
    reals: Any = (),
    **fields: Any,
) -> dict[str, Any]:
    """A claim of a document: what is not said is as harmless as can be."""
    formula = {"relation": says} if isinstance(says, str) else says
    area = {"conditions": list(domain), "integers": list(integers), "reals": list(reals)}
    verdict = fields.get("verdict", "proved")
    told = [*domain, *(f"{x} real" for x in reals), *(f"{x} integer" for x in integers)]
    return {
        "label": "example",
        "kind": "statement",
        "source": "",
        "statement": "",
        "latex": "",
        "says": words(formula),
        "domain": told,
        "formula": formula,
        "area": area,
        "point": None,
        "theorem": None,
        "setting": None,
        "symbols": {},
        "elementary": False,
        "uses": [],
        "verdict": verdict,
        "transitive": verdict,
        "rests": {},
        "expected": None,
        "evidence": {"check": "proof"},
        "proof": None,
        "witness": None,
        "slack": None,
        "seconds": 0.0,
        **fields,
    }


def by_certificates(*certificates: Mapping[str, Any]) -> dict[str, Any]:
    return {"formula": {"by": "certificate", "certificates": list(certificates)}}


def by_derivation(derivation: Mapping[str, Any]) -> dict[str, Any]:
    return {"theorem": {"by": "derivation", "derivation": dict(derivation)}}


def by_code(**fields: Any) -> dict[str, Any]:
    return {"code": {"check": "computed", "complete": True, "cases": 1, **fields}}


def derived(derivation: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    """A claim with the theorem of a derivation; its setting is written down by :func:`document`."""
    steps = [s for s in derivation["steps"] if isinstance(s, Mapping)]
    named = [s for s in steps if s.get("rule") in ("lemma", "pointwise") and "label" in s]
    told = {
        "label": derivation["label"],
        "theorem": derivation["theorem"],
        "setting": derivation["setting"].get("name"),
        "uses": list(dict.fromkeys(s["label"] for s in named)),
        "evidence": {"check": "derivation"},
        "proof": by_derivation(derivation),
    }
    return row(**(told | fields))


def document(*rows: Mapping[str, Any], settings: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Any]:
    """The document of these claims, with their settings, what each claim rests on, and the sums."""
    settings = dict(settings)
    claims = [_with_setting(dict(one), settings) for one in rows]
    by_label = {one["label"]: one for one in claims}

    def rests(label: str, above: tuple[str, ...] = ()) -> str:
        below = [x for x in by_label[label]["uses"] if x in by_label and x not in above]
        return max((by_label[label]["verdict"], *(rests(x, (*above, label)) for x in below)), key=_rank)

    def facts(label: str, above: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
        below = [x for x in by_label[label]["uses"] if x in by_label and x not in above]
        return _facts(by_label[label], settings).union(*(facts(x, (*above, label)) for x in below))

    for one in claims:
        one["transitive"] = rests(one["label"])
    for one in claims:
        every = sorted(facts(one["label"]))
        proved = [f for f in every if f[3] and by_label.get(f[3], {}).get("transitive") == "proved"]
        names = {kind: [f[0] for f in every if f[1] == kind and f not in proved] for kind in KINDS}
        one["rests"] = {**names, "proved": {f[0]: f[3] for f in proved}}
    return {
        "claims": claims,
        "settings": settings,
        "summary": summary(claims),
        "profile": "quick",
        "seed": 0,
        "versions": {},
    }


def summary(claims: list[dict[str, Any]]) -> dict[str, Any]:
    """The sums, as they have to be."""
    weak = ("undecided", "refuted")
    wrong = [c for c in claims if c["verdict"] != c["expected"] and (c["expected"] or c["verdict"] in weak)]
    keys = ("label", "expected", "verdict")
    return {
        "total": len(claims),
        "verdicts": {v: sum(c["verdict"] == v for c in claims) for v in VERDICTS},
        "elementary": sum(c["elementary"] and c["verdict"] == "proved" for c in claims),
        "transitive": {v: sum(c["transitive"] == v for c in claims) for v in VERDICTS},
        "unexpected": [{**{key: c[key] for key in keys}, "message": "another"} for c in wrong],
        "assumed": [c["label"] for c in claims if c["verdict"] == "assumed"],
        "error_budget": {"total": "1/1000000", "random_checks": 0, "each": "1/1000000"},
    }


def _facts(one: Mapping[str, Any], settings: Mapping[str, Any]) -> set[tuple[str, ...]]:
    """The facts that the steps of a derivation name; of what is damaged, nothing."""
    with suppress(AttributeError, KeyError, TypeError):
        derivation = one["proof"]["theorem"]["derivation"]
        known = settings[derivation["setting"]]["facts"]
        names = {step["name"] for step in derivation["steps"] if step["rule"] == "fact"}
        return {
            (x, known[x]["kind"], known[x]["says"], known[x].get("claim", "")) for x in names if x in known
        }
    return set()


def _rank(verdict: Any) -> int:
    return VERDICTS.index(verdict) if verdict in VERDICTS else len(VERDICTS)


def _with_setting(one: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    shown = (one["proof"] or {}).get("theorem")
    inline = shown and shown["derivation"].get("setting")
    if not isinstance(inline, Mapping):
        return one
    name = inline.get("name")
    same = isinstance(name, str) and settings.setdefault(name, inline) == inline
    named = {**shown["derivation"], "setting": name if same else inline}
    return {**one, "proof": {**one["proof"], "theorem": {**shown, "derivation": named}}}
