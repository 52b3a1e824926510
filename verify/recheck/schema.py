"""What a written document may hold: every field is known, and every value is of its type.

Rules check what terms say, and not whether a label is a text or a list; so nothing of a claim is looked at
before all of it is as it has to be.  A shape is a type, ``None``, one of some words, a list of a shape, a
table from texts to a shape, a record, or several of these of which one has to fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from verify.recheck import letters
from verify.recheck.intervals import UnknownError

VERDICTS = (
    "proved",
    "proved-on-box",
    "supported",
    "tested",
    "assumed",
    "undecided",
    "refuted",
)  # strongest first
KINDS = ("law", "existence", "definition", "model")  # of facts

Shape = Any


@dataclass(frozen=True)
class Record:
    """An object with fields of these names: all of the first, any of the second."""

    needed: Mapping[str, Shape] = field(default_factory=dict)
    more: Mapping[str, Shape] = field(default_factory=dict)


@dataclass(frozen=True)
class OneOf:
    """Any of these shapes."""

    shapes: tuple[Shape, ...]


def require(value: Any, shape: Shape, where: str) -> None:
    """Complain unless the value has the shape."""
    if isinstance(shape, Record):
        _require_record(value, shape, where)
    elif isinstance(shape, OneOf):
        if not any(_fits(value, one) for one in shape.shapes):
            records = [one for one in shape.shapes if isinstance(one, Record)]
            if len(records) == 1:
                require(value, records[0], where)  # which says more
            raise UnknownError(f"{where}: {_brief(value)} is not as the schema has it")
    elif isinstance(shape, tuple):
        if value not in shape or type(value) is not str:
            raise UnknownError(f"{where}: {_brief(value)} is none of {', '.join(shape)}")
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise UnknownError(f"{where}: {_brief(value)} is not a list")
        for k, one in enumerate(value):
            require(one, shape[0], f"{where}[{k}]")
    elif isinstance(shape, dict):
        if not isinstance(value, Mapping):
            raise UnknownError(f"{where}: {_brief(value)} is not an object")
        for name, one in value.items():
            require(one, shape[str], f"{where}.{name}")
    elif isinstance(shape, type) or shape is None:
        if type(value) is not (type(None) if shape is None else shape):
            raise UnknownError(
                f"{where}: {_brief(value)} is not {'null' if shape is None else _NAMES[shape]}"
            )
    else:
        shape(value, where)


_NAMES = {str: "a text", int: "a whole number", bool: "true or false", float: "a decimal"}


def _fits(value: Any, shape: Shape) -> bool:
    try:
        require(value, shape, "")
    except UnknownError:
        return False
    return True


def _require_record(value: Any, shape: Record, where: str) -> None:
    if not isinstance(value, Mapping):
        raise UnknownError(f"{where}: {_brief(value)} is not an object")
    for key, one in value.items():
        inner = shape.needed.get(key, shape.more.get(key, _MISSING))
        if inner is _MISSING:
            raise UnknownError(f"{where}: there is no field {key!r} in the language")
        require(one, inner, f"{where}.{key}")
    if missing := [key for key in shape.needed if key not in value]:
        raise UnknownError(f"{where}: the field {missing[0]!r} is missing")


_MISSING = object()


def _brief(value: Any) -> str:
    words = repr(value)
    return words if len(words) <= 80 else f"{words[:77]}..."


def anything(value: Any, where: str) -> None:
    """What is told beside the proof, and never read."""


def _number(value: Any, where: str) -> None:
    if type(value) not in (int, float):
        raise UnknownError(f"{where}: {_brief(value)} is not a number")


def label(value: Any, where: str) -> None:
    """A word that is read as it is written."""
    if type(value) is not str or not value or any(c.isspace() for c in value):
        raise UnknownError(f"{where}: {_brief(value)} is not a label")
    if not letters.normal(value):
        raise UnknownError(f"{where}: {value!r}: {letters.foreign(value)}")


def name(value: Any, where: str) -> None:
    """A variable."""
    if type(value) is not str or not letters.name(value):
        raise UnknownError(f"{where}: {_brief(value)} is not a name")


def optional(shape: Shape) -> OneOf:
    """The shape, or nothing."""
    return OneOf((None, shape))


def _by_rule(
    word: str, rules: Mapping[str, Mapping[str, Shape]], common: Mapping[str, Shape]
) -> Callable[[Any, str], None]:
    """An object whose ``word`` names a rule, with the fields of that rule only."""
    records = {name: Record({word: str}, {**common, **fields}) for name, fields in rules.items()}

    def check(value: Any, where: str) -> None:
        name = value.get(word) if isinstance(value, Mapping) else None
        if not isinstance(name, str) or name not in records:
            raise UnknownError(f"{where}: {_brief(name)} is no rule of the language")
        _require_record(value, records[name], where)

    return check


def _node(value: Any, where: str) -> None:
    _RULES(value, where)


# ---------------------------------------------------------------- proofs of relations (docs/proofs.md)

_TEXTS, _ENTRY = [str], OneOf((str, int))
_BLOCKS = [Record({"gram": [[_ENTRY]]}, {"factors": _TEXTS, "basis": _TEXTS})]
_INNER = {"inner": str, "variable": name, "range": _TEXTS, "lower": _node, "upper": _node}
_SOLVED = {"variable": str, "proof": _node}
_NODES: Mapping[str, Mapping[str, Shape]] = {
    "range": {"bits": int},
    "taylor": {"order": int, "bits": int},
    "sturm": {},
    "split": {"variable": str, "at": _ENTRY, "parts": [_node]},
    "empty": {"hypothesis": int, "side": str, "proof": _node},
    "given": {"hypothesis": int, "multiplier": str, "positive": _node, "rest": str, "proof": _node},
    "monotone": {"variable": str, "from": str, "value": str, "end": _node, "slope": _node, "strict_by": str},
    "concave": {"variable": str, "lower": _node, "upper": _node, "curve": _node, "strict_by": str},
    "contact": {**_SOLVED, "at": str, "order": int},
    "hessian": {"at": {str: _ENTRY}, "bits": int},
    "multiply": {"factor": str, "positive": _node, "quotient": str, "proof": _node},
    "sum": {"terms": [Record({"expression": str, "proof": _node})], "strict_term": int},
    "rewrite": {"expression": str, "proof": _node},
    "reciprocal": {**_SOLVED, "expression": str, "power": _ENTRY},
    "logarithm": {"larger": str, "smaller": str, "expression": str, "proof": _node},
    "signs": {"expression": str, "parts": [_node]},
    "compose": {
        **_INNER,
        "expression": str,
        "proof": _node,
        "variables": [Record({"inner": str, "variable": name}, _INNER)],
        "facts": [Record({"expression": str, "relation": str}, {"proof": _node})],
    },
    "cases": {"variable": str, "parts": [_node], "tail": optional(_node)},
    "bernstein": {"halves": _TEXTS},
    "combine": {
        "blocks": _BLOCKS,
        "multiplier": _BLOCKS,
        "facts": [Record({"expression": str, "proof": _node}, {"strict": bool})],
    },
    "increasing": {"function": str, "larger": str, "smaller": str, "exponent": _ENTRY, "proof": _node},
    "known": {"of": str},
}
_RULES = _by_rule("by", _NODES, {})
_CHAIN = Record({"chain": _TEXTS})  # of an identity


def _tree(value: Any, where: str) -> None:
    require(value, _CHAIN if isinstance(value, Mapping) and "chain" in value else _node, where)


CERTIFICATE = Record(
    {
        "format": ("ctucbvi-proof-1",),
        "label": str,
        "relation": str,
        "domain": _TEXTS,
        "integers": [name],
        "box": _TEXTS,
        "proof": _tree,
    }
)

# ---------------------------------------------------------------- derivations (docs/derivations.md)

_PREMISE = {"formula": str}
_OVER = {"variable": str}
_STEPS: Mapping[str, Mapping[str, Shape]] = {
    "fact": {"name": str},
    "lemma": {"label": label, "formula": str},
    "pointwise": {
        "relation": str,
        "domain": _TEXTS,
        "integers": [name],
        "with": {str: str},
        "label": label,
        "certificate": CERTIFICATE,
    },
    **dict.fromkeys(("assume", "discharge", "part", "cases", "absurd", "holds", "fails"), _PREMISE),
    **{rule: {} for rule in ("mp", "cut", "sure", "unsure", "both")},
    **dict.fromkeys(("generalize", "least", "bounded", "archimedes"), _OVER),
    "specialize": {"term": str},
    "substitute": {"variable": str, "term": str},
    "instantiate": {"symbol": str, "params": _TEXTS, "body": str},
    "rewrite": {"variable": str, "template": str},
    "induction": {"variable": str, "formula": str},
    "combine": {"goal": str, "multipliers": [OneOf((str, int, Record({"term": str, "sign": int})))]},
    "monotone": {"binder": str, "variable": str, "bound": optional(str)},
    "exchange": {"term": str},
    "most": {"term": str, "at": str},
    "supremum": {"variable": str, "at": str},
    "primitive": {"variable": str, "bound": str, "term": str},
    "whole": {"term": str},
    "known": {"name": str, "terms": _TEXTS},
}
_STEP = _by_rule("rule", _STEPS, {"from": [int]})
FACT = Record({"kind": KINDS, "says": str, "why": str}, {"claim": label, "means": label})
SYMBOL = Record({"name": str, "args": _TEXTS, "value": str}, {"known": str, "generic": bool, "why": str})
SETTING = Record(
    {"name": str, "sorts": _TEXTS, "variables": {str: str}, "symbols": [SYMBOL], "facts": {str: FACT}}
)
DERIVATION = Record(
    {"format": ("ctucbvi-derivation-1",), "label": label, "setting": str, "theorem": str, "steps": [_STEP]},
)

# ---------------------------------------------------------------- claims

FORMULA = OneOf(
    (
        Record({"relation": str}),
        Record({"monotone": str, "in": name, "increasing": bool}),
        Record({"limit": str, "to": str, "in": name, "towards": str}),
    )
)
PROOF = Record(
    {},
    {
        "formula": OneOf(
            (
                Record({"by": ("certificate",), "certificates": [CERTIFICATE]}),
                Record({"by": ("identity", "limit")}),
            )
        ),
        "theorem": Record({"by": ("derivation",), "derivation": DERIVATION}),
        "code": Record({"check": str, "complete": bool, "cases": int}, {"box": str, "method": str}),
    },
)
HEAD = {  # what has to be right for a document to be one
    "label": label,
    "uses": [label],
    "verdict": VERDICTS,
    "transitive": VERDICTS,
    "expected": optional(VERDICTS),
    "elementary": bool,
}
CLAIM = Record(
    {
        **HEAD,
        "kind": ("statement", "step", "repair", "cited"),
        **dict.fromkeys(("source", "statement", "latex"), str),
        "says": optional(str),
        "domain": _TEXTS,
        "formula": optional(FORMULA),
        "area": Record({"conditions": _TEXTS, "integers": [name], "reals": [name]}),
        "point": optional({str: str}),
        "theorem": optional(str),
        "setting": optional(str),
        "symbols": {str: str},
        "rests": Record({**dict.fromkeys(KINDS, _TEXTS), "proved": {str: label}}),
        "evidence": {str: anything},
        "proof": optional(PROOF),
        "witness": optional({str: anything}),
        "slack": optional({str: anything}),
        "seconds": _number,
    }
)
SUMMARY = Record(
    {
        "total": int,
        "verdicts": Record(dict.fromkeys(VERDICTS, int)),
        "elementary": int,
        "transitive": Record(dict.fromkeys(VERDICTS, int)),
        "unexpected": [
            Record({"label": label, "expected": optional(VERDICTS), "verdict": VERDICTS, "message": str})
        ],
        "assumed": [label],
        "error_budget": Record({"total": str, "random_checks": int, "each": str}),
    }
)
DOCUMENT = Record(
    {
        "claims": [Record(HEAD, dict.fromkeys(CLAIM.needed, anything))],
        "settings": {str: SETTING},
        "summary": SUMMARY,
        "profile": ("quick", "thorough"),
        "seed": int,
        "versions": {str: str},
    }
)
