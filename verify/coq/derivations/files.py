"""A derivation as a file for Coq: the theorem from what the claim says, a lemma for each step.

The setting is a section: finite sorts, symbols as functions, and as hypotheses the facts that the derivation
uses and the claims that it rests on and that are no theorems of the folder.  Closed, the section makes all of
them part of the theorem.  What holds at every outcome is said of one: a random symbol is a function of its
arguments, and what the theorem says of every such function it says of its values at each outcome.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from verify.coq.derivations import logic, numbers
from verify.coq.derivations.same import Same
from verify.coq.derivations.steps import Cited, Lines, Steps, mentioned
from verify.coq.derivations.words import Words, cast
from verify.coq.export import HEAD, Stated, theorem
from verify.coq.text import NotExportedError
from verify.recheck.derivations.checking import conclusion
from verify.recheck.derivations.elementary import relation_in
from verify.recheck.derivations.reading import TextReader
from verify.recheck.derivations.trees import Nameless, var
from verify.recheck.derivations.workbench import Judgement, Workbench, open_workbench
from verify.recheck.intervals import UnknownError

LIBRARY = "Derivations"
_RULES = {**logic.RULES, **numbers.RULES}
_BEYOND = {"E": "E", "En": "E", "Int": "Int", "Sup": "Sup", "Sure": "Sure"}


@dataclass(frozen=True)
class ExportedDerivation:
    """An exported derivation: its name and text, what it is about, and the files that it needs."""

    name: str
    text: str
    parameters: Mapping[str, str]  # names of sorts, symbols and hypotheses, and their types
    hypotheses: tuple[str, ...]  # the claims among them, by their labels
    needs: tuple[str, ...]


@dataclass(frozen=True)
class KnownTheorems:
    """What there is to rest on: theorems of inequalities by labels, and derivations."""

    relations: Mapping[str, str] = field(default_factory=dict)
    derivations: Mapping[str, ExportedDerivation] = field(default_factory=dict)


class DerivationFile:
    """One derivation on its way to a file."""

    def __init__(self, document: Mapping[str, Any], folder: KnownTheorems):
        self.document, self.folder = document, folder
        self.bench: Workbench = open_workbench(document, lambda _: [])
        language = self.bench.language
        self.words, self.stated = Words(language), Words(language, stated=True)
        self.steps = Steps(self.bench, self.words)
        self.modules: Lines = []
        self.sorts: dict[str, str] = {}
        self.symbols: dict[str, str] = {}
        self.hypotheses: dict[str, str] = {}
        self.claims: list[str] = []
        self.needs: list[str] = []

    def written(self, name: str, says: str, words: str) -> ExportedDerivation:
        """The file of the claim that says this, or the reason why there is none."""
        theorem_ = TextReader(self.bench.language).formula(says)
        judgements = self._judgements()
        self._speaks_of(theorem_, *(f for j in judgements for f in (j.formula, *j.given)))
        for step in self.document["steps"]:
            more = [
                step.get("template"),
                step.get("body"),
                step.get("variable"),
                *step.get("with", {}).values(),
            ]
            read = [TextReader(self.bench.language).any(text) for text in more if text is not None]
            self._speaks_of(*mentioned(step, self.bench), *read)
        body: Lines = []
        for step, judgement in zip(self.document["steps"], judgements, strict=True):
            self._cite(step, len(self.steps.shown))
            body += [*self.steps.add(step, judgement, _RULES), ""]
        body += self._theorem(name, theorem_)
        parameters = {**self.sorts, **self.symbols, **self.hypotheses}
        text = "\n".join([*self._head(words), *body, "End derivation.", "", f"Print Assumptions {name}.", ""])
        return ExportedDerivation(name, text, parameters, tuple(self.claims), tuple(self.needs))

    def _judgements(self) -> list[Judgement]:
        found: list[Judgement | None] = []
        beyond: set[str] = set()
        for k, step in enumerate(self.document["steps"]):
            self.bench.now = k
            judgement = conclusion(step, found, self.bench)
            assert judgement is not None
            beyond |= {n.op for f in (judgement.formula, *judgement.given) for n in f.walk()} & set(_BEYOND)
            found.append(judgement)
        if beyond:
            raise NotExportedError(f"with {', '.join(sorted({_BEYOND[op] for op in beyond}))}")
        return [j for j in found if j is not None]

    def _speaks_of(self, *formulas: Nameless) -> None:
        """The sorts and symbols of these, as parameters."""
        language = self.bench.language
        for f in formulas:
            for node in f.walk():
                sorts = (
                    [node.sort]
                    if node.op == "var"
                    else [str(node.value)]
                    if node.op in ("SumOver", "MaxOver", "All")
                    else []
                )
                if node.op == "sym":
                    sign = language.sign(node)
                    sorts = [*sign.args, sign.value]
                    if not sign.generic:
                        self.symbols.setdefault(self.words.name(sign.name), self.words.kind(sign.name))
                for sort in sorts:
                    if language.finite(sort):
                        self.sorts.setdefault(self.words.sort(sort), "Finite")

    # ------------------------------------------------------------ what is cited

    def _cite(self, step: Mapping[str, Any], k: int) -> None:
        match step["rule"]:
            case "fact":
                says = TextReader(self.bench.language).formula(self.bench.facts[step["name"]]["says"])
                self._refuse_unbounded(says, step["name"])
                self.steps.cited[k] = Cited(self._hypothesis(f"fact_{_plain(step['name'])}", says), says)
            case "lemma":
                says = TextReader(self.bench.language).formula(step["formula"])
                self.steps.cited[k] = Cited(self._lemma(step["label"], says), says)
            case "pointwise":
                self.steps.cited[k] = self._relation(step, k)

    def _refuse_unbounded(self, says: Nameless, name: str) -> None:
        """What is said of generic symbols is meant of locally bounded ones: without real arguments, all."""
        for node in says.walk():
            if node.op == "sym":
                sign = self.bench.language.sign(node)
                if sign.generic and "Real" in sign.args:
                    raise NotExportedError(f"the fact {name} is about bounded functions of a real number")

    def _all(self, says: Nameless) -> str:
        names = self.stated.binders(self.steps.free(says))
        return f"{f'forall{names}, ' if names else ''}{self.stated.formula(says)}"

    def _hypothesis(self, name: str, says: Nameless) -> str:
        self._speaks_of(says)
        text = self._all(says)
        if self.hypotheses.setdefault(name, text) != text:
            raise NotExportedError(f"two facts are called {name}")
        return name

    def _lemma(self, label: str, says: Nameless) -> str:
        other = self.folder.derivations.get(label)
        if other is None:
            self._claim(label)
            return self._hypothesis(f"claim_{_plain(label)}", says)
        for name, kind in other.parameters.items():
            place = (
                self.sorts
                if kind == "Finite"
                else self.hypotheses
                if name.startswith(("fact_", "claim_"))
                else self.symbols
            )
            if place.setdefault(name, kind) != kind:
                raise NotExportedError(f"{name} is something else in {label}")
        for claim in other.hypotheses:
            self._claim(claim)
        self._need(other.name)
        return " ".join((f"{other.name}.{other.name}", *other.parameters))

    def _claim(self, label: str) -> None:
        if label not in self.claims:
            self.claims.append(label)

    def _need(self, name: str) -> None:
        if name not in self.needs:
            self.needs.append(name)

    def _relation(self, step: Mapping[str, Any], k: int) -> Cited:
        """A proved relation, for its own variables."""
        relation, domain, integers = str(step["relation"]), list(step["domain"]), list(step["integers"])
        own = {name: var(f"@{name}", "Nat" if name in integers else "Real") for name in sorted(step["with"])}
        says, given = relation_in(self.bench.language, relation, domain, own)
        values = {name: TextReader(self.bench.language).term(text) for name, text in step["with"].items()}
        put = {own[name]: cast(values[name]) if name in integers else values[name] for name in own}
        names = {self.words.name(f"@{name}"): self.words.sort(v.sort) for name, v in own.items()}
        conditions = "".join(f"({self.stated.formula(g)}) -> " for g in given)
        every = f"forall{self.words.binders(names)}, " if names else ""
        text = f"{every}{conditions}{self.stated.formula(says)}"
        said = Stated(relation, tuple(domain), tuple(integers), tuple(sorted(own)))
        name = self._shown_relation(step, k, said, text)
        return Cited(name, says, tuple(given), put)

    def _shown_relation(self, step: Mapping[str, Any], k: int, said: Stated, text: str) -> str:
        """The name of the relation: of a lemma by its proof tree or by its theorem, or of a hypothesis."""
        label = step.get("label")
        if label is not None and label in self.folder.relations:
            used = self.folder.relations[label]
            self._need(used)
            called = f"{used}.{used}"
        elif label is not None:
            self._claim(label)
            name = f"claim_{_plain(label)}"
            if self.hypotheses.setdefault(name, text) != text:
                raise NotExportedError(f"two claims are called {name}")
            return name
        elif "==" in said.relation:
            self.modules += [
                f"Lemma pointwise_{k} : {text}.",
                "Proof. intros. first [identity | Rules.same]. Qed.",
                "",
            ]
            return f"pointwise_{k}"
        else:
            called = f"Relation_{k}.shown"
            self._module(f"Relation_{k}", said, step["certificate"])
        order = [n for n in said.names if n in said.integers] + [
            n for n in said.names if n not in said.integers
        ]
        args = [
            f"(Z.of_nat {self.words.name('@' + n)})" if n in said.integers else self.words.name("@" + n)
            for n in order
        ]
        self.modules += [
            f"Lemma pointwise_{k} : {text}.",
            f"Proof. intros. pose proof ({' '.join((called, *args))}) as T. relation T. Qed.",
            "",
        ]
        return f"pointwise_{k}"

    def _module(self, name: str, said: Stated, certificate: Mapping[str, Any]) -> None:
        file = theorem("shown", said, certificate["proof"])
        inner = file.text.replace(HEAD, "").partition("Print Assumptions")[0]
        self.modules += [f"Module {name}.", *inner.strip().splitlines(), f"End {name}.", ""]

    # ------------------------------------------------------------ the file

    def _head(self, words: str) -> Lines:
        comment = words.replace("(*", "( *").replace("*)", "* )").replace('"', "'")
        analysis = HEAD if self.modules else "From Coq Require Import Reals Lra Lia.\nOpen Scope R_scope.\n"
        lines = [f"(** {comment} *)", "", analysis.rstrip()]
        lines += [f"From Verify Require {name}." for name in self.needs]
        lines += [f"From Verify Require Import {LIBRARY}.", "", *self.modules, "Section derivation."]
        lines += ['Set Default Proof Using "All".', ""]
        lines += [f"Variable {name} : {kind}." for name, kind in {**self.sorts, **self.symbols}.items()]
        lines += [f"Hypothesis {name} : {says}." for name, says in self.hypotheses.items()]
        return [*lines, ""]

    def _theorem(self, name: str, says: Nameless) -> Lines:
        """What the claim says, from the last step."""
        last = self.steps.shown[-1]
        if last.given:
            raise UnknownError("the last step is given something")
        free = self.steps.free(says)
        used = self.steps.of(last)
        text = self.stated.formula(says)
        same = Same(self.bench.canon, self.words, self.stated)
        normal = self.words.formula(same.normal(says))
        proof = f"step_{len(self.steps.shown) - 1} {' '.join(used)}"
        lines = [f"Theorem {name} : {self._all(says)}.", "Proof."]
        lines += [f"  intros {' '.join(free)}."] if free else []
        if text == normal:
            return [*lines, f"  exact ({proof}).", "Qed."]
        return [
            *lines,
            f"  assert (A1 : ({text}) <-> ({normal})) by {same.formula(says)}.",
            f"  exact (proj2 A1 ({proof})).",
            "Qed.",
        ]


def _plain(label: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", label).strip("_")
