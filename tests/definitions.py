"""Settings with definitions that are some, every way in which one is spoiled, and theories at random."""

from __future__ import annotations

import ast
import math
import random
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from fractions import Fraction
from typing import Any

Facts = dict[str, dict[str, str]]
Setting = dict[str, Any]


def fact(says: str, kind: str = "definition", **more: str) -> dict[str, str]:
    """One fact."""
    return {"kind": kind, "says": says, "why": "-", **more}


def symbol(name: str, args: str = "", value: str = "Real", **more: Any) -> dict[str, Any]:
    """One symbol."""
    return {"name": name, "args": args.split(), "value": value, **more}


BASE = [
    symbol("c"),
    symbol("H"),
    symbol("K", value="Nat"),
    symbol("rate", "State"),
    symbol("X", "Nat", "State", known="_1"),
    symbol("jump", "Nat", "Nat", known="_1 + 1"),
    symbol("wait", "Nat", known="_1 + 1"),
    symbol("past", "Nat", "Nat", known="_1"),
    symbol("g", "State", generic=True),
    symbol("glaw", "Nat Real State", known="_1", generic=True),
]
ASSUMED: Facts = {
    "positive": fact("And(0 < c, 0 < H, 1 <= K, 0 <= rate(x))", "model"),
    "bit": fact("jump(n) <= 1", "law"),
    "time": fact("0 < wait(n)", "law"),
    "law": fact("E(jump(n)*glaw(n, wait(n), X(n + 1)), n) == c*SumOver(y, glaw(n, 1, y))", "law"),
    "before": fact("past(n) <= n", "model"),
}
_VARIABLES = {"x": "State", "y": "State", "n": "Nat", "m": "Nat", "s": "Real", "t": "Real", "u": "Real"}


def setting(symbols: list[dict[str, Any]], facts: Facts) -> Setting:
    """The base, these symbols and these facts."""
    return {
        "name": "tried",
        "sorts": ["State"],
        "variables": _VARIABLES,
        "symbols": [*BASE, *symbols],
        "facts": {**ASSUMED, **facts},
    }


TRUE: dict[str, Setting] = {
    "explicit": setting([symbol("f", "State Real")], {"f": fact("f(x, t) == rate(x)*t**2 + c")}),
    "the other way": setting([symbol("S", value="Nat")], {"S": fact("SumOver(x, 1) == S")}),
    "recursion": setting(
        [symbol("V", "Nat State Real")],
        {
            "V-0": fact("V(0, x, t) == 0"),
            "V-step": fact("V(n + 1, x, t) == Int(s, t, exp(-s)*SumOver(y, V(n, y, t - s)))"),
        },
    ),
    "both at once": setting(
        [symbol("a", "Nat"), symbol("b", "Nat")],
        {
            "start": fact("And(a(0) == H, b(0) == 1)"),
            "a": fact("a(n + 1) == c*a(n)"),
            "b": fact("b(n + 1) == b(n) + a(n + 1)"),
        },
    ),
    "cases": setting(
        [symbol("rem", "Nat", known="_1")],
        {
            "rem-0": fact("rem(0) == H"),
            "stays": fact("Imp(jump(n) == 1, rem(n + 1) == rem(n) - wait(n))"),
            "ends": fact("Imp(jump(n) == 0, rem(1 + n) == H)"),
        },
    ),
    "contraries": setting(
        [symbol("f", "Real")],
        {"low": fact("Imp(t <= 0, f(t) == 0)"), "high": fact("Imp(Not(s <= 0), f(s) == s*H)")},
    ),
    "partial": setting([symbol("f", "Nat")], {"f": fact("f(n + 1) == K")}),
    "whole by a bound": setting(
        [symbol("new", "Nat", "Nat", known="_1")],
        {"new": fact("new(n + 1) == 1 - jump(n)")},
    ),
    "bounded by signs": setting(
        [
            symbol("T", "Nat", known="_1"),
            symbol("N", "Nat", "Nat", known="_1"),
            symbol("q", "Nat", known="_1"),
        ],
        {
            "T-0": fact("T(0) == 0"),
            "T": fact("T(n + 1) == T(n) + wait(n)"),
            "N-0": fact("N(0) == 0"),
            "N": fact("N(n + 1) == N(n) + jump(n)"),
            "q": fact("q(n) == Min(N(n)/T(n), H) + sqrt(c/Max(T(n), c/H))"),
        },
    ),
    "away from zero": setting(
        [symbol("f", "Nat Real", known="_1 + 1")],
        {"f": fact("f(n, t) == t/Int(s, H, exp(-wait(n)*s)) + t/(1 + jump(n)) + log(1 + t**2)")},
    ),
    "earlier": setting(
        [symbol("f", "Nat", known="_1"), symbol("h", "Nat", known="_1")],
        {"f-0": fact("f(0) == 0"), "f": fact("f(n + 1) == wait(n)"), "h": fact("h(n) == f(past(n))")},
    ),
    "exists": setting(
        [symbol("f", "Real")],
        {"f": fact("Imp(0 <= t, f(t)**3 == t)", "existence", claim="root", means="root")},
    ),
    "bounded by an assumption": setting(
        [symbol("f", "Real"), symbol("h", "Real")],
        {"f": fact("f(t) == 1/(1 + h(t))"), "h": fact("0 <= h(t)", "model")},
    ),
    "a number of things": setting(
        [symbol("S", value="Nat")],
        {"S": fact("S == SumOver(x, 1)"), "some": fact("2 <= S", "model")},
    ),
}


