"""Facts that claims prove: used like lemmas, counted apart, and never in a circle."""

from __future__ import annotations

import copy
import json

import pytest

from tests.written_documents import document as written
from verify import Fact, Section, Setting, Symbol
from verify.__main__ import main
from verify.claims import ClaimError, ClaimSet, Effort, Verdict
from verify.kernel.terms import KernelError
from verify.recheck import recheck
from verify.running import run_claim
from verify.running.graph import Graph

SMALL = Setting.of(
    "small",
    "",
    {"Real": "t s"},
    [Symbol("c", (), "Real"), Symbol("d", (), "Real")],
    {"c": Fact("0 < c", "a size", "model"), "d": Fact("d == 2*c", "twice of it")},
)
THERE = {"root": Fact("root*root == c", "its root", "existence", "has-root", "meant")}
LARGE = SMALL.extended("large", [Symbol("root", (), "Real")], THERE)
FILE = """
from verify import Fact, Section, Setting, Symbol

small = Setting.of("small", "", {"Real": "t s"}, [Symbol("c", (), "Real"), Symbol("d", (), "Real")],
    {"c": Fact("0 < c", "a size", "model"), "d": Fact("d == 2*c", "twice of it")})
large = small.extended("large", [Symbol("root", (), "Real")],
    {"root": Fact("root*root == c", "its root", "existence", "has-root", "meant")})
section = Section(expected="proved", setting=large)
section.claim("has-root", "-", theorem="Imp(0 < c, sqrt(c)**2 == c)", setting=small,
    derivation=lambda d: d.imply(d.linear("sqrt(c)**2 == c", d.mp(d.known("sqrt-square", "c"),
        d.linear("0 <= c", d.assume("0 < c")))), "0 < c"))
section.claim("main", "-", uses="has-root", theorem="2*root*root == d",
    derivation=lambda d: d.linear("2*root*root == d", d.fact("root"), d.fact("d")))
section.claim("meant", "-", uses="has-root", theorem="0 < root*root",
    derivation=lambda d: d.linear("0 < root*root", d.fact("root"), d.fact("c")))
"""


def has_root(d):
    root = d.mp(d.known("sqrt-square", "c"), d.linear("0 <= c", d.fact("c")))
    return d.linear("sqrt(c)**2 == c", root)


def section_of(**main_fields):
    section = Section(setting=LARGE)
    section.claim("has-root", "-", theorem="sqrt(c)**2 == c", derivation=has_root, setting=SMALL)
    section.claim("meant", "-", says="1 <= 2")
    given = {"derivation": lambda d: d.fact("root"), "theorem": "root*root == c", "uses": "has-root"}
    section.claim("main", "-", **{**given, **main_fields})
    return section


def why(section, label="main"):
    result = run_claim(ClaimSet(section.claims)[label], Effort())
    return "" if result.verdict is Verdict.PROVED else result.evidence["why"]


def test_what_a_claim_proves_is_one_of_its_uses():
    assert why(section_of()) == ""
    assert why(section_of(uses=())) == "the derivation uses has-root; write that into uses"


def test_the_claim_is_derived_in_a_setting_that_is_part_of_this_one():
    section = Section(setting=LARGE)
    section.claim("has-root", "-", says="1 <= 2")
    section.claim("meant", "-", says="1 <= 2")
    section.claim("main", "-", theorem="root*root == c", derivation=lambda d: d.fact("root"), uses="has-root")
    assert why(section) == "lemma has-root: the claim has no theorem"
    other = Setting.of("other", "", {}, [Symbol("c", (), "Real")], {"c": Fact("1 < c", "-", "model")})
    section = Section(setting=LARGE)
    section.claim("has-root", "-", theorem="1 < c", derivation=lambda d: d.fact("c"), setting=other)
    section.claim("meant", "-", says="1 <= 2")
    section.claim("main", "-", theorem="root*root == c", derivation=lambda d: d.fact("root"), uses="has-root")
    assert why(section) == "lemma has-root: is in another setting, other"


def test_what_is_meant_is_said_by_a_claim():
    section = Section(setting=LARGE)
    section.claim("has-root", "-", theorem="sqrt(c)**2 == c", derivation=has_root, setting=SMALL)
    section.claim("main", "-", theorem="root*root == c", derivation=lambda d: d.fact("root"), uses="has-root")
    assert why(section) == "a fact means what meant says, which is no claim"


def test_no_claim_proves_what_it_takes():
    section = Section(setting=LARGE)
    section.claim("meant", "-", says="1 <= 2")
    section.claim("has-root", "-", theorem="root*root == c", derivation=lambda d: d.fact("root"))
    assert why(section, "has-root") == "the derivation uses has-root; write that into uses"
    section = Section(setting=LARGE)
    section.claim(
        "has-root", "-", theorem="root*root == c", derivation=lambda d: d.fact("root"), uses="has-root"
    )
    with pytest.raises(ClaimError, match="has-root"):
        ClaimSet(section.claims)


