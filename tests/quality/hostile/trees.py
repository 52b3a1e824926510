"""Nodes of proof trees for goals that do not hold, of every rule of the checker, and claims that fail.

The nodes are what a forger would write: numbers from the ends of the ranges, a rewriting that adds 0/0 in
disguise, a factor with a zero, a fact that is nearly right.  ``growing`` makes proofs of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tests.quality.hostile import traps
from tests.quality.hostile.claims import search
from verify.recheck.algebra import Algebra
from verify.recheck.goals import Obligation
from verify.recheck.intervals import INF, Interval
from verify.recheck.terms import Term, number, put
from verify.recheck.witnesses import FAILURES

Node = dict[str, Any]
Maker = Callable[[random.Random, Obligation], Node]


# ---------------------------------------------------------------- claims that fail somewhere

_NUMBERS = ("0", "1", "2", "3", "1/2", "1/3", "3/2", "-1", "-2", "-1/2")
_RANGES = (
    *("0 <= {v} <= 1", "0 < {v} <= 1", "0 < {v} < 1", "-1 <= {v} <= 1", "{v} >= 0", "{v} > 0", "{v} <= 0"),
    *("1 <= {v} <= 3", "{v} >= 1", "{v}", "-2 <= {v} < 1", "1/2 <= {v} <= 2", "{v} < 1"),
)
_HYPOTHESES = (
    *("{v}**2 <= {c}", "{v}**2 + {w}**2 <= 1", "Abs({v}) <= {w} + 1", "{v} - {w} <= {c}", "{v} + {w} == {c}"),
    *("{v}*{w} <= {c}", "exp({v}) < 2 + {w}", "{v}**2 == 1", "1/{v} <= 2 + 0*{w}", "2*{v} < 1 + {w}"),
)
_SHAPES = (
    *("{a} + {b}", "{a} - {b}", "{a}*{b}", "{a}*{b}", "({a})**2", "({a})**3", "{a}/({b})", "1/({a})"),
    *("exp({a})", "exp(-({a}))", "log({a})", "log(1 + {a})", "sqrt({a})", "Abs({a})", "Max({a}, {b})"),
    *("Min({a}, {b})", "sin({a})", "cos({a})", "atan({a})", "tanh({a})", "sin(pi*({a}))", "{a} - {v}"),
)


def expression(rng: random.Random, names: list[str], depth: int = 2) -> str:
    """A small formula."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice([*names, *names, rng.choice(_NUMBERS)])
    a, b = (f"({expression(rng, names, depth - 1)})" for _ in range(2))
    return rng.choice(_SHAPES).format(a=a, b=b, v=rng.choice(names))


def false_claim(rng: random.Random) -> Node | None:
    """A certificate without a proof, of a claim that fails at a point."""
    names = rng.choice((["x"], ["x"], ["n"], ["x", "y"], ["x", "n"]))
    domain = [rng.choice(_RANGES).format(v=name) for name in names]
    integers = [n for n in names if n == "n" and rng.random() < 0.8]
    box = list(domain)
    if rng.random() < 0.3:
        v, w = names[0], names[-1]
        domain.append(rng.choice(_HYPOTHESES).format(v=v, w=w, c=rng.choice(_NUMBERS)))
    relation = rng.choice(("<=", "<=", "<"))
    says = f"{expression(rng, names, 1)} {relation} {expression(rng, names)}"
    if search(rng, says, domain, " ".join(integers), 25) is None:
        return None
    data = {"relation": says, "domain": domain, "box": box, "integers": integers}
    return {"format": "ctucbvi-proof-1", "label": "forged", **data}


# ---------------------------------------------------------------- nodes for a goal


def _name(rng: random.Random, goal: Obligation) -> str:
    return rng.choice(sorted(goal.box))


def _some(rng: random.Random, goal: Obligation, depth: int = 1) -> str:
    return expression(rng, sorted(goal.box) or ["1"], depth)


def _places(x: Interval) -> list[Fraction]:
    ends = [Fraction(e) for e in (x.low, x.high) if abs(e) < INF]
    middle = [sum(ends) / 2] if len(ends) == 2 else []
    return [*ends, *middle, Fraction(0), Fraction(1), Fraction(1, 2), *(e + 1 for e in ends)]


def _text(f: Term | Fraction) -> str:
    return f"({f})"


