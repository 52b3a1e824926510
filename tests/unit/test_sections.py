"""Sections of claims: what is shared, what is collected, mutants, findings, and the letters of the paper."""

from __future__ import annotations

import pytest

from tests.fake_claims import HEAD, write
from verify.claims import ClaimError, Domain, Kind, Mutant, Remark, Section, claim, increasing
from verify.provers.computed import Assumed
from verify.provers.search import Search
from verify.running.loading import load_claims, load_remarks
from verify.source import Source

BOOK = Assumed("a book")
SECTION = "from verify import Remark, Section\nsection = Section(checks=Fake('proved'), says='1 <= 2')\n"


def load(file):
    return load_claims(Source().at(str(file)))


def test_what_is_shared_holds_where_a_claim_says_nothing_else():
    section = Section(domain=("l > 0", "d > 0"), expected="proved", symbols={"l": "λ", "d": "δ", "z": "ζ"})
    first = section.claim("lem:one", "one", says="l*d > 0")
    other = section.step(
        "lem:one/two", "two", says="d > 0", domain="d > 1", symbols={"d": "Δ"}, source="p. 3"
    )
    assert [first, other] == section.claims
    assert (first.kind, other.kind) == (Kind.STATEMENT, Kind.STEP)
    assert (first.source, other.source) == ("lem:one", "p. 3")
    assert (first.symbols, other.symbols) == ({"l": "λ", "d": "δ"}, {"d": "Δ"})
    assert first.expects("quick") == other.expects("quick") == "proved"


def test_shared_checks_are_for_formulas():
    section = Section(checks=Search())
    with pytest.raises(ClaimError, match="claim words: nothing to check"):
        section.claim("words", "no formula")
    assert section.claims == []
    assert section.repair("own", "no formula", checks=BOOK).checks == (BOOK,)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ({"sayz": "1 <= 2"}, "claim a: no field 'sayz'; write says, domain, source"),
        (
            {"mutant": 3, "expected": "proved"},
            r"claim a: mutant 3: write a formula, a Domain, a check, or Mutant\(",
        ),
        ({"finding": "bad"}, r"claim a: finding 'bad': write Remark\('proof', 'what is wrong'\)"),
    ],
)
def test_a_field_that_cannot_be_read_is_named(field, message):
    with pytest.raises(ClaimError, match=message):
        claim("a", "words", **{"says": "1 <= 2", **field})


@pytest.mark.parametrize("list_too", ["", "CLAIMS = [*section.claims, fake('c', 'proved')]\n"])
def test_a_file_needs_no_list_and_may_have_one(tmp_path, list_too):
    body = f"{SECTION}section.claim('a', 's')\nsection.step('b', 's', uses='a')\n{list_too}"
    claims = load(write(tmp_path, body))
    assert [one.label for one in claims] == ["a", "b", *("c" if list_too else "")]
    assert {one.module for one in claims} == {"mine.py"}


def test_a_package_is_read_in_its_own_order(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    folder = tmp_path / "claims_of_sections"
    folder.mkdir()
    (folder / "__init__.py").write_text("ORDER = ('last', 'gone', 'first')\n")
    for name in ("first", "last", "middle"):
        (folder / f"{name}.py").write_text(f"{HEAD}{SECTION}section.claim({name!r}, 's')\n")
    found = load_claims(Source(package="claims_of_sections"))
    assert [one.label for one in found] == ["last", "first", "middle"]


def test_findings_stand_with_the_claim_or_in_a_table(tmp_path):
    body = (
        f"{SECTION}section.claim('a', 's', finding=Remark('proof', 'It rests on b.', repair='b'))\n"
        "section.claim('b', 's')\nFINDINGS = {'b': {'breaks': 'erratum', 'summary': 'Two names.'}}\n"
    )
    found = load_remarks(Source().at(str(write(tmp_path, body))))
    assert found == {"a": Remark("proof", "It rests on b.", "b"), "b": Remark("erratum", "Two names.")}


# --- mutants -------------------------------------------------------------------------------------


def test_a_mutant_is_what_is_changed():
    original = claim("a", "words", says="x <= 2*x", domain="x >= 0", checks=Search())
    wider, other = Domain.of("x >= -1"), BOOK
    assert Mutant.of("x <= x/2").applied(original).says.text() == "x <= x/2"
    assert Mutant.of(wider).applied(original).domain == wider
    assert Mutant.of(other).applied(original).checks == (other,)
    assert Mutant.of((other, other)).applied(original).checks == (other, other)
    rising = increasing("x**2", "x", original.domain)
    assert Mutant.of(rising).applied(original).says == rising
    both = Mutant(says="x < 2*x", domain="x > 0", checks=other).applied(original)
    assert (both.says.text(), both.domain, both.checks) == ("x < 2*x", Domain.of("x > 0"), (other,))


def test_a_mutant_is_read_over_its_own_domain():
    """√(x²) is x where x is known to be positive; the mutant must not know it."""
    original = claim("a", "words", says="sqrt(x**2) <= x", domain="x > 0", checks=Search())
    assert original.says.gap == 0
    assert Mutant.of(Domain.of(reals="x")).applied(original).says.gap != 0


def test_a_mutant_is_not_read_before_it_is_asked_for():
    made = claim(
        "a", "words", expected="proved", says="x <= 2*x", domain="x >= 0", checks=Search(), mutant="x <= y"
    )
    with pytest.raises(ClaimError, match="claim a: mutant: formula 'x <= y': 'y' is not a variable"):
        made.mutant.applied(made)


# --- letters -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("meaning", "latex"),
    [
        ("λ", r"\lambda"), ("λmax", r"\lambda_{\max}"), ("Δ", r"\Delta"), ("N⁺", "N^{+}"), ("H", "H"),
        ("λ̂", r"\hat{\lambda}"), ("ĝ", r"\hat{g}"), ("√K", r"\sqrt{K}"), ("λmax H", r"\lambda_{\max} H"),
        ("SA", "S A"), ("λs", r"\lambda s"), ("r(x,a)", "r(x,a)"), ("p̂(y|x)", r"\hat{p}(y\mid x)"),
        ("ln K", "l"), ("what is added", "l"), ("a b", "l"), ("At", "l"),
    ],
)  # fmt: skip
def test_formulas_are_shown_with_the_letter_that_a_variable_stands_for(meaning, latex):
    made = claim("a", "words", says="2*l >= 1", domain="l > 0", checks=Search(), symbols={"l": meaning})
    assert made.latex == rf"1 \leq 2 {latex}"


def test_a_product_is_in_brackets_where_it_has_a_power():
    made = claim("a", "words", says="v**2 >= v", domain="v > 1", checks=Search(), symbols={"v": "KH"})
    assert made.latex == r"\left(K H\right) \leq \left(K H\right)^{2}"
