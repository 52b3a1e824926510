"""The rules about numbers, sums and maxima as tactics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from verify.coq.derivations.steps import LemmaStep, Lines
from verify.coq.derivations.words import casted
from verify.coq.text import NotExportedError
from verify.recheck.derivations.elementary import FACTS, PLAIN
from verify.recheck.derivations.polynomials import tree
from verify.recheck.derivations.reading import TextReader, indicator
from verify.recheck.derivations.trees import Nameless, closed, fresh, make, num, opened, replaced


@dataclass(frozen=True)
class _Summand:
    """A multiple of a premise's gap, the proof of its sign, the sign: ``eq`` (it is 0), ``le``, ``lt``."""

    term: Nameless
    proof: str
    sign: str


def _combine(step: LemmaStep) -> Lines:
    lines = [f"  pose proof {step.premise(k)} as K{k}." for k in range(len(step.premises))]
    given = [_multiple(step, data, k) for k, data in enumerate(step.data.get("multipliers", []))]
    return [*lines, *_summed(step, [one for one in given if one is not None])]


def _multiple(step: LemmaStep, data: Any, k: int) -> _Summand | None:
    """The k-th premise times its multiplier."""
    bench, words, premise = step.steps.bench, step.words, step.premises[k].formula
    shown = data.get("sign") if isinstance(data, Mapping) else None
    text = data["term"] if isinstance(data, Mapping) else str(data)
    factor = tree(bench.canon.poly(TextReader(bench.language).term(text)))
    if factor.number == 0:
        return None
    low, high = premise.args
    term = make("*", factor, make("+", high, make("*", num(-1), low)))
    args = f"({words.real(factor)}) ({words.real(low)}) ({words.real(high)})"
    if premise.op == "==":
        return _Summand(term, f"(multiple_eq {args} K{k})", "eq")
    if factor.number is not None:
        strict = premise.op == "<"
        sign = f"(ltac:(numeric) : 0 {'<' if strict else '<='} {words.real(factor)})"
    else:
        positive = shown is not None and step.premises[shown].formula.op == "<"
        strict = positive and premise.op == "<"
        sign = f"(Rlt_le _ _ K{shown})" if positive and not strict else f"K{shown}"
    lemma = "multiple_strict" if strict else "multiple_lt" if premise.op == "<" else "multiple_le"
    return _Summand(term, f"({lemma} {args} {sign} K{k})", "lt" if strict else "le")


def _summed(step: LemmaStep, summands: list[_Summand]) -> Lines:
    """The goal from the signs of what its gap is a sum of."""
    words, goal = step.words, step.judgement.formula
    low, high = goal.args
    gap = make("+", high, make("*", num(-1), low))
    rest = step.steps.bench.canon.poly(make("+", gap, *(make("*", num(-1), s.term) for s in summands)))
    left = num(rest.get((), 0))
    total, have = left, "lt" if left.number else "eq"
    proof = f"(ltac:(numeric) : 0 {'<' if left.number else '='} {words.real(left)})"
    for one in reversed(summands):
        total, proof = make("+", one.term, total), f"(plus_{one.sign}_{have} _ _ {one.proof} {proof})"
        have = max(have, one.sign, key=("eq", "le", "lt").index)
    want = {"<=": "le", "<": "lt", "==": "eq"}[goal.op]
    if have != want == "le":
        proof = f"(sign_{have} _ {proof})"
    equal = step.same.rings.equal(gap, total)
    return [f"  apply (combined_{want} _ _ ({words.real(total)})); [{equal} | exact {proof}]."]


def _monotone(step: LemmaStep) -> Lines:
    binder, x = str(step.data["binder"]), step.rule.variable()
    (p,) = step.premises
    low, high = p.formula.args
    order = "==" if p.formula.op == "==" else "<="
    name, lemma = step.words.name(str(x.value)), f"{binder}_{'same' if order == '==' else 'at_most'}"
    shown: dict[Nameless, str] = {}
    bound: tuple[Nameless, ...] = ()
    lines = [f"  apply {lemma}; bind {name}."]
    if binder == "Sum":
        end = step.rule.whole("bound")
        bound = (end,)
        inside = step.rule.normal(make("<", x, end))
        shown[inside] = "K1"
        lines.append("  intros K0.")
        if inside in p.given:
            lines += [
                f"  assert (K1 : {step.words.formula(inside)}).",
                f"  {{ apply (Rlt_le_trans _ (INR {step.words.nat(end)})); [apply lt_INR; exact K0 | right; "
                f"{step.same.number(casted(end))}]. }}",
            ]
    elif binder not in ("SumOver", "MaxOver"):
        raise NotExportedError(binder)
    proof = step.premise(0, shown)
    lines.append(f"  exact {proof}." if p.formula.op != "<" else f"  exact (Rlt_le _ _ {proof}).")
    sides = [make(binder, *bound, closed(u, x), value=x.sort) for u in (low, high)]
    return step.brought(make(order, *sides), lines)