def nothing(rng: random.Random, v: str) -> str:
    """0, and only some ways to look at it show that."""
    a = rng.randint(1, 3)
    return rng.choice((
        f"(({v} + {a})**2 - {v}**2 - {2 * a}*{v} - {a * a})",
        f"(sin({v})**2 + cos({v})**2 - 1)",
        f"(sin(2*{v}) - 2*sin({v})*cos({v}))",
        f"(1/({a} + {v}) + ({v} + {a} - 1)/({a} + {v}) - 1)",
        f"(1/({a} + {v}**2) + ({v}**2 + {a} - 1)/({a} + {v}**2) - 1)",
        f"(exp(2*{v}) - exp({v})**2 + Abs({v}) - Max({v}, -{v}))",
        f"(cosh({v})**2 - sinh({v})**2 - 1)",
    ))  # fmt: skip


def _disguised(rng: random.Random, goal: Obligation) -> str:
    """The goal in other words: some are right, some only where nothing is divided by 0."""
    f, v = _text(goal.f), _name(rng, goal)
    at = rng.choice(_places(goal.box[v]))
    zero, w, e = nothing(rng, v), f"({v} - ({at}))", _some(rng, goal)
    late = f"({v} - ({rng.choice(_places(goal.box[v]))}))"
    squares = f"({zero}**2 + {nothing(rng, v)}**2)"
    return rng.choice((
        f"{f} + {zero}", f"{f} + {zero}/({zero} + {w})", f"{f} + {zero}/({zero} + Abs({w}) - {w})*({e})",
        f"{f} + {zero}*exp(-{v}*log({zero} + {w}))",
        f"{f} + {squares}/(sqrt({squares}) + Abs({w}) - {w})**2*(Abs({w}) + {w})",
        f"{f}*({w})/({w})", f"Max({f}, {f} + {zero})", f"Min({f}, {f} + {zero})", f"{f} + Abs({zero})",
        f"sqrt({f}**2)", f"exp(log({f}))", f"{f} + log({late}**2) - 2*log({late})", f"Abs({f})",
        f"{f} + sqrt({late})**2 - {late}", f"{f} + Abs({late}) - {late}", f"Max({f}, {e})", f"{f} + ({e})",
        f"2*{f} - Max({f}, {f} + {zero})", f"({f} + {zero}*({e}))**1", f"{f} + atan({zero})/({w})",
    ))  # fmt: skip


def _leaf(rng: random.Random, goal: Obligation) -> Node:
    name = _name(rng, goal) if goal.box else "x"
    points = {n: str(rng.choice(_places(x))) for n, x in goal.box.items()}
    halves: list[str] = rng.choice(([""], [""], [name, "", ""], [name, "", "-0"], ["-0"], ["+0"]))
    return rng.choice((
        {"by": "range"}, {"by": "range"}, {"by": "sturm"}, {"by": "taylor", "order": rng.choice((1, 2))},
        {"by": "bernstein", "halves": halves}, {"by": "bernstein", "halves": halves},
        {"by": "hessian", "at": points}, {"by": "known", "of": _known_of(rng, goal)},
    ))  # fmt: skip


def _known_of(rng: random.Random, goal: Obligation) -> str:
    parts = [t for t in goal.f.walk() if t.op in ("exp", "log", "Abs", "Max", "Min")]
    return _text(rng.choice(parts)) if parts else f"exp({_some(rng, goal)})"


def _split(rng: random.Random, goal: Obligation) -> Node:
    name = _name(rng, goal)
    return {
        "by": "split",
        "variable": name,
        "at": str(rng.choice(_places(goal.box[name]))),
        "parts": [{}, {}],
    }


def _empty(rng: random.Random, goal: Obligation) -> Node:
    index = rng.randrange(len(goal.given) or 1)
    return {"by": "empty", "hypothesis": index, "side": rng.choice("+-"), "proof": {}}


def _given(rng: random.Random, goal: Obligation) -> Node:
    index = rng.randrange(len(goal.given)) if goal.given else 0
    found = goal.given[index] if goal.given else None
    m = rng.choice(("1", "2", "1/2", _some(rng, goal), f"1/({found[0] if found else 1})"))
    rest = f"{_text(goal.f)} - ({m})*{_text(found[0])}" if found else "0"
    return {
        "by": "given", "hypothesis": index, "multiplier": m, "rest": rest, "positive": {}, "proof": {},
    }  # fmt: skip