def _on(true: str, **facts: dict[str, str] | None) -> Setting:
    """A true one with facts changed, added or (None) left out."""
    changed = deepcopy(TRUE[true])
    for name, one in facts.items():
        changed["facts"].pop(name, None)
        if one is not None:
            changed["facts"][name] = one
    return changed


def _one(says: str, *symbols: dict[str, Any], **more: dict[str, str]) -> Setting:
    return setting(list(symbols), {"one": fact(says), **more})


_F, _R = symbol("f", "Real"), symbol("f", "Nat")
_RANDOM, _WHOLE = symbol("f", "Nat", known="_1"), symbol("f", "Nat", "Nat")

_ABOUT = "is about nothing but what is defined"
FALSE: list[tuple[str, Setting]] = [
    # circles, and its own value
    ("f(x, t) is what is defined", _on("explicit", f=fact("f(x, t) == f(x, t) + 1"))),
    ("f(x, (t * (1/2))) is what is defined", _on("explicit", f=fact("f(x, t) == f(x, t/2)"))),
    ("is what is defined", _on("recursion", **{"V-0": fact("V(0, x, t) == V(0, x, t) + 1")})),
    ("is not earlier than", _on("recursion", **{"V-step": fact("V(n + 1, x, t) == V(n + 1, x, t) + 1")})),
    ("is not earlier than", _on("recursion", **{"V-step": fact("V(n + 1, x, t) == V(n + 2, x, t) + 1")})),
    ("is not earlier than", _on("recursion", **{"V-step": fact("V(n + 1, x, t) == V(2*n, x, t)")})),
    ("is not earlier than", _one("f(n + 1) == Sum(m, n + 2, f(m))", _R)),
    ("is not earlier than", _one("Imp(f(n + 1) == 1, f(n + 1) == 0)", _R)),
    ("is what is defined", _one("Imp(f(t) == 1, f(t) == 0)", _F)),
    ("a circle of definitions", _on("both at once", a=fact("a(n + 1) == b(n + 1)"))),
    ("a circle of definitions", _on("both at once", a=fact("a(n + 1) == c*a(n) + b(n)"))),
    # two values
    ("f is defined twice", _on("explicit", again=fact("f(y, u) == 1"))),
    ("f is defined twice", _on("explicit", again=fact("1 == f(x, t)"))),
    ("S is defined twice", _on("the other way", again=fact("S == 3"))),
    ("f is defined twice", _one("And(f(t) == 1, f(t) == 2)", _F)),
    ("V is defined twice", _on("recursion", every=fact("V(n, x, t) == t"))),
    ("V is defined twice", _on("recursion", zero=fact("V(0, y, s) == s"))),
    ("rem is defined twice", _on("cases", ends=fact("rem(n + 1) == H"))),
    ("rem is defined twice", _on("cases", ends=fact("Imp(jump(n) <= 1, rem(n + 1) == H)"))),
    ("rem is defined twice", _on("cases", ends=fact("Imp(jump(n + 1) == 0, rem(n + 1) == H)"))),
    ("rem is defined twice", _on("cases", ends=fact("Imp(jump(n) == 1, rem(n + 1) == H)"))),
    ("f is defined twice", _on("contraries", high=fact("Imp(0 <= s, f(s) == s*H + 1)"))),
    ("f is defined twice", _on("contraries", low=fact("Imp(t <= 2, f(t) == 0)"))),
    # two places to be zero or more
    ("are not different variables", _one("f(n + 1, m + 1) == f(n, m)", symbol("f", "Nat Nat"))),
    ("f is defined twice", _one("And(f(0, m) == 0, f(n, 0) == 1)", symbol("f", "Nat Nat"))),
    # no equation, no symbol, no variables
    ("is no equation", _one("f(t) <= 1", _F)),
    ("is no equation", _one("Or(f(t) == 1, f(t) == 0)", _F)),
    ("is no equation", _one("Not(f(t) == 1)", _F)),
    ("is no equation", _one("All(t, f(t) == 1)", _F)),
    ("is no symbol", _one("f(t)**2 == 1", _F)),
    ("is no symbol", _one("0 == 1", _F)),
    ("is no symbol", _one("t == u", _F)),
    ("are not different variables", _one("f(2*t) == 1", _F)),
    ("are not different variables", _one("f(0) == 1", _F)),
    ("are not different variables", _one("f(n + 2) == 1", _R)),
    ("are not different variables", _one("f(1) == 1", _R)),
    ("are not different variables", _one("f(x, x) == 1", symbol("f", "State State"))),
    ("are not different variables", _one("f(n) == 1", _F)),
    ("u is no argument of", _one("f(t) == u", _F)),
    ("m is no argument of", _one("Imp(m == 1, f(t) == 0)", _F)),
    # generic symbols
    ("g is generic", _one("g(x) == 1", _F)),
    ("g is generic", _one("f(x) == g(x)", symbol("f", "State"))),
    ("g is generic", _one("Imp(g(x) == 1, f(x) == 0)", symbol("f", "State"))),
    # what was there before
    ("wait is what the law law is about", _one("wait(n) == 1", _F)),
    ("jump is what the law law is about", _one("jump(n) == 1", _F)),
    ("X is what the law law is about", _one("X(n + 1) == X(n)", _F)),
    (f"fact more: {_ABOUT}", _one("rate(x) == -1", _F, more=fact("0 <= rate(x)", "model"))),
    (f"fact more: {_ABOUT}", _one("c == H", _F, more=fact("0 < c", "model"))),
    (f"fact more: {_ABOUT}", _on("explicit", more=fact("0 <= f(x, t)", "existence"))),
    (f"fact bit: {_ABOUT}", _one("jump(n) == 1", _F, law=fact("0 <= c", "law"))),
    # levels
    ("is not seen to be known at", _one("f(n) == wait(n)", _RANDOM)),
    ("is not seen to be known at", _one("f(n + 1) == wait(n + 1)", _RANDOM)),
    ("is not seen to be known at", _one("Imp(jump(n) == 1, f(n) == 0)", _RANDOM)),
    ("is not seen to be known at", _on("earlier", h=fact("h(n) == f(past(n) + 1)"))),
    ("is not seen to be known at", _on("earlier", before=fact("past(n) <= n + 1", "model"))),
    ("is not seen to be known at", _on("earlier", before=None)),
    ("is random, f is not", _one("f(n) == wait(n)", _R)),
    ("is random, f is not", _one("Imp(jump(n) == 1, f(n) == 0)", _R)),
    # sorts
    ("is not seen to be of sort Nat", _one("f(n) == K - 2", _WHOLE)),
    ("is not seen to be of sort Nat", _one("f(n) == n/2", _WHOLE)),
    ("is not seen to be of sort Nat", _one("f(n) == H", _WHOLE)),
    ("is not seen to be of sort Nat", _on("whole by a bound", bit=fact("jump(n) <= 2", "law"))),
    # sizes
    ("is not seen to be bounded", _one("f(t) == 1/t", _F)),
    ("is not seen to be bounded", _one("f(t) == log(t)", _F)),
    ("is not seen to be bounded", _one("f(t) == 1/(1 + t)", _F)),
    ("is not seen to be bounded", _one("f(t) == Sup(n, n*t)", _F)),
    ("is not seen to be bounded", _one("f(n) == 1/wait(n)", symbol("f", "Nat", known="_1 + 1"))),
    ("is not seen to be bounded", _on("bounded by signs", T=fact("T(n + 1) == T(n) - wait(n)"))),
    ("is not seen to be bounded", _on("bounded by signs", time=fact("-1 <= wait(n)", "law"))),
    ("is not seen to be bounded", _on("bounded by signs", q=fact("q(n) == N(n)/T(n)"))),
    ("is not seen to be bounded", _on("bounded by signs", q=fact("q(n) == Max(N(n)/T(n), H)"))),
    ("is not seen to be bounded", _on("bounded by signs", q=fact("q(n) == c/Max(T(n), c - H)"))),
    ("is not seen to be bounded", _on("away from zero", f=fact("f(n, t) == t/Int(s, t, exp(-wait(n)*s))"))),
    ("is not seen to be bounded", _on("away from zero", f=fact("f(n, t) == t/Int(s, H, s)/wait(n)"))),
    ("is not seen to be bounded", _on("bounded by an assumption", h=fact("0 <= h(n)", "model"))),
    ("is not seen to be bounded", _on("bounded by an assumption", h=fact("Imp(0 <= t, 0 <= h(t))", "model"))),
    # conditions that make no measurable function
    ("Ind of a formula with All", _one("Imp(All(s, f(s) <= t), h(t) == 1)", symbol("h", "Real"), _F)),
    ("Ind of a formula with Sure", _one("Imp(Sure(wait(n) <= t), f(n, t) == 1)", symbol("f", "Nat Real"))),
    # facts that are none
    ("the kind 'axiom' is none of", _on("explicit", f=fact("f(x, t) == 1", "axiom"))),
    ("the kind 'definition ' is none of", _on("explicit", f=fact("f(x, t) == 1", "definition "))),
    ("is not as the language asks", _on("explicit", f=fact("f(x, t) == 1", proved="yes"))),
    ("a claim proves that something exists", _on("explicit", f=fact("f(x, t) == 1", claim="lem:x"))),
    ("a claim proves that something exists", _on("explicit", bit=fact("jump(n) <= 1", "law", claim="lem:x"))),
    ("has no meaning", _on("explicit", f=fact("f(x, t) == nothing"))),
    ("is a term, not a formula", _on("explicit", f=fact("f(x, t)"))),
]  # fmt: skip