@pytest.mark.parametrize("kind", ["law", "definition", "model"])
def test_only_existence_is_proved(kind):
    with pytest.raises(KernelError, match=f"fact x: a claim proves that something exists, not a {kind}"):
        Setting.of("s", "", {}, [Symbol("c", (), "Real")], {"x": Fact("0 <= c", "-", kind, "lem:x")})


def test_it_is_counted_apart_only_while_the_claim_is_proved():
    claims = ClaimSet(section_of().claims)
    rests = {"main": {"existence": ["root"]}, "has-root": {"model": ["c"]}}
    verdicts = dict.fromkeys(("main", "has-root", "meant"), Verdict.PROVED)
    graph = Graph.of(claims, verdicts, None, rests)
    assert graph.transitive_text("main") == "proved (1 property of the model; 1 existence proved)"
    assert graph.rests["main"].sentence() == (
        "rests on 1 property of the model; proved, and not assumed: root by has-root"
    )
    tested = Graph.of(claims, {**verdicts, "has-root": Verdict.TESTED}, None, rests)
    assert tested.transitive_text("main") == "tested (1 existence, 1 property of the model)"
    assert tested.rests["main"].data()["proved"] == {}


# --- documents ---------------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """A command on the file above."""
    monkeypatch.setenv("VERIFY_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "mine.py"
    file.write_text(FILE, encoding="utf-8")

    def command(name, *arguments):
        status = main([name, "--claims", str(file), *arguments])
        return status, capsys.readouterr().out

    return command


@pytest.fixture
def document(run):
    status, out = run("verify", "--workers", "0", "--json")
    assert status == 0, out
    return json.loads(out)


def test_it_is_shown_with_its_claim(run, document):
    assert document["claims"]
    status, out = run("claims", "main", "--axioms")
    assert status == 0
    assert out.splitlines() == [
        "main rests on nothing that is assumed, and on 1 definition, which assumes nothing; proved, and",
        "not assumed: root by has-root.",
        "law: none",
        "existence: 1",
        "  root (large): root*root == c",
        "      its root; that there is one is claim has-root: proved; that it is what it is called is",
        "      claim meant: proved; used by main",
        "definition: 1",
        "  d (large): d == 2*c",
        "      twice of it; used by main",
        "model: none",
    ]


def claim_of(document, label):
    return next(one for one in document["claims"] if one["label"] == label)


def test_the_document_is_accepted(document):
    assert recheck(document) == []
    assert claim_of(document, "main")["rests"]["proved"] == {"root": "has-root"}


def derivation_of(document, label):
    return claim_of(document, label)["proof"]["theorem"]["derivation"]


def again(document):
    """With the sums as they have to be."""
    return written(*document["claims"], settings=document["settings"])


def spoil_missing(document):
    document["claims"].remove(claim_of(document, "has-root"))
    return again(document)


def spoil_verdict(document):
    claim_of(document, "has-root").update(verdict="tested", proof=None)
    return again(document)


def spoil_derivation(document):
    claim_of(document, "has-root")["proof"] = {}
    return again(document)


def spoil_setting(document):
    other = copy.deepcopy(document["settings"]["small"])
    other["name"], other["facts"]["c"]["says"] = "another", "1 < c"
    document["settings"]["another"] = other
    derivation_of(document, "has-root")["setting"] = claim_of(document, "has-root")["setting"] = "another"
    return again(document)


def spoil_circle(document):
    claim_of(document, "has-root")["uses"] = ["has-root"]
    return again(document)


def spoil_itself(document):
    """The claim that proves the existence takes it, and does not say so."""
    derivation_of(document, "has-root")["steps"] += [{"rule": "fact", "name": "root"}]
    derivation_of(document, "has-root")["setting"] = claim_of(document, "has-root")["setting"] = "large"
    return again(document)


def spoil_uses(document):
    claim_of(document, "main")["uses"] = []
    return again(document)


def spoil_count(document):
    claim_of(document, "main")["rests"]["definition"] = []
    return document


def spoil_proved(document):
    claim_of(document, "main")["rests"]["proved"] = {}
    return document


def spoil_kind(document):
    root = {"kind": "definition", "says": "root*root == c", "why": "-"}
    document["settings"]["large"]["facts"]["root"] = root
    return again(document)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (spoil_missing, "main: uses has-root, which is not in the document"),
        (spoil_verdict, "the claim has-root is 'tested', not proved"),
        (spoil_derivation, "the claim has-root has no derivation"),
        (spoil_setting, "the lemma has-root is derived in another setting"),
        (spoil_circle, "a chain of claims returns to has-root"),
        (spoil_itself, "the claim does not say that it uses has-root"),
        (spoil_uses, "the claim does not say that it uses has-root"),
        (spoil_count, "main: rests on {"),
        (spoil_proved, "main: rests on {"),
        (spoil_kind, "fact c: is about nothing but what is defined"),
    ],
)
def test_a_spoiled_document_is_not(document, spoil, words):
    found = recheck(spoil(document), ["main"])
    assert any(words in one for one in found), found
