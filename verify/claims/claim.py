"""A claim is data: what is said, where, on which domain, what it rests on, and how it is checked.

Everything a reader needs to audit the statement is here; evidence is computed elsewhere and never
written into a claim.  ``expected`` records the verdict that is known, so that a run can tell a
changed one from a familiar one; it has no influence on the verdict.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, TypeVar, Unpack

from verify.claims.assertions import Assertion, LimitOf, Monotone, Relation
from verify.claims.domains import Domain
from verify.claims.formulas import ClaimError
from verify.claims.verdicts import Finding, Verdict
from verify.kernel.language import Setting
from verify.reading import is_read, lazily, now_or_later
from verify.recheck.letters import foreign, normal

if TYPE_CHECKING:
    from verify.claims.claimset import ClaimSet
    from verify.kernel.authoring import Derivation
    from verify.kernel.theorems import Theorem

PROFILES = ("quick", "thorough")
SEVERITIES = ("statement", "proof", "constant", "remark", "erratum")  # what is broken, gravest first

DERIVATION = "derivation"  # the name of the check that a claim with a theorem gets

_Word = TypeVar("_Word", bound=StrEnum)


class Kind(StrEnum):
    """A statement of the paper, a step of one of its proofs, or a repair of either."""

    STATEMENT = "statement"
    STEP = "step"
    REPAIR = "repair"
    CITED = "cited"


@dataclass(frozen=True)
class Effort:
    """How much work a check may do, and its share of the run's error budget.

    Budgets count boxes, examples and trials, never seconds: the same run gives the same verdict on
    every machine.
    """

    profile: str = "quick"
    seed: int = 0
    error: Fraction = Fraction(1, 10**6)  # the probability this check may be wrong with, if it is random

    def __post_init__(self) -> None:
        """Random generators take no negative seed."""
        if self.seed < 0:
            raise ClaimError(f"seed {self.seed}: write a whole number, 0 or larger")

    def scaled(self, quick: int, thorough: int) -> int:
        """One of two budgets, by the profile."""
        return quick if self.profile == "quick" else thorough


class Check(Protocol):
    """One way to decide a claim."""

    @property
    def name(self) -> str:
        """For reports, and to tell the checks of a claim apart."""
        ...

    @property
    def random(self) -> bool:
        """Whether the check can be wrong by bad luck and needs a share of the error budget."""
        ...

    @property
    def of_formula(self) -> bool:
        """Whether it looks at the claim's formula, not at something of its own."""
        ...

    def run(self, claim: Claim, effort: Effort) -> Finding:
        """Decide as much as the effort allows."""
        ...


@dataclass(frozen=True)
class Remark:
    """Commentary on a claim that does not hold as it is printed; verdicts are computed, this is not."""

    breaks: str  # what of the paper it breaks, one of SEVERITIES
    summary: str  # in one sentence
    repair: str = ""  # the label of the claim that repairs it
    details: str = ""  # what is to be said besides; a run prints the summary alone

    def __post_init__(self) -> None:
        if self.breaks not in SEVERITIES:
            raise ClaimError(f"breaks {self.breaks!r}: write {', '.join(SEVERITIES)}")

    def text(self) -> str:
        """The summary with the details."""
        return f"{self.summary} {self.details}".rstrip()