# --- spoiled at random ------------------------------------------------------------------------------

_SIDES = (
    "c",
    "H",
    "rate(x)",
    "t",
    "t**2",
    "exp(-t)",
    "Min(t, H)",
    "Ind(t <= c)",
    "SumOver(y, rate(y))",
    "1/2",
)
_OWN = ("{0}(n, x, t/2)", "MaxOver(y, {0}(n, y, t))", "Int(s, t, {0}(n, x, t - s))", "Max({0}(n, x, 0), c)")


def chain(rng: random.Random) -> tuple[list[dict[str, Any]], Facts]:
    """Definitions d0, d1, ..., each by the earlier ones and, if by recursion, by itself."""
    symbols, facts, before = [], Facts(), list[str]()

    def body(*more: str) -> str:
        terms = [*rng.sample(_SIDES, 2), *(rng.sample(before, 1) if before else ()), *more]
        rng.shuffle(terms)
        return rng.choice((" + ", "*", " - ")).join(f"({one})" for one in terms)

    def equation(left: str, right: str) -> dict[str, str]:
        return fact(f"{left} == {right}" if rng.random() < 0.7 else f"{right} == {left}")

    for k in range(rng.randint(2, 4)):
        name = f"d{k}"
        symbols.append(symbol(name, "Nat State Real"))
        match rng.randrange(3):
            case 0:
                facts[name] = equation(f"{name}(n, x, t)", body())
            case 1:
                facts[f"{name}-0"] = equation(f"{name}(0, x, t)", re.sub(r"\bn\b", "K", body()))
                facts[name] = equation(f"{name}(n + 1, x, t)", body(rng.choice(_OWN).format(name)))
            case 2:
                facts[name] = fact(f"Imp(t <= c, {name}(n, x, t) == {body()})")
                facts[f"{name}-other"] = fact(f"Imp(c < t, {name}(n, x, t) == {body()})")
        before.append(f"{name}({rng.choice(('n', '0', 'K'))}, x, {rng.choice(('t', 't + 1', '2'))})")
    return symbols, facts