def _exchange(step: LemmaStep) -> Lines:
    term = step.rule.term()
    x = fresh(str(term.value), term)
    inner = opened(term.args[-1], x)
    y = fresh(str(inner.value), inner, x)
    body = opened(inner.args[-1], y)
    outer = make(term.op, *term.args[:-1], closed(body, x), value=term.value)
    other = make(inner.op, *inner.args[:-1], closed(outer, y), value=inner.value)
    pair = (term.op, inner.op)
    lemma = {("SumOver", "Sum"): "symmetry; apply Sum_SumOver"}.get(pair, f"apply {term.op}_{inner.op}")
    return step.brought(make("==", term, other), [f"  {lemma}."])


def _most(step: LemmaStep) -> Lines:
    term, at = step.rule.term(), step.rule.term("at")
    proof = f"  exact (MaxOver_at _ {step.words.function(term)} {step.words.term(at, at.sort)})."
    return step.brought(make("<=", opened(term.args[0], at), term), [proof])


def _least(step: LemmaStep) -> Lines:
    y, (p,) = step.rule.variable("finite"), step.premises
    low, high = p.formula.args
    lines = [f"  apply MaxOver_least; bind {step.words.name(str(y.value))}.", f"  exact {step.premise(0)}."]
    return step.brought(make("<=", make("MaxOver", closed(low, y), value=y.sort), high), lines)


def _archimedes(step: LemmaStep) -> Lines:
    n, (p,) = step.rule.variable("Nat"), step.premises
    low, high = p.formula.args
    u = step.judgement.formula.args[0]
    name = step.words.name(str(n.value))
    equal = step.same.rings.equal(make("*", n, u), low)
    return [
        f"  apply (archimedes _ ({step.words.real(high)})); bind {name}.",
        f"  apply Rle_trans with ({step.words.real(low)}); [right; {equal} | exact {step.premise(0)}].",
    ]


def _holds(step: LemmaStep) -> Lines:
    a = step.rule.formula()
    raw = make("==", indicator(a), num(1))
    return step.brought(
        raw, [*step.back(a, step.given(step.same.normal(a)), "K0"), "  exact (ind_true _ K0)."]
    )


def _fails(step: LemmaStep) -> Lines:
    a = step.rule.formula()
    denied = make("Not", a)
    raw = make("==", indicator(a), num(0))
    return step.brought(
        raw, [*step.back(denied, step.given(step.same.normal(denied)), "K0"), "  exact (ind_false _ K0)."]
    )


def _whole(step: LemmaStep) -> Lines:
    u = step.rule.whole("term")
    return step.brought(make("<=", num(0), u), ["  natural."])


def _known(step: LemmaStep) -> Lines:
    name, bench = str(step.data["name"]), step.steps.bench
    if name == "either":
        a, b = (TextReader(bench.language).formula(t) for t in step.data["terms"])
        return step.brought(make("Imp", make("And", make("Or", a, b), make("Not", a)), b), ["  tauto."])
    says = TextReader(PLAIN).formula(FACTS[name])
    variables = [v for n in "xynm" if (v := PLAIN.variable(n)) is not None and v in says.free]
    values = [TextReader(bench.language).term(t) for t in step.data["terms"]]
    put = [casted(t) if v.sort == "Nat" else t for v, t in zip(variables, values, strict=True)]
    raw = replaced(says, dict(zip(variables, put, strict=True)))
    args = " ".join(step.words.term(t, v.sort) for v, t in zip(variables, values, strict=True))
    return step.brought(raw, [f"  exact (known_{name.replace('-', '_')} {args})."])


RULES: Mapping[str, Callable[[LemmaStep], Lines]] = {
    "combine": _combine,
    "monotone": _monotone,
    "exchange": _exchange,
    "most": _most,
    "least": _least,
    "archimedes": _archimedes,
    "holds": _holds,
    "fails": _fails,
    "whole": _whole,
    "known": _known,
}
