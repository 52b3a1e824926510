"""The rules of logic, substitution and instantiation as tactics."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from verify.coq.derivations.steps import LemmaStep, Lines, ordered
from verify.coq.derivations.words import Words, cast, casted
from verify.recheck.derivations.analysis import undecided
from verify.recheck.derivations.trees import Nameless, changed, closed, make, num, opened, replaced


def _cited(step: LemmaStep) -> Lines:
    """A fact, a lemma or a proved relation: what the file has under a name of its own."""
    cited = step.steps.cited[step.number]
    stated = Words(step.words.language, stated=True)
    lines: Lines = []
    for k, g in enumerate(cited.given):
        raw = replaced(g, dict(cited.put))
        left = undecided(step.same.normal(raw))
        lines += step.back(raw, step.given(left[0]) if left else "ltac:(numeric)", f"E{k}", stated)
    if cited.put:
        values = [stated.term(value, x.sort) for x, value in cited.put.items()]
    else:
        values = list(step.steps.free(cited.says))
    args = " ".join((cited.name, *values, *(f"E{k}" for k in range(len(cited.given)))))
    return [*lines, *step.brought(replaced(cited.says, dict(cited.put)), [f"  exact ({args})."], stated)]


def _assume(step: LemmaStep) -> Lines:
    return [f"  exact {step.given(step.judgement.formula)}."]


def _discharge(step: LemmaStep) -> Lines:
    a = step.rule.normal(step.rule.formula())
    return ["  intros K0.", f"  exact {step.premise(0, {a: 'K0'})}."]


def _mp(step: LemmaStep) -> Lines:
    return [f"  exact ({step.premise(0)} {step.premise(1)})."]


def _cut(step: LemmaStep) -> Lines:
    a = step.premises[0].formula
    return [f"  pose proof {step.premise(0)} as K0.", f"  exact {step.premise(1, {a: 'K0'})}."]


def _generalize(step: LemmaStep) -> Lines:
    x = step.words.name(step.data["variable"])
    raw = make("All", closed(step.premises[0].formula, step.rule.variable()), value=step.rule.variable().sort)
    return step.brought(raw, [f"  bind {x}.", f"  exact {step.premise(0)}."])


def _specialize(step: LemmaStep) -> Lines:
    term, all_ = step.rule.term(), step.premises[0].formula
    sort = str(all_.value)
    raw = opened(all_.args[0], _value(step, term, sort))
    return step.brought(raw, [f"  exact ({step.premise(0)} {step.words.term(_normal(step, term), sort)})."])


def _normal(step: LemmaStep, term: Nameless) -> Nameless:
    return step.rule.normal(term)


def _value(step: LemmaStep, term: Nameless, sort: str) -> Nameless:
    """A term that is put in for a variable."""
    found = _normal(step, term)
    return cast(found) if sort == "Nat" else found


def _parts(step: LemmaStep) -> Lines:
    lines = [f"  pose proof {step.premise(k)} as K{k}; take K{k}." for k in range(len(step.premises))]
    return [*lines, "  joined."]


def _cases(step: LemmaStep) -> Lines:
    a = step.rule.normal(step.rule.formula())
    other = step.rule.normal(make("Not", a))
    no = {"<=": "(Rnot_le_lt _ _ K0)", "<": "(Rnot_lt_le _ _ K0)", "Not": "(not_denied _ K0)"}.get(a.op, "K0")
    return [
        f"  destruct (either_way ({step.words.formula(a)})) as [K0 | K0].",
        f"  {{ exact {step.premise(0, {a: 'K0'})}. }}",
        f"  {{ exact {step.premise(1, {other: no})}. }}",
    ]


def _absurd(step: LemmaStep) -> Lines:
    return [
        f"  pose proof {step.premise(0)} as K0.",
        f"  pose proof {step.premise(1)} as K1.",
        "  clash K0 K1.",
    ]


def _put_in(step: LemmaStep, put: Callable[[Nameless], Nameless], values: Mapping[str, str]) -> Lines:
    """The premise for a value of a variable or of a symbol, what is given included."""
    lines: Lines = []
    names: dict[Nameless, str] = {}
    for k, g in enumerate(ordered(step.premises[0].given)):
        raw = put(g)
        names[g] = f"E{k}"
        lines += step.back(raw, step.given(step.same.normal(raw)), names[g])
    raw = put(step.premises[0].formula)
    return [*lines, *step.brought(raw, [f"  exact {step.premise(0, names, values)}."])]


def _substitute(step: LemmaStep) -> Lines:
    x = step.rule.variable()
    value = _value(step, step.rule.term(), x.sort)
    name = step.words.name(str(x.value))
    return _put_in(step, lambda t: replaced(t, {x: value}), {name: step.words.term(value, x.sort)})


def _instantiate(step: LemmaStep) -> Lines:
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


def _rewrite(step: LemmaStep) -> Lines:
    x, template = step.rule.variable(), step.rule.formula("template")
    old, new = step.premises[0].formula.args
    turned = (
        x.sort not in ("Real", "Nat")
        and step.same.normal(replaced(template, {x: old})) != step.premises[1].formula
    )
    if turned:
        old, new = new, old
    before, after = (replaced(template, {x: cast(u) if x.sort == "Nat" else u}) for u in (old, new))
    lines = [f"  pose proof {step.premise(0)} as K0.", f"  pose proof {step.premise(1)} as K1."]
    if turned:
        lines.append("  symmetry in K0.")
    if x.sort == "Nat":
        a, b = (step.words.nat(u) for u in (old, new))
        first, last = (step.same.number(casted(u)) for u in (old, new))
        lines += [
            f"  assert (K2 : {a} = {b}).",
            f"  {{ apply INR_eq. transitivity ({step.words.real(old)}); [{first} |].",
            f"    transitivity ({step.words.real(new)}); [exact K0 | symmetry; {last}]. }}",
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


def _induction(step: LemmaStep) -> Lines:
    n, a = step.rule.variable("Nat"), step.judgement.formula
    name = step.words.name(str(n.value))
    first, after = (replaced(a, {n: casted(v)}) for v in (num(0), make("+", num(1), n)))
    text = step.words.formula(a)  # in which n need not occur
    return [
        f"  first [revert {name} | enough (A0 : forall {name} : nat, {text}) by exact (A0 0%nat)].",
        f"  apply (nat_ind (fun {name} : nat => {text})).",
        f"  {{ change ({step.words.formula(first)}).",
        *step.back(first, step.premise(0), "K0"),
        "  exact K0. }",
        f"  {{ intros {name} K1. change ({step.words.formula(after)}).",
        *step.back(after, step.premise(1, {a: "K1"}), "K0"),
        "  exact K0. }",
    ]


RULES: Mapping[str, Callable[[LemmaStep], Lines]] = {
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
}