def _changed(rng: random.Random, facts: Facts, change: Callable[[str, str], str]) -> Facts:
    """One of the definitions of a symbol, changed: ``change`` is given its name and what it says."""
    fact_name = rng.choice(sorted(facts))
    name, one = fact_name.partition("-")[0], facts[fact_name]
    return {**facts, fact_name: {**one, "says": change(name, one["says"])}}


def _around(text: str) -> Callable[[str, str], str]:
    """Something added to the other side; ``{0}`` is the symbol."""

    def change(name: str, says: str) -> str:
        heads = (f"{name}(n + 1, x, t)", f"{name}(n, x, t)", f"{name}(0, x, t)")
        head = next(
            h
            for h in heads
            if says.startswith((h, f"Imp(t <= c, {h}", f"Imp(c < t, {h}")) or says.endswith(h)
        )
        more = text.format(name)
        if says.startswith("Imp"):
            return f"{says[:-1]} + {more})"
        return f"{says} + {more}" if says.startswith(head) else f"{more} + {says}"

    return change


def _more(says: Callable[[str], str], **more: str) -> Callable[[random.Random, Facts], Facts]:
    """One more fact about a symbol that is defined."""

    def spoil(rng: random.Random, facts: Facts) -> Facts:
        name = rng.choice(sorted(facts)).partition("-")[0]
        return {**facts, "more": fact(says(name), **more)}

    return spoil