def _cases(rng: random.Random, goal: Obligation) -> Node:
    name = next(iter(sorted(goal.integers)), "n")
    tail = rng.choice(({}, None))
    return {"by": "cases", "variable": name, "parts": [{} for _ in range(rng.randint(0, 4))], "tail": tail}


def _strictly(rng: random.Random, goal: Obligation, word: str) -> Node:
    return {"strict_by": rng.choice(("end", word))} if goal.strict else {}


def _monotone(rng: random.Random, goal: Obligation) -> Node:
    name, lower = _name(rng, goal), rng.random() < 0.5
    x = goal.box[name]
    end = x.low if lower else x.high
    value = rng.choice(("0", "1", _some(rng, goal)))
    if abs(end) < INF and rng.random() < 0.9:
        try:
            value = str(put(goal.f, {name: number(end)}))
        except FAILURES:
            value = "0"
    way = {"from": "lower" if lower else "upper", "value": value, "end": {}, "slope": {}}
    return {"by": "monotone", "variable": name, **way, **_strictly(rng, goal, "slope")}


def _concave(rng: random.Random, goal: Obligation) -> Node:
    ends = {"lower": {}, "upper": {}, "curve": {}}
    return {"by": "concave", "variable": _name(rng, goal), **ends, **_strictly(rng, goal, "curve")}


def _contact(rng: random.Random, goal: Obligation) -> Node:
    name = _name(rng, goal)
    others = [n for n in goal.box if n != name]
    at = rng.choice([*map(str, _places(goal.box[name])), *others, "0"])
    return {"by": "contact", "variable": name, "at": at, "order": rng.randint(1, 3), "proof": {}}


def _rewrite(rng: random.Random, goal: Obligation) -> Node:
    return {"by": "rewrite", "expression": rng.choice((_disguised, _normal))(rng, goal), "proof": {}}


def _normal(rng: random.Random, goal: Obligation) -> str:
    """The normal form that the checker itself sees, or 0."""
    algebra = Algebra(goal.box)
    try:
        return rng.choice((str(algebra.term_of(algebra.of(goal.f))), "0"))
    except FAILURES:
        return "0"


def _multiply(rng: random.Random, goal: Obligation) -> Node:
    factor = rng.choice((_some(rng, goal), f"1/({_some(rng, goal)})", nothing(rng, _name(rng, goal))))
    quotient = rng.choice((f"{_text(goal.f)}/({factor})", _some(rng, goal)))
    return {"by": "multiply", "factor": factor, "quotient": quotient, "positive": {}, "proof": {}}


def _sum(rng: random.Random, goal: Obligation) -> Node:
    part = rng.choice((_some(rng, goal), nothing(rng, _name(rng, goal)), f"1/({_some(rng, goal)})"))
    terms = [{"expression": e, "proof": {}} for e in (part, f"{_text(goal.f)} - ({part})")]
    return {"by": "sum", "terms": terms, "strict_term": rng.randint(0, 1)}


def _reciprocal(rng: random.Random, goal: Obligation) -> Node:
    name, power = _name(rng, goal), rng.choice((0, 0, 1, 2, -1))
    inner = _replaced(goal.f, name, f"(1/{name})")
    return {
        "by": "reciprocal", "variable": name, "power": power, "expression": f"({inner})*{name}**({power})",
        "proof": {},
    }  # fmt: skip


def _replaced(f: Term, name: str, by: str) -> str:
    words = str(f)
    found, word = "", ""
    for c in [*words, " "]:
        if c.isalnum() or c == "_":
            word += c
            continue
        found += (by if word == name else word) + c
        word = ""
    return found


def _logarithm(rng: random.Random, goal: Obligation) -> Node:
    smaller = rng.choice(("1", "2", f"({_some(rng, goal)})**2", f"exp({_some(rng, goal)})", _some(rng, goal)))
    larger = f"{_text(goal.f)} + ({smaller})"
    e = rng.choice(
        (f"log({larger}) - log({smaller})", f"log(({larger})/({smaller}))", f"2*log(sqrt({larger}))")
    )
    return {"by": "logarithm", "larger": larger, "smaller": smaller, "expression": e, "proof": {}}