@dataclass(frozen=True)
class Mutant:
    """A change of a claim that its checks must notice: another formula, another domain, other checks.

    Beside a claim that holds stands a wrong variant, which must not hold; beside a refuted one a correct
    variant, which must not be refuted.  Nothing is read before the variant is asked for.  A theorem and its
    derivation are no part of the variant: the rules that made them have mutants of their own.
    """

    says: str | Assertion | None = None
    domain: Domain | str | Iterable[str] | None = None
    checks: Iterable[Check] | Check | None = None

    @staticmethod
    def of(change: Change) -> Mutant:
        """From the one thing that is changed, or from several."""
        if isinstance(change, Mutant):
            return change
        if isinstance(change, str | Assertion):
            return Mutant(says=change)
        if isinstance(change, Domain):
            return Mutant(domain=change)
        try:
            return Mutant(checks=_checks(change))
        except ClaimError:
            kinds = "a formula, a Domain, a check, or Mutant(says=..., domain=..., checks=...)"
            raise ClaimError(f"mutant {change!r}: write {kinds}") from None

    def applied(self, original: Claim) -> Claim:
        """The variant; its formula is read over its own domain: what symbols are known to be is there."""
        says: str | Assertion | None = original.says if self.says is None else self.says
        if isinstance(says, Relation) and self.says is None:
            says = says.text()
        try:
            area = original.domain if self.domain is None else _domain(self.domain)
            formal = Relation.of(says, area) if isinstance(says, str) else says
            checks = original.checks if self.checks is None else _checks(self.checks)
        except ClaimError as error:
            raise ClaimError(f"claim {original.label}: mutant: {error}") from None
        left = tuple(one for one in checks if one.name != DERIVATION)
        if checks and not left:
            raise ClaimError(f"claim {original.label}: mutant: a derivation has none; give it a check too")
        plain = replace(original, theorem="", derivation=None, mutant=None, finding=None)
        return replace(plain, says=formal, domain=area, checks=left)


@lazily("says", "domain", "latex", "symbols")
@dataclass(frozen=True)
class Claim:
    """One claim; see the module's first lines.

    ``says`` is the formula (``"exp(-x) <= 1"``), or an assertion made by :func:`increasing`,
    :func:`decreasing` or :func:`limit`, or ``None`` where only code can say it.
    """

    label: str
    statement: str  # in plain words
    source: str = ""  # where it stands: a label of the paper, a citation
    says: Assertion | None = None
    domain: Domain = field(default_factory=Domain)
    kind: Kind = Kind.STATEMENT
    uses: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    expected: Mapping[str, Verdict] = field(default_factory=dict)  # by profile
    latex: str = ""
    argued: str = ""  # what of the statement the formula leaves to an argument in words
    elementary: bool = False  # true at a glance; counted apart
    symbols: Mapping[str, str] = field(default_factory=dict)  # what the variables stand for in the paper
    mutant: Mutant | None = None
    finding: Remark | None = None
    theorem: str = ""  # what it says, in the language of derivations
    derivation: Callable[[Derivation], Theorem] | None = None  # builds that theorem by the rules
    setting: Setting | None = None  # what the theorem speaks of
    module: str = field(default="", compare=False)  # where it was defined; filled in by the loader
    among: ClaimSet | None = field(default=None, compare=False, repr=False)  # filled in by the set

    def __post_init__(self) -> None:
        if not isinstance(self.label, str) or not self.label or any(c.isspace() for c in self.label):
            raise ClaimError(f"label {self.label!r}: write a word without spaces, for example 'lem:poisson'")
        if not normal(self.label):
            raise ClaimError(f"label {self.label!r}: {foreign(self.label)}")
        if is_read(self, "says"):
            _require_same_domain(self.says, self.domain, self.label)
        if bool(self.theorem) != (self.derivation is not None):
            raise ClaimError(f"claim {self.label}: a theorem has a derivation; give both, or none")
        if self.theorem and self.setting is None:
            raise ClaimError(f"claim {self.label}: its theorem has no setting; give setting=Setting.of(...)")
        if self.theorem and self.argued:
            raise ClaimError(f"claim {self.label}: is argued in words, and derived; leave out one of them")

    def expects(self, profile: str) -> Verdict | None:
        """The recorded verdict, if there is one."""
        return self.expected.get(profile)

    def found_in(self, module: str) -> Claim:
        """The same, with where it was defined; unlike ``replace``, nothing is read for it."""
        return self._with("module", module)

    def one_of(self, claims: ClaimSet) -> Claim:
        """The same, with the set that its derivation asks for others."""
        return self._with("among", claims)

    def _with(self, name: str, value: Any) -> Claim:
        other = copy.copy(self)
        object.__setattr__(other, name, value)
        return other


