"""A claim is data: what is said, where, on which domain, what it rests on, and how it is checked.

Everything a reader needs to audit the statement is here; evidence is computed elsewhere and never
written into a claim.  ``expected`` records the verdict that is known, so that a run can tell a
changed one from a familiar one; it has no influence on the verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Protocol, TypeVar

from verify.claims.assertions import Assertion, LimitOf, Monotone, Relation
from verify.claims.domains import Domain
from verify.claims.formulas import ClaimError
from verify.claims.verdicts import Finding, Verdict

PROFILES = ("quick", "thorough")

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
    module: str = field(default="", compare=False)  # where it was defined; filled in by the loader

    def __post_init__(self) -> None:
        known = set(self.domain.symbols.values())
        if self.says is not None and not self.says.symbols <= known:
            raise ClaimError(f"claim {self.label}: its formula was read over another domain; read it again")

    def expects(self, profile: str) -> Verdict | None:
        """The recorded verdict, if there is one."""
        return self.expected.get(profile)


def claim(
    label: str,
    statement: str,
    *,
    says: str | Assertion | None = None,
    domain: Domain | str | Iterable[str] = (),
    source: str = "",
    kind: Kind | str = Kind.STATEMENT,
    uses: str | Iterable[str] = (),
    checks: Iterable[Check] | Check | None = None,
    expected: str | Mapping[str, str] | None = None,
    latex: str = "",
    argued: str = "",
) -> Claim:
    """A claim from what a person writes; a formula without checks gets the standard ones.

    ``argued`` says what is left to an argument in words where the formula is not the whole statement:
    a proof of the formula then does not make the claim proved.
    """
    if not label or any(c.isspace() for c in label):
        raise ClaimError(f"label {label!r}: write a word without spaces, for example 'lem:poisson'")
    try:
        area = (
            domain
            if isinstance(domain, Domain)
            else Domain.of(*([domain] if isinstance(domain, str) else domain))
        )
        formal = Relation.of(says, area) if isinstance(says, str) else says
    except ClaimError as error:
        raise ClaimError(f"claim {label}: {error}") from None
    if checks is None:
        if formal is None:
            raise ClaimError(f"claim {label}: nothing to check; give says='...' or checks=[...]")
        from verify.provers.proof import Proof  # a layer above, for the default only
        from verify.provers.search import Search  # likewise

        checks = (Search(), Proof())
    return Claim(
        label=label,
        statement=statement,
        source=source,
        says=formal,
        domain=area,
        kind=_one_of(Kind, kind, f"claim {label}: kind"),
        uses=tuple([uses] if isinstance(uses, str) else uses),
        checks=tuple(checks) if isinstance(checks, Iterable) else (checks,),
        expected=_expected(expected, label),
        latex=latex or (formal.latex() if formal is not None else ""),
        argued=argued,
    )


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
    table = {} if given is None else dict.fromkeys(PROFILES, given) if isinstance(given, str) else dict(given)
    if wrong := set(table) - set(PROFILES):
        raise ClaimError(
            f"claim {label}: expected: no profile {sorted(wrong)[0]!r}; write {', '.join(PROFILES)}"
        )
    return {profile: _one_of(Verdict, v, f"claim {label}: expected") for profile, v in table.items()}


class ClaimSet:
    """Claims that fit together: labels are unique, every use resolves, nothing rests on itself."""

    def __init__(self, claims: Iterable[Claim]) -> None:
        self._claims: dict[str, Claim] = {}
        for one in claims:
            if one.label in self._claims:
                first = self._claims[one.label].module or "?"
                raise ClaimError(
                    f"claim {one.label}: the label is used twice ({first} and {one.module or '?'})"
                )
            self._claims[one.label] = one
        for one in self._claims.values():
            for used in one.uses:
                if used not in self._claims:
                    raise ClaimError(
                        f"claim {one.label}: uses {used!r}, which is no claim; correct the label"
                    )
        self._order = self._sorted()

    def _sorted(self) -> list[str]:
        """Labels with what they use before them."""
        done: dict[str, bool] = {}  # False: under way
        order: list[str] = []
        for start in self._claims:
            stack: list[tuple[str, Iterator[str]]] = []
            if start not in done:
                done[start] = False
                stack.append((start, iter(self._claims[start].uses)))
            while stack:
                label, rest = stack[-1]
                used = next(rest, None)
                if used is None:
                    done[label] = True
                    order.append(label)
                    stack.pop()
                elif used not in done:
                    done[used] = False
                    stack.append((used, iter(self._claims[used].uses)))
                elif not done[used]:
                    path = [entry for entry, _ in stack]
                    cycle = " -> ".join([*path[path.index(used) :], used])
                    raise ClaimError(f"claim {used}: rests on itself ({cycle})")
        return order

    def __iter__(self) -> Iterator[Claim]:
        return iter(self._claims.values())

    def __len__(self) -> int:
        return len(self._claims)

    def __contains__(self, label: str) -> bool:
        return label in self._claims

    def __getitem__(self, label: str) -> Claim:
        return self._claims[label]

    @property
    def order(self) -> list[str]:
        """All labels, each after what it uses."""
        return self._order

    def closure(self, labels: Iterable[str]) -> list[str]:
        """The labels and everything they rest on, each after what it uses."""
        wanted: set[str] = set()
        stack = list(labels)
        while stack:
            label = stack.pop()
            if label not in wanted:
                wanted.add(label)
                stack.extend(self._claims[label].uses)
        return [label for label in self._order if label in wanted]
