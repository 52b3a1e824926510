"""A step of a derivation as a lemma: what it shows, and a tactic for its rule.

What is given and what is shown are written in their normal form, so that what two steps have in common reads
alike; what a rule really says is shown first, in the words of the rule, and then brought to that form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from verify.coq.derivations.same import Same
from verify.coq.derivations.words import Words
from verify.coq.text import NotExportedError
from verify.recheck.derivations.reading import TextReader
from verify.recheck.derivations.trees import (
    Nameless,
)
from verify.recheck.derivations.workbench import Judgement, RuleStep, Workbench

Lines = list[str]
Rules = Mapping[str, "Callable[[LemmaStep], Lines]"]
_NOTHING: Mapping[Any, str] = {}
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

    def add(self, data: Mapping[str, Any], judgement: Judgement, rules: Rules) -> Lines:
        """The lemma of the next step."""
        k = len(self.shown)
        places = data.get("from", [])
        one = LemmaStep(self, data, [self.shown[j] for j in places], list(places), judgement, k)
        rule = rules.get(str(data["rule"]))
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


def mentioned(data: Mapping[str, Any], bench: Workbench) -> list[Nameless]:
    """What a step speaks of, and its conclusion need not: 0*x is 0."""
    reader = TextReader(bench.language)
    texts = [data.get(key) for key in ("formula", "goal", "term", "at", "bound")]
    texts += [m["term"] if isinstance(m, Mapping) else str(m) for m in data.get("multipliers", [])]
    texts += data.get("terms", [])
    return [reader.any(text) for text in texts if text is not None]


@dataclass
class LemmaStep:
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
        others = [
            *(self.steps.of(p) for p in self.premises),
            self.steps.free(*mentioned(self.data, self.steps.bench)),
        ]
        if cited is not None:
            others.append(self.steps.free(*cited.put.values() or [cited.says]))
        more = {n: t for names in others for n, t in names.items() if n not in own}
        return [*lines, *(f"  pose ({n} := {self._anything(t)} : {t})." for n, t in more.items())]

    def _anything(self, kind: str) -> str:
        *args, value = kind.split(" -> ")
        known = {"R": "0", "nat": "0%nat"}.get(value) or f"someone {value}"
        return f"(fun {' '.join('_' for _ in args)} => {known})" if args else known

    def given(self, formula: Nameless) -> str:
        """The name of a given; one that is not there has a name that Coq does not know."""
        every = ordered(self.judgement.given)
        return f"G{every.index(formula) if formula in every else len(every)}"

    def premise(
        self, k: int, shown: Mapping[Nameless, str] = _NOTHING, put: Mapping[str, str] = _NOTHING
    ) -> str:
        """The lemma of a premise, for the names of the context and what is given here or shown."""
        p = self.premises[k]
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