def _increasing(rng: random.Random, goal: Obligation) -> Node:
    e = rng.choice(("0", "1", _some(rng, goal)))
    function = rng.choice(("exp", "log", "power", "atan", "tanh"))
    pair = {
        "exp": (f"log({_text(goal.f)} + exp({e}))", e), "log": (f"exp({_text(goal.f)})*({e})", e),
        "power": (f"({_text(goal.f)} + ({e})**2)**(1/2)", e),
    }.get(function, (f"{_text(goal.f)} + ({e})", e))  # fmt: skip
    parts = [t for t in goal.f.walk() if t.op == function] or [None]
    if goal.f.is_sum and parts[0] is not None and len(parts) == 2:
        pair = str(parts[0].args[0]), str(parts[1].args[0])
    exponent = rng.choice(("2", "2", "3", "1/2", "1"))
    return {
        "by": "increasing", "function": function, "larger": pair[0], "smaller": pair[1],
        "exponent": exponent, "proof": {},
    }  # fmt: skip


def _combine(rng: random.Random, goal: Obligation) -> Node:
    name = _name(rng, goal)
    part = rng.choice((_text(goal.f), f"{_text(goal.f)}*({_some(rng, goal)})", _some(rng, goal)))
    words = [f"lower {name}", f"upper {name}", "hypothesis 0", "fact 0"]
    blocks = [{"factors": ["fact 0"], "gram": [["1"]]}]
    if rng.random() < 0.5:
        blocks.append(
            {"factors": rng.sample(words, rng.randint(1, 2)), "gram": [[rng.choice(("1", "-1", "2"))]]}
        )
    node = {"by": "combine", "blocks": blocks}
    facts = [{"expression": part, "strict": goal.strict, "proof": {}}]
    if rng.random() < 0.6:
        fact = [{"factors": ["fact 1"], "gram": [["1"]]}]
        multiplier = {"factors": [rng.choice(words[:2])], "gram": [["1"]]}
        node["multiplier"] = rng.choice(([multiplier], fact))
        facts.append({"expression": _some(rng, goal), "strict": True, "proof": {}})
        facts[0]["expression"] = f"{_text(goal.f)}*{facts[1]['expression']}"
    return {**node, "facts": facts}


def _signs(rng: random.Random, goal: Obligation) -> Node:
    inside = [t.args[0] for t in goal.f.walk() if t.op == "Abs"]
    inside += [t.args[0] - t.args[1] for t in goal.f.walk() if t.op in ("Max", "Min") and len(t.args) > 1]
    e = _text(rng.choice(inside)) if inside and rng.random() < 0.7 else _some(rng, goal)
    return {"by": "signs", "expression": e, "parts": [{}, {}]}


def _compose(rng: random.Random, goal: Obligation) -> Node:
    name = _name(rng, goal)
    inner = rng.choice(
        (name, _some(rng, goal), f"({name} + {nothing(rng, name)})", f"{name}**2", f"exp({name})")
    )
    e = rng.choice((
        str(goal.f), _replaced(goal.f, name, "w"), f"{goal.f} + w - ({inner})",
        f"{goal.f} + w/(w - {name}) - ({inner})/(w - {name})", f"{goal.f} + (w - ({inner}))**2",
    ))  # fmt: skip
    bound = rng.choice(
        (["0 <= w"], ["w >= 0", "w <= 1"], ["w > 0"], ["w <= 0"], ["1/2 <= w"], ["0 <= w <= 0"])
    )
    part: Node = {"variable": "w", "inner": inner, "lower": {}, "upper": {}}
    part |= {"range": bound} if rng.random() < 0.5 else {}
    node = {"by": "compose", "expression": e, "proof": {}}
    node |= part if rng.random() < 0.5 else {"variables": [part]}
    if rng.random() < 0.5:
        fact = rng.choice(
            (f"w - ({inner})", "w", f"w - {name}", f"({inner}) - w", f"{name} - w", "1 - w", "-1")
        )
        node["facts"] = [{"expression": fact, "relation": rng.choice(("<", "<=", "==")), "proof": {}}]
    return node


MAKERS: dict[str, Maker] = {
    "leaf": _leaf, "split": _split, "empty": _empty, "given": _given, "cases": _cases, "monotone": _monotone,
    "concave": _concave, "contact": _contact, "rewrite": _rewrite, "multiply": _multiply, "sum": _sum,
    "reciprocal": _reciprocal, "logarithm": _logarithm, "increasing": _increasing, "combine": _combine,
    "signs": _signs, "compose": _compose, **traps.MAKERS,
}  # fmt: skip