def _spoiled(change: Callable[[str, str], str]) -> Callable[[random.Random, Facts], Facts]:
    return lambda rng, facts: _changed(rng, facts, change)


SPOIL: dict[str, Callable[[random.Random, Facts], Facts]] = {
    "own value": _spoiled(_around("{0}(n, x, t + 1)*0 + {0}(n + 1, x, t)")),
    "later": _spoiled(_around("{0}(n + 2, x, t)")),
    "half of the index": _spoiled(_around("{0}(2*n, x, t)")),
    "any index": _spoiled(_around("Sum(m, n + 2, {0}(m, x, t))")),
    "free": _spoiled(_around("u")),
    "free, under a sum": _spoiled(_around("SumOver(x, Ind(x == y))")),
    "generic": _spoiled(_around("g(x)")),
    "random": _spoiled(_around("wait(n)*0.5")),
    "a pole": _spoiled(_around("1/t")),
    "a pole inside": _spoiled(_around("1/(1 - t**2)")),
    "unbounded": _spoiled(_around("log(Abs(t - 1))")),
    "a supremum": _spoiled(_around("Sup(m, m*t)")),
    "unknown": _spoiled(_around("nothing(t)")),
    "at most": _spoiled(lambda _, says: says.replace("==", "<=")),
    "not": _spoiled(lambda _, says: f"Not({says})"),
    "or": _spoiled(lambda name, says: f"Or({says}, {name}(n, x, t) == 3)"),
    "all": _spoiled(lambda _, says: f"All(t, {says})"),
    "again": _more(lambda name: f"{name}(n, y, u) == 7"),
    "again, for 0": _more(lambda name: f"{name}(0, x, t) == c - 7"),
    "again, later": _more(lambda name: f"H - 7 == {name}(n + 1, x, t)"),
    "again, sometimes": _more(lambda name: f"Imp(t <= H, {name}(n, x, t) == 7)"),
    "again, in a part": _more(lambda name: f"And(c == c, {name}(n, x, t) == 7)"),
    "assumed as well": _more(lambda name: f"0 <= {name}(n, x, t)", kind="model"),
    "of a law": _more(lambda _: "wait(n) == H"),
    "circle": lambda _, facts: {
        **facts,
        "one": fact("e0(n, x, t) == c*e1(n, x, t/2)"),
        "two": fact("e1(n, x, t) == e2(0, x, t)"),
        "three": fact("Imp(t <= H, e2(n, x, t) == e0(n, x, 1))"),
    },
}
EXTRA = [symbol(f"e{k}", "Nat State Real") for k in range(3)]


