"""A step of a derivation as a lemma: what it shows, and a tactic for its rule.

What is given and what is shown are written in their normal form, so that what two steps have in common reads
alike; what a rule really says is shown first, in the words of the rule, and then brought to that form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from verify.coq.derivations.same import Same
from verify.coq.derivations.words import Words, cast
from verify.coq.text import NotExportedError
from verify.recheck.derivations.analysis import undecided
from verify.recheck.derivations.elementary import FACTS, PLAIN, relation_in
from verify.recheck.derivations.polynomials import tree
from verify.recheck.derivations.reading import TextReader, indicator
from verify.recheck.derivations.trees import (
    Nameless,
    changed,
    closed,
    fresh,
    make,
    num,
    opened,
    replaced,
)
from verify.recheck.derivations.workbench import Judgement, RuleStep, Workbench

Lines = list[str]
Free = dict[str, str]  # the names that a lemma is for all values of, and their types


@dataclass(frozen=True)
class Cited:
    """What a file has under a name of its own: said in the words of the statement, for its free names."""

    name: str
    says: Nameless
    given: tuple[Nameless, ...] = ()
    put: Mapping[Nameless, Nameless] = field(default_factory=dict)  # the values of its variables


@dataclass
class Steps:
    """The steps of one derivation so far."""

    bench: Workbench
    words: Words
    shown: list[Judgement] = field(default_factory=list)
    cited: dict[int, Cited] = field(default_factory=dict)  # the steps that something else shows
    same: Same = field(init=False)

    def __post_init__(self) -> None:
        self.same = Same(self.bench.canon, self.words)

    # ------------------------------------------------------------ statements

    def free(self, *formulas: Nameless) -> Free:
        """Generic symbols and variables, in the order in which a lemma names them."""
        language = self.bench.language
        signs = {n for f in formulas for n in _symbols(f) if language.signs[n].generic}
        variables = {str(v.value): v.sort for f in formulas for v in f.free}
        found = {self.words.name(n): self.words.kind(n) for n in sorted(signs)}
        return {**found, **{self.words.name(n): self.words.sort(s) for n, s in sorted(variables.items())}}

    def of(self, judgement: Judgement) -> Free:
        """The free names of a step."""
        return self.free(judgement.formula, *judgement.given)

    def statement(self, judgement: Judgement) -> str:
        """What a step shows."""
        given = [f"({self.words.formula(g)}) -> " for g in ordered(judgement.given)]
        names = self.words.binders(self.of(judgement))
        return f"{f'forall{names}, ' if names else ''}{''.join(given)}{self.words.formula(judgement.formula)}"

    def add(self, data: Mapping[str, Any], judgement: Judgement) -> Lines:
        """The lemma of the next step."""
        k = len(self.shown)
        places = data.get("from", [])
        one = Step(self, data, [self.shown[j] for j in places], list(places), judgement, k)
        rule = _RULES.get(str(data["rule"]))
        if rule is None:
            raise NotExportedError(f"the rule {data['rule']}")
        body = rule(one)
        self.shown.append(judgement)
        return [f"Lemma step_{k} : {self.statement(judgement)}.", "Proof.", *one.opening(), *body, "Qed."]


def _symbols(t: Nameless) -> set[str]:
    return {str(n.value) for n in t.walk() if n.op == "sym"}


def ordered(given: frozenset[Nameless]) -> list[Nameless]:
    """The givens in the order of a lemma."""
    return sorted(given, key=lambda g: g.text)


@dataclass
class Step:
    """One step on its way to a lemma."""

    steps: Steps
    data: Mapping[str, Any]
    premises: list[Judgement]
    places: list[int]
    judgement: Judgement
    number: int

    @property
    def words(self) -> Words:
        """The printer."""
        return self.steps.words

    @property
    def same(self) -> Same:
        """Equal terms."""
        return self.steps.same

    @property
    def rule(self) -> RuleStep:
        """The step as the checker reads it."""
        return RuleStep(self.data, self.premises, self.steps.bench)

    def opening(self) -> Lines:
        """Names for all that is free, here and in the premises, and for what is given."""
        own, cited = self.steps.of(self.judgement), self.steps.cited.get(self.number)
        names = [*own, *(f"G{k}" for k in range(len(self.judgement.given)))]
        lines = [f"  intros {' '.join(names)}."] if names else []
        others = [self.steps.of(p) for p in self.premises]
        if cited is not None:
            put = [cited.says, *cited.put.values()] if not cited.put else list(cited.put.values())
            others.append(self.steps.free(*put))
        more = {n: t for names in others for n, t in names.items() if n not in own}
        return [*lines, *(f"  pose ({n} := {self._anything(t)} : {t})." for n, t in more.items())]

    def _anything(self, kind: str) -> str:
        *args, value = kind.split(" -> ")
        known = {"R": "0", "nat": "0%nat"}.get(value) or f"someone {value}"
        return f"(fun {' '.join('_' for _ in args)} => {known})" if args else known

    def given(self, formula: Nameless) -> str:
        """The name of a given."""
        return f"G{ordered(self.judgement.given).index(formula)}"

    def premise(self, k: int, shown: Mapping[Nameless, str] | None = None, put: Mapping[str, str] = {}) -> str:
        """The lemma of a premise, for the names of the context and what is given here or shown."""
        p, shown = self.premises[k], shown or {}
        values = [put.get(n, n) for n in self.steps.of(p)]
        givens = [shown[g] if g in shown else self.given(g) for g in ordered(p.given)]
        return f"({' '.join((f'step_{self.places[k]}', *values, *givens))})"

    def brought(self, raw: Nameless, proof: Lines, words: Words | None = None) -> Lines:
        """What is shown in the words of the rule, in normal form."""
        same = self.same if words is None else Same(self.steps.bench.canon, self.words, words)
        text = (words or self.words).formula(raw)
        if text == self.words.formula(same.normal(raw)):
            return proof
        return [
            f"  assert (A0 : {text}).",
            "  {",
            *proof,
            "  }",
            f"  assert (A1 : ({text}) <-> ({self.words.formula(same.normal(raw))})) by {same.formula(raw)}.",
            "  exact (proj1 A1 A0).",
        ]

    def back(self, raw: Nameless, hypothesis: str, name: str, words: Words | None = None) -> Lines:
        """What is there in normal form, in the words of the rule."""
        same = self.same if words is None else Same(self.steps.bench.canon, self.words, words)
        text, normal = (words or self.words).formula(raw), self.words.formula(same.normal(raw))
        if text == normal:
            return [f"  assert ({name} : {text}) by exact {hypothesis}."]
        return [
            f"  assert ({name} : {text}).",
            f"  {{ assert (A1 : ({text}) <-> ({normal})) by {same.formula(raw)}.",
            f"    exact (proj2 A1 {hypothesis}). }}",
        ]


# ---------------------------------------------------------------- logic


def _cited(step: Step) -> Lines:
    """A fact, a lemma or a proved relation: what the file has under a name of its own."""
    cited = step.steps.cited[step.number]
    stated = Words(step.words.language, stated=True)
    lines: Lines = []
    for k, g in enumerate(cited.given):
        raw = replaced(g, dict(cited.put))
        left = undecided(step.same.normal(raw))
        lines += step.back(raw, step.given(left[0]) if left else "ltac:(lra)", f"E{k}", stated)
    if cited.put:
        values = [stated.term(value, x.sort) for x, value in cited.put.items()]
    else:
        values = list(step.steps.free(cited.says))
    args = " ".join((cited.name, *values, *(f"E{k}" for k in range(len(cited.given)))))
    return [*lines, *step.brought(replaced(cited.says, dict(cited.put)), [f"  exact ({args})."], stated)]


def _assume(step: Step) -> Lines:
    return [f"  exact {step.given(step.judgement.formula)}."]


def _discharge(step: Step) -> Lines:
    a = step.rule.normal(step.rule.formula())
    return ["  intros K0.", f"  exact {step.premise(0, {a: 'K0'})}."]


def _mp(step: Step) -> Lines:
    return [f"  exact ({step.premise(0)} {step.premise(1)})."]


def _cut(step: Step) -> Lines:
    a = step.premises[0].formula
    return [f"  pose proof {step.premise(0)} as K0.", f"  exact {step.premise(1, {a: 'K0'})}."]


def _generalize(step: Step) -> Lines:
    x = step.words.name(step.data["variable"])
    raw = make("All", closed(step.premises[0].formula, step.rule.variable()), value=step.rule.variable().sort)
    return step.brought(raw, [f"  bind {x}.", f"  exact {step.premise(0)}."])


def _specialize(step: Step) -> Lines:
    term, all_ = step.rule.term(), step.premises[0].formula
    sort = str(all_.value)
    raw = opened(all_.args[0], _value(step, term, sort))
    return step.brought(raw, [f"  exact ({step.premise(0)} {step.words.term(_normal(step, term), sort)})."])


def _normal(step: Step, term: Nameless) -> Nameless:
    return step.rule.normal(term)


def _value(step: Step, term: Nameless, sort: str) -> Nameless:
    """A term that is put in for a variable."""
    found = _normal(step, term)
    return cast(found) if sort == "Nat" else found


def _parts(step: Step) -> Lines:
    lines = [f"  pose proof {step.premise(k)} as K{k}; take K{k}." for k in range(len(step.premises))]
    return [*lines, "  joined."]


def _cases(step: Step) -> Lines:
    a = step.rule.normal(step.rule.formula())
    other = step.rule.normal(make("Not", a))
    no = {"<=": "(Rnot_le_lt _ _ K0)", "<": "(Rnot_lt_le _ _ K0)", "Not": "(NNPP _ K0)"}.get(a.op, "K0")
    return [
        f"  destruct (classic ({step.words.formula(a)})) as [K0 | K0].",
        f"  {{ exact {step.premise(0, {a: 'K0'})}. }}",
        f"  {{ exact {step.premise(1, {other: no})}. }}",
    ]


def _absurd(step: Step) -> Lines:
    return [
        f"  pose proof {step.premise(0)} as K0.",
        f"  pose proof {step.premise(1)} as K1.",
        "  clash K0 K1.",
    ]


def _put_in(step: Step, put: Callable[[Nameless], Nameless], values: Mapping[str, str]) -> Lines:
    """The premise for a value of a variable or of a symbol, what is given included."""
    lines: Lines = []
    names: dict[Nameless, str] = {}
    for k, g in enumerate(ordered(step.premises[0].given)):
        raw = put(g)
        names[g] = f"E{k}"
        lines += step.back(raw, step.given(step.same.normal(raw)), names[g])
    raw = put(step.premises[0].formula)
    return [*lines, *step.brought(raw, [f"  exact {step.premise(0, names, values)}."])]


def _substitute(step: Step) -> Lines:
    x = step.rule.variable()
    value = _value(step, step.rule.term(), x.sort)
    name = step.words.name(str(x.value))
    return _put_in(step, lambda t: replaced(t, {x: value}), {name: step.words.term(value, x.sort)})


def _instantiate(step: Step) -> Lines:
    bench = step.steps.bench
    sign = bench.language.signs[step.data["symbol"]]
    params = [bench.variable(name) for name in step.data["params"]]
    body = step.rule.normal(step.rule.term("body"))
    if sign.value == "Nat":
        body = cast(body)

    def leaf(node: Nameless, depth: int) -> Nameless | None:
        if node.op != "sym" or node.value != sign.name:
            return None
        args = [changed(a, leaf, depth) for a in node.args]
        values = [cast(a) if s == "Nat" else a for a, s in zip(args, sign.args, strict=True)]
        return replaced(body, dict(zip(params, values, strict=True)))

    names = [f"({step.words.name(str(p.value))} : {step.words.sort(p.sort)})" for p in params]
    text = step.words.term(body, sign.value)
    function = f"(fun {' '.join(names)} => {text})" if names else text
    return _put_in(step, lambda t: changed(t, leaf), {step.words.name(sign.name): function})


def _rewrite(step: Step) -> Lines:
    x, template = step.rule.variable(), step.rule.formula("template")
    old, new = step.premises[0].formula.args
    turned = x.sort not in ("Real", "Nat") and step.same.normal(replaced(template, {x: old})) != step.premises[1].formula
    if turned:
        old, new = new, old
    before, after = (replaced(template, {x: cast(u) if x.sort == "Nat" else u}) for u in (old, new))
    lines = [f"  pose proof {step.premise(0)} as K0.", f"  pose proof {step.premise(1)} as K1."]
    if turned:
        lines.append("  symmetry in K0.")
    if x.sort == "Nat":
        a, b = (step.words.nat(u) for u in (old, new))
        lines += [
            f"  assert (K2 : {a} = {b}).",
            f"  {{ apply INR_eq. transitivity ({step.words.real(old)}); "
            f"[{step.same.number(_casted(old))} | transitivity ({step.words.real(new)}); [exact K0 | symmetry; {step.same.number(_casted(new))}]]. }}",
        ]
    else:
        lines.append("  pose proof K0 as K2.")
    lines += step.back(before, "K1", "K3")
    name = step.words.name(str(x.value))
    text = step.words.formula(template)
    sort = step.words.sort(x.sort)
    u, v = (step.words.term(cast(w) if x.sort == "Nat" else w, x.sort) for w in (old, new))
    proof = [f"  exact (eq_ind {u} (fun {name} : {sort} => {text}) K3 {v} K2)."]
    return [*lines, *step.brought(after, proof)]


def _casted(t: Nameless) -> Nameless:
    return Nameless("cast", (t,), None, "Nat")


def _induction(step: Step) -> Lines:
    n, a = step.rule.variable("Nat"), step.judgement.formula
    name = step.words.name(str(n.value))
    first, after = (replaced(a, {n: Nameless("cast", (v,), None, "Nat")}) for v in (num(0), make("+", num(1), n)))
    return [
        f"  revert {name}.",
        f"  apply (nat_ind (fun {name} : nat => {step.words.formula(a)})).",
        f"  {{ change ({step.words.formula(first)}).",
        *step.back(first, step.premise(0), "K0"),
        "  exact K0. }",
        f"  {{ intros {name} K1. change ({step.words.formula(after)}).",
        *step.back(after, step.premise(1, {a: "K1"}), "K0"),
        "  exact K0. }",
    ]


# ---------------------------------------------------------------- numbers


def _combine(step: Step) -> Lines:
    goal = step.judgement.formula
    low, high = goal.args
    bench, words = step.steps.bench, step.words
    lines: Lines = []
    summands: list[Nameless] = []
    signs: list[tuple[str, bool]] = []  # the proof that a summand is not negative, and whether it is positive
    for k, data in enumerate(step.data.get("multipliers", [])):
        sign = data.get("sign") if isinstance(data, Mapping) else None
        text = data["term"] if isinstance(data, Mapping) else str(data)
        factor = tree(bench.canon.poly(TextReader(bench.language).term(text)))
        lines.append(f"  pose proof {step.premise(k)} as K{k}.")
        if factor.number == 0:
            continue
        l, r = step.premises[k].formula.args
        summands.append(make("*", factor, make("+", r, make("*", num(-1), l))))
        args = f"({words.real(factor)}) ({words.real(l)}) ({words.real(r)})"
        kind = step.premises[k].formula.op
        if kind == "==":
            signs.append((f"(multiple_eq {args} K{k})", False))
            continue
        positive = factor.number is not None or step.premises[int(sign or 0)].formula.op == "<"
        strict = kind == "<" and positive
        lemma = "multiple_strict" if strict else "multiple_lt" if kind == "<" else "multiple_le"
        if factor.number is None:
            weak = positive and not strict
            shown = f"(Rlt_le _ _ K{sign})" if weak else f"K{sign}"
        else:
            shown = f"(ltac:(lra) : 0 {'<' if strict else '<='} {words.real(factor)})"
        signs.append((f"({lemma} {args} {shown} K{k})", strict))
    return [*lines, *_summed(step, goal, low, high, summands, signs)]


def _summed(
    step: Step, goal: Nameless, low: Nameless, high: Nameless, summands: list[Nameless], signs: list[tuple[str, bool]]
) -> Lines:
    """The goal from the signs of what its gap is a sum of."""
    words, canon = step.words, step.steps.bench.canon
    gap = make("+", high, make("*", num(-1), low))
    rest = canon.poly(make("+", gap, *(make("*", num(-1), s) for s in summands)))
    left = rest.get((), 0)
    total, (proof, strict) = num(left), (f"(ltac:(lra) : 0 {'=' if not left else '<'} {words.real(num(left))})", left > 0)
    equal = not left
    for summand, (one, one_strict) in zip(reversed(summands), reversed(signs), strict=True):
        is_equal = one.startswith("(multiple_eq")
        total = make("+", summand, total)
        lemma = f"plus_{'eq' if is_equal else 'lt' if one_strict else 'le'}_{'eq' if equal else 'lt' if strict else 'le'}"
        proof = f"({lemma} _ _ {one} {proof})"
        equal, strict = equal and is_equal, strict or one_strict
    have = "eq" if equal else "lt" if strict else "le"
    want = {"<=": "le", "<": "lt", "==": "eq"}[goal.op]
    if have != want and want == "le":
        proof = f"(sign_{have} _ {proof})"
    return [
        f"  apply (combined_{want} _ _ ({words.real(total)})); [{step.same.rings.equal(gap, total)} | exact {proof}]."
    ]


def _monotone(step: Step) -> Lines:
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
                f"{step.same.number(_casted(end))}]. }}",
            ]
    elif binder not in ("SumOver", "MaxOver"):
        raise NotExportedError(binder)
    proof = step.premise(0, shown)
    lines.append(f"  exact {proof}." if p.formula.op != "<" else f"  exact (Rlt_le _ _ {proof}).")
    sides = [make(binder, *bound, closed(u, x), value=x.sort) for u in (low, high)]
    return step.brought(make(order, *sides), lines)


def _exchange(step: Step) -> Lines:
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


def _most(step: Step) -> Lines:
    term, at = step.rule.term(), step.rule.term("at")
    proof = f"  exact (MaxOver_at _ {step.words.function(term)} {step.words.term(at, at.sort)})."
    return step.brought(make("<=", opened(term.args[0], at), term), [proof])


def _least(step: Step) -> Lines:
    y, (p,) = step.rule.variable("finite"), step.premises
    low, high = p.formula.args
    lines = [f"  apply MaxOver_least; bind {step.words.name(str(y.value))}.", f"  exact {step.premise(0)}."]
    return step.brought(make("<=", make("MaxOver", closed(low, y), value=y.sort), high), lines)


def _archimedes(step: Step) -> Lines:
    n, (p,) = step.rule.variable("Nat"), step.premises
    low, high = p.formula.args
    u = step.judgement.formula.args[0]
    name = step.words.name(str(n.value))
    product = make("*", n, u)
    return [
        f"  apply (archimedes _ ({step.words.real(high)})); bind {name}.",
        f"  apply Rle_trans with ({step.words.real(low)}); [right; {step.same.rings.equal(product, low)} | exact {step.premise(0)}].",
    ]


def _holds(step: Step) -> Lines:
    a = step.rule.formula()
    raw = make("==", indicator(a), num(1))
    return step.brought(raw, [*step.back(a, step.given(step.same.normal(a)), "K0"), "  exact (ind_true _ K0)."])


def _fails(step: Step) -> Lines:
    a = step.rule.formula()
    denied = make("Not", a)
    raw = make("==", indicator(a), num(0))
    return step.brought(
        raw, [*step.back(denied, step.given(step.same.normal(denied)), "K0"), "  exact (ind_false _ K0)."]
    )


def _whole(step: Step) -> Lines:
    u = step.rule.whole("term")
    return step.brought(make("<=", num(0), u), ["  natural."])


def _known(step: Step) -> Lines:
    name, bench = str(step.data["name"]), step.steps.bench
    if name == "either":
        a, b = (TextReader(bench.language).formula(t) for t in step.data["terms"])
        return step.brought(make("Imp", make("And", make("Or", a, b), make("Not", a)), b), ["  tauto."])
    says = TextReader(PLAIN).formula(FACTS[name])
    variables = [v for n in "xynm" if (v := PLAIN.variable(n)) is not None and v in says.free]
    values = [TextReader(bench.language).term(t) for t in step.data["terms"]]
    put = [_casted(t) if v.sort == "Nat" else t for v, t in zip(variables, values, strict=True)]
    raw = replaced(says, dict(zip(variables, put, strict=True)))
    args = " ".join(step.words.term(t, v.sort) for v, t in zip(variables, values, strict=True))
    return step.brought(raw, [f"  exact (known_{name.replace('-', '_')} {args})."])


_RULES: Mapping[str, Callable[[Step], Lines]] = {
    "fact": _cited,
    "lemma": _cited,
    "pointwise": _cited,
    "assume": _assume,
    "discharge": _discharge,
    "mp": _mp,
    "cut": _cut,
    "generalize": _generalize,
    "specialize": _specialize,
    "both": _parts,
    "part": _parts,
    "cases": _cases,
    "absurd": _absurd,
    "substitute": _substitute,
    "instantiate": _instantiate,
    "rewrite": _rewrite,
    "induction": _induction,
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