Change = str | Assertion | Domain | Check | Iterable[Check] | Mutant


class ClaimFields(TypedDict, total=False):
    """What can be said of a claim besides its label and its statement."""

    says: str | Assertion | None  # the formula
    domain: Domain | str | Iterable[str]  # where it is claimed, for example ("0 < p < 1", "x >= p")
    source: str
    kind: Kind | str
    uses: str | Iterable[str]  # labels of other claims; in one text, with spaces between them
    checks: Iterable[Check] | Check | None  # a formula without any gets the standard ones
    expected: str | Mapping[str, str] | None  # the verdict, or one by profile
    latex: str
    argued: str  # what is left to words: a proof of the formula then does not make the claim proved
    elementary: bool  # true at a glance: counts tell it apart
    symbols: Mapping[str, str]  # variables of the domain that the paper calls otherwise, and how
    mutant: Change | None  # what is changed: a formula, a domain, the checks, or several as Mutant(...)
    finding: Remark | None
    theorem: str  # what it says, in the language of derivations; then also:
    derivation: Callable[[Derivation], Theorem] | None
    setting: Setting | None


def claim(label: str, statement: str, **fields: Unpack[ClaimFields]) -> Claim:
    """A claim from what a person writes; see :class:`ClaimFields`."""
    if not isinstance(label, str) or not label or any(c.isspace() for c in label):
        raise ClaimError(f"label {label!r}: write a word without spaces, for example 'lem:poisson'")
    if not normal(label):
        raise ClaimError(f"label {label!r}: {foreign(label)}")
    if wrong := sorted(set(fields) - ClaimFields.__optional_keys__):
        raise ClaimError(
            f"claim {label}: no field {wrong[0]!r}; write {', '.join(ClaimFields.__annotations__)}"
        )
    says, checks, uses = fields.get("says"), fields.get("checks"), fields.get("uses", ())
    mutant, finding = fields.get("mutant"), fields.get("finding")
    theorem, derivation, setting = fields.get("theorem", ""), fields.get("derivation"), fields.get("setting")
    if not isinstance(finding, Remark | None):
        raise ClaimError(f"claim {label}: finding {finding!r}: write Remark('proof', 'what is wrong')")
    if not isinstance(says, str | Assertion | None):
        raise ClaimError(f"claim {label}: says {says!r}: write a formula as text, for example 'x <= exp(x)'")
    if not isinstance(setting, Setting | None):
        raise ClaimError(f"claim {label}: setting {setting!r}: write Setting.of(...)")
    if derivation is not None and not callable(derivation):
        raise ClaimError(f"claim {label}: derivation {derivation!r}: write a function of a Derivation")
    if not isinstance(theorem, str):
        raise ClaimError(f"claim {label}: theorem {theorem!r}: write text, for example 'E(f) <= E(g)'")
    if mutant is not None and fields.get("expected") is None:
        raise ClaimError(
            f"claim {label}: its mutant must not hold if it does, and the other way round; say "
            "which: write expected='proved', or the verdict that verify finds"
        )
    words = _Words(label, fields)
    area, formal = now_or_later(words.domain), now_or_later(words.formula)
    try:
        changed = None if mutant is None else Mutant.of(mutant)
        deciding = None if checks is None else _checks(checks)
    except ClaimError as error:
        raise ClaimError(f"claim {label}: {error}") from None
    if deciding is None:
        if says is None and derivation is None:
            raise ClaimError(f"claim {label}: nothing to check; give says='...' or checks=[...]")
        deciding = () if says is None else _standard_checks()
    if derivation is not None:
        from verify.provers.derived import Derived  # a layer above, for claims with a theorem only

        deciding = (*deciding, Derived())
    return Claim(
        label=label,
        statement=statement,
        source=fields.get("source", ""),
        says=formal,
        domain=area,
        kind=_one_of(Kind, fields.get("kind", Kind.STATEMENT), f"claim {label}: kind"),
        uses=tuple(uses.split() if isinstance(uses, str) else uses),
        checks=deciding,
        expected=_expected(fields.get("expected"), label),
        latex=fields.get("latex") or now_or_later(words.latex),
        argued=fields.get("argued", ""),
        elementary=fields.get("elementary", False),
        symbols=now_or_later(words.letters),
        mutant=changed,
        finding=finding,
        theorem=theorem,
        derivation=derivation,
        setting=setting,
    )


