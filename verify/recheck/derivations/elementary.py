"""Elementary facts about numbers: a short list, and the relations that certificates prove (``pointwise``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verify.recheck.derivations.analysis import undecided
from verify.recheck.derivations.languages import Language
from verify.recheck.derivations.reading import TextReader, constant, require_sort
from verify.recheck.derivations.trees import FORMULA, Nameless, make, num, replaced, var
from verify.recheck.derivations.workbench import Judgement, RuleStep
from verify.recheck.intervals import UnknownError
from verify.recheck.reading import names_in, tree_of

FACTS = {
    "square": "0 <= x**2",
    "exp": "0 < exp(x)",
    "abs": "x <= Abs(x)",
    "abs-": "-x <= Abs(x)",
    "abs-cases": "Or(Abs(x) == x, Abs(x) == -x)",
    "max": "x <= Max(x, y)",
    "max-right": "y <= Max(x, y)",
    "max-cases": "Or(Max(x, y) == x, Max(x, y) == y)",
    "min": "Min(x, y) <= x",
    "min-right": "Min(x, y) <= y",
    "min-cases": "Or(Min(x, y) == x, Min(x, y) == y)",
    "inverse": "Imp(0 < x, x*(1/x) == 1)",
    "inverse-positive": "Imp(0 < x, 0 < 1/x)",
    "sqrt": "0 <= sqrt(x)",
    "sqrt-square": "Imp(0 <= x, sqrt(x)**2 == x)",
    "total": "Or(x <= y, y <= x)",
    "discrete": "Or(n <= m, m + 1 <= n)",
    "log": "Imp(0 < x, exp(log(x)) == x)",
    "antisymmetric": "Imp(And(x <= y, y <= x), x == y)",
}
PLAIN = Language((), {"x": "Real", "y": "Real", "n": "Nat", "m": "Nat"})
_PLAIN_READER = TextReader(PLAIN)


def known(step: RuleStep) -> Judgement:
    """A fact of the list, for these terms: x and y, or n and m, in this order."""
    name, terms = step.text("name"), step.items("terms")
    if name == "either":
        if len(terms) != 2:
            raise UnknownError("'either' is about two formulas")
        a, b = (step.bench.reader.formula(t) for t in terms)
        return step.judge(make("Imp", make("And", make("Or", a, b), make("Not", a)), b))
    if name not in FACTS:
        raise UnknownError(f"{name!r} is not in the list")
    says = _PLAIN_READER.formula(FACTS[name])
    names = [v for name in "xynm" if (v := PLAIN.variable(name)) is not None and v in says.free]
    values = [step.bench.reader.term(t) for t in terms]
    if len(values) != len(names):
        raise UnknownError(f"{name!r} is about {len(names)} terms")
    for variable, value in zip(names, values, strict=True):
        require_sort(value, variable.sort, "a term")
    return step.judge(replaced(says, dict(zip(names, values, strict=True))))


def pointwise(step: RuleStep) -> Judgement:
    """A proved relation between numbers, where its conditions hold and everything in it is defined.

    That the *conditions* are defined is asked as well: 1/x <= 1/2 holds at x = 0 here, where 1/0 is 0, but
    a claim on that domain says nothing there.
    """
    relation, texts = step.text("relation"), _texts(step, "domain")
    integers = _texts(step, "integers")
    values = _values(step, {*integers}.union(*map(names_in, map(tree_of, [relation, *texts]))))
    for name in integers:
        require_sort(values[name], "Nat", name)
    _require_evidence(step, relation, texts, integers)
    own = {name: var(f"@{name}", "Real") for name in values}  # what is defined is asked of the claim's words
    says, given = relation_in(step.bench.language, relation, texts, own)
    put = {own[name]: value for name, value in values.items()}
    kept = [h for g in given for h in undecided(step.normal(replaced(g, put)))]
    return step.judge(replaced(says, put), *kept)


def relation_in(
    language: Language, relation: str, texts: list[str], own: Mapping[str, Nameless]
) -> tuple[Nameless, list[Nameless]]:
    """A relation of claims in variables of its own, and what has to hold: that all is defined included."""
    words = {"E": make("exp", num(1)), **own}  # Euler's number has its name in the language of claims
    reader = TextReader(language, words)
    (says, *more) = reader.chain(relation)
    if more:
        raise UnknownError(f"{relation!r} is not one comparison")
    conditions = [c for t in texts if not t.strip().isidentifier() for c in reader.chain(t)]
    return says, [*conditions, *(g for f in (says, *conditions) for g in _defined(f))]


def _texts(step: RuleStep, key: str) -> list[str]:
    found = step.items(key)
    if not all(isinstance(t, str) for t in found):
        raise UnknownError(f"{key!r} is not a list of texts")
    return found


def _values(step: RuleStep, names: set[str]) -> dict[str, Nameless]:
    data = step.data.get("with", {})
    if not isinstance(data, Mapping) or set(data) != names:
        raise UnknownError(f"'with' does not give a term for each of {', '.join(sorted(names))}")
    found = {name: step.bench.reader.term(words) for name, words in data.items()}
    for name, value in found.items():
        require_sort(value, "Real", name)
    return found


def _require_evidence(step: RuleStep, relation: str, texts: list[str], integers: list[str]) -> None:
    said: dict[str, Any] = {"relation": relation, "domain": texts, "integers": integers}
    if "certificate" not in step.data:
        step.bench.references.append((step.bench.now, "pointwise", step.text("label"), said))
        return
    data = step.data["certificate"]
    if not isinstance(data, Mapping):
        raise UnknownError("the certificate is not an object")
    if any(data.get(key, []) != value for key, value in said.items()):
        raise UnknownError("the certificate is for another relation, domain or integers")
    if complaints := step.bench.certify(data):
        raise UnknownError(complaints[0])


def _defined(formula: Nameless) -> list[Nameless]:
    """That everything in it is defined: a claim says nothing where it is not."""
    found: list[Nameless] = []
    for node in formula.walk():
        u = node.args[0] if node.args else None
        if u is None or u.sort == FORMULA:
            continue
        if node.op == "inv" and (number := constant(u)) is not None:
            if number == 0:
                raise UnknownError("a division by 0")
        elif node.op in ("inv", "log"):
            found.append(make("<", num(0), u))
        elif node.op == "sqrt":
            found.append(make("<=", num(0), u))
    return found


RULES = {"known": (known, 0), "pointwise": (pointwise, 0)}