# --- theories at random, and what they say ------------------------------------------------------------

Equation = tuple[str | None, str, str, str]  # a condition or none, a symbol, its argument, its value
_PLACES = ("n", "n", "n + 1", "n + 1", "0")
_TERMS = ("p(n)", "j(n)", "f(n)", "g(n)", "h(n)", "f(n + 1)", "g(0)", "h(n)*2", "1", "n", "q")
_CONDITIONS = ("j(n) == 0", "j(n) == 1", "p(n) <= 1", "1 < p(n)", "f(n) <= 2", "2 < g(n)")


def theory(rng: random.Random) -> list[Equation]:
    """Equations for f, g, h as they come."""
    rows: list[Equation] = []
    for name in rng.choices("fgh", k=rng.randint(1, 4)):
        place = rng.choice(_PLACES)
        terms = [
            one.replace("n", "q") if place == "0" else one for one in rng.choices(_TERMS, k=rng.randint(1, 2))
        ]
        condition = rng.choice(_CONDITIONS) if rng.random() < 0.4 and place != "0" else None
        rows.append((condition, name, place, " + ".join(terms)))
    return rows


def written(rows: list[Equation]) -> Setting:
    """As a setting; q is a number, p and j are any functions, of which the second is 0 or 1."""
    facts = {"j": fact("j(n) <= 1", "model")}
    for k, (condition, name, place, value) in enumerate(rows):
        says = f"{name}({place}) == {value}"
        facts[f"{name}-{k}"] = fact(says if condition is None else f"Imp({condition}, {says})")
    symbols = [symbol("q", value="Nat"), symbol("p", "Nat"), symbol("j", "Nat", "Nat")]
    symbols += [symbol(name, "Nat") for name in "fgh"]
    return {"name": "tried", "sorts": [], "variables": {"n": "Nat"}, "symbols": symbols, "facts": facts}


class CircleError(Exception):
    """A value is needed for itself."""


def holds(rows: list[Equation], rng: random.Random, largest: int = 4) -> bool:
    """Whether f, g, h have values up to ``largest`` such that all of it is true, for some p, j and q."""
    known: dict[tuple[str, int], Fraction | None] = {}
    p = [Fraction(rng.randint(0, 6), 2) for _ in range(2 * largest + 9)]
    j = [rng.randint(0, 1) for _ in range(2 * largest + 9)]
    compiled = [
        (condition and compile(condition, "", "eval"), name, place, compile(value, "", "eval"))
        for condition, name, place, value in rows
    ]

    def names(n: int) -> dict[str, Any]:
        functions = {name: (lambda k, name=name: value(name, k)) for name in "fgh"}
        return {"n": n, "q": 1, "p": lambda k: p[k], "j": lambda k: j[k], **functions}

    def value(name: str, k: int) -> Fraction:
        if (name, k) not in known:
            known[name, k] = None
            said = [one for one in instances(name, k) if one is not None]
            known[name, k] = said[0] if said else Fraction(0)
        if (found := known[name, k]) is None:
            raise CircleError
        return found

    def instances(name: str, k: int) -> Iterator[Fraction | None]:
        """What the equations say of one value: None where the condition fails."""
        for condition, own, place, code in compiled:
            n = k - 1 if place == "n + 1" else k
            if own == name and n >= 0 and (place != "0" or k == 0):
                yield (
                    Fraction(eval(code, names(n))) if condition is None or eval(condition, names(n)) else None
                )

    try:
        for name in "fgh":
            for k in range(largest + 1):
                here = value(name, k)
                if any(one not in (None, here) for one in instances(name, k)):
                    return False
    except CircleError:
        return False
    return True