class _Words:
    """What an author writes about one claim, read when it is asked for, and once."""

    def __init__(self, label: str, fields: ClaimFields) -> None:
        self._label, self._fields = label, fields

    @cached_property
    def _read(self) -> tuple[Domain, Assertion | None]:
        says = self._fields.get("says")
        try:
            area = _domain(self._fields.get("domain", ()))
            formal = Relation.of(says, area) if isinstance(says, str) else says
        except ClaimError as error:
            raise ClaimError(f"claim {self._label}: {error}") from None
        _require_same_domain(formal, area, self._label)
        return area, formal

    def domain(self) -> Domain:
        return self._read[0]

    def formula(self) -> Assertion | None:
        return self._read[1]

    def latex(self) -> str:
        formal = self.formula()
        return "" if formal is None else formal.latex(self._fields.get("symbols", {}))

    def letters(self) -> dict[str, str]:
        given = self._fields.get("symbols", {})
        return {name: given[name] for name in self.domain().ranges if name in given}


def _require_same_domain(says: Assertion | None, domain: Domain, label: str) -> None:
    if says is not None and not says.symbols <= set(domain.symbols.values()):
        raise ClaimError(f"claim {label}: its formula was read over another domain; read it again")


def _standard_checks() -> tuple[Check, ...]:
    from verify.provers.proof import Proof  # a layer above, for the default only
    from verify.provers.search import Search  # likewise

    return Search(), Proof()


def _domain(given: Domain | str | Iterable[str]) -> Domain:
    if isinstance(given, Domain):
        return given
    texts = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else [given]
    if wrong := [text for text in texts if not isinstance(text, str)]:
        raise ClaimError(f"domain {wrong[0]!r}: write conditions as text, for example 'x >= 0'")
    return Domain.of(*texts)


def _checks(given: Iterable[Check] | Check) -> tuple[Check, ...]:
    found = tuple(given) if isinstance(given, Iterable) else (given,)
    if wrong := [one for one in found if isinstance(one, type) or not hasattr(one, "run")]:
        raise ClaimError(f"checks {wrong[0]!r}: is no check; write for example [Search(), Proof()]")
    return found


def increasing(text: str, variable: str, domain: Domain) -> Monotone:
    """``text`` does not decrease in ``variable``."""
    return Monotone.of(text, variable, domain, increasing=True)


def decreasing(text: str, variable: str, domain: Domain) -> Monotone:
    """``text`` does not increase in ``variable``."""
    return Monotone.of(text, variable, domain, increasing=False)


def limit(text: str, variable: str, towards: str, value: str, domain: Domain) -> LimitOf:
    """``text`` tends to ``value``."""
    return LimitOf.of(text, variable, towards, value, domain)


def _one_of(kinds: type[_Word], text: str, where: str) -> _Word:
    try:
        return kinds(text)
    except ValueError:
        raise ClaimError(f"{where}: {text!r} is unknown; write {', '.join(kinds)}") from None


def _expected(given: str | Mapping[str, str] | None, label: str) -> dict[str, Verdict]:
    if not isinstance(given, str | Mapping | None):
        raise ClaimError(f"claim {label}: expected {given!r}: write a verdict, or one by profile")
    table = {} if given is None else dict.fromkeys(PROFILES, given) if isinstance(given, str) else dict(given)
    if wrong := set(table) - set(PROFILES):
        raise ClaimError(
            f"claim {label}: expected: no profile {sorted(wrong)[0]!r}; write {', '.join(PROFILES)}"
        )
    return {profile: _one_of(Verdict, v, f"claim {label}: expected") for profile, v in table.items()}