# --- terms at random, and how far they reach ----------------------------------------------------------

_NEAR = (1e-100, 1e-12, 1e-7)
_FAR = (0.0, 1e-3, 0.5, 1.0, 3.0)


def term(rng: random.Random, depth: int) -> str:
    """A term in t, v (of any sign), w (positive), k (natural), and numbers c, H > 0."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(("t", "v(n)", "w(n)", "k(n)", "c", "H", "1", "2", "1/2", "0"))
    parts = [term(rng, depth - 1) for _ in range(2)]
    form = rng.choice(
        ("({0} + {1})", "({0} - {1})", "{0}*{1}", "1/({0})", "({0})/({1})", "Max({0}, {1})", "Min({0}, {1})",
         "sqrt({0})", "log({0})", "Abs({0})", "exp(-({0})**2)", "exp(Min({0}, 1))", "({0})**2",
         "1/Max({0}, c/H)")
    )  # fmt: skip
    return form.format(*parts)


def sized(text: str) -> Setting:
    """The term as a definition."""
    symbols = [
        symbol("v", "Nat", known="_1"),
        symbol("w", "Nat", known="_1"),
        symbol("k", "Nat", "Nat", known="_1"),
        symbol("f", "Nat Real", known="_1"),
        symbol("c"),
        symbol("H"),
    ]
    facts = {
        "w": fact("0 < w(n)", "law"),
        "c": fact("And(0 < c, 0 < H)", "model"),
        "f": fact(f"f(n, t) == {text}"),
    }
    return {
        "name": "tried",
        "sorts": [],
        "variables": _VARIABLES_OF_TERMS,
        "symbols": symbols,
        "facts": facts,
    }


_VARIABLES_OF_TERMS = {"n": "Nat", "t": "Real"}


def reach(text: str, rng: random.Random, points: int = 60) -> tuple[float, float]:
    """The largest value at points that are away from 0, and at points that are close to it as well."""
    code = compile(_total(text), "", "eval")
    largest = [0.0, 0.0]
    for i in range(2 * points):
        near = _NEAR + _FAR if i % 2 else _FAR
        signed = [rng.choice((-1, 1)) * rng.choice(near) for _ in range(2)]
        positive = rng.choice([x for x in near if x])
        names = {"t": signed[0], "v": lambda _, x=signed[1]: x, "w": lambda _, x=positive: x, "n": 0}
        whole = rng.randrange(3)
        names |= {"k": lambda _, x=whole: x, "c": 0.7, "H": 1.3, **_FUNCTIONS}
        try:
            largest[i % 2] = max(largest[i % 2], abs(eval(code, names)))
        except OverflowError:
            largest[i % 2] = math.inf
    return largest[0], largest[1]


def _quotient(a: float, b: float) -> float:
    return 0.0 if b == 0 else a / b


_FUNCTIONS: dict[str, Any] = {
    "quotient": _quotient,
    "sqrt": lambda x: math.sqrt(max(x, 0)),
    "log": lambda x: math.log(x) if x > 0 else 0.0,
    "exp": math.exp,
    "Max": max,
    "Min": min,
    "Abs": abs,
}


class _Total(ast.NodeTransformer):
    """x/0 is 0."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div):
            return node
        return ast.Call(ast.Name("quotient", ast.Load()), [node.left, node.right], [])


def _total(text: str) -> str:
    return ast.unparse(_Total().visit(ast.parse(text, mode="eval")))
