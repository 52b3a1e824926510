"""Defects: what they are made of, that they fit the claims, and where they are read from."""

from __future__ import annotations

import pytest

from tests.fake_claims import HEAD, write
from verify.claims import ClaimError, ClaimSet, Defect, Verdict, claim, fitting
from verify.paper import NO_PAPER, Paper
from verify.running.loading import load_commentary, load_defects, load_paper
from verify.source import Source


def defect(name="slug", claims=("a",), severity="proof", **more):
    texts = {"says": "One.", "wrong": "Two.", "consequence": "None.", **more}
    return Defect(name, f"the {name}", severity, claims, **texts)


@pytest.fixture
def claims():
    return ClaimSet(claim(label, label, says="1 <= 2") for label in ("a", "b", "c", "a/repaired"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"severity": "notation"}, "severity 'notation': write statement, proof, constant, remark, erratum"),
        ({"name": "A name"}, "defect 'A name': write a name like 'unit-of-time'"),
        ({"claims": ()}, "claims (): write the labels as a tuple, at least one"),
        ({"claims": "a"}, "claims 'a': write the labels as a tuple, at least one"),
        ({"wrong": " "}, "its wrong is empty; say it in plain words"),
    ],
)
def test_a_defect_is_complete(change, message):
    with pytest.raises(ClaimError) as caught:
        defect(**change)
    assert str(caught.value).endswith(message)


def test_gravest_first_and_among_equals_as_written(claims):
    given = [
        defect("last", ("a",), "erratum"),
        defect("second", ("b",), "proof"),
        defect("first", ("c",), "statement"),
        defect("third", ("a/repaired",), "proof"),
    ]
    assert [one.name for one in fitting(given, claims)] == ["first", "second", "third", "last"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([defect(claims=("a", "d"))], "defect slug: 'd' is no claim; correct the label"),
        ([defect(repair="a/better")], "defect slug: 'a/better' is no claim; correct the label"),
        ([defect(witness="w")], "defect slug: 'w' is no claim; correct the label"),
        ([defect(), defect("other")], "defect other: a is one of slug already; choose"),
        ([defect(), defect(claims=("b",))], "defect slug: the name is used twice; give each its own"),
    ],
)
def test_defects_fit_the_claims(claims, given, message):
    with pytest.raises(ClaimError, match=message.replace("(", r"\(")):
        fitting(given, claims)


def test_the_witness_is_that_of_the_first_refuted_claim_or_as_told():
    verdicts = {"a": Verdict.PROVED, "b": Verdict.REFUTED, "c": Verdict.REFUTED}
    assert defect(claims=("a", "c", "b")).shown(verdicts) == "c"
    assert defect(claims=("a", "c"), witness="b").shown(verdicts) == "b"
    assert defect(claims=("a",)).shown(verdicts) == ""
    assert defect(claims=("a", "b"), repair="r", witness="a").labels == ("a", "b", "r")


# --- where they come from ------------------------------------------------------------------------

BODY = """
from verify import Defect, Paper
CLAIMS = [fake("lem:a", "refuted", expected="refuted"), fake("lem:a/repaired", "proved", kind="repair")]
DEFECTS = [Defect("slip", "A slip", "erratum", ("lem:a",), "One.", "Two.", "None.", "lem:a/repaired")]
PAPER = Paper("On a", ("Somebody",), numbers={"lem:a": "Lemma 7"})
"""


def test_a_file_may_have_defects_and_a_paper(tmp_path):
    source = Source().at(str(write(tmp_path, BODY)))
    said = load_commentary(source)
    assert [one.name for one in said.defects] == [one.name for one in load_defects(source)] == ["slip"]
    assert said.defect_of("lem:a").name == "slip"
    assert said.defect_of("lem:a/repaired") is None
    assert (said.paper.title, load_paper(source).number("lem:a/repaired")) == ("On a", "Lemma 7")


def test_a_file_without_them_has_none(tmp_path):
    source = Source().at(str(write(tmp_path, "CLAIMS = [fake('a', 'proved')]")))
    assert (load_defects(source), load_paper(source)) == ([], NO_PAPER)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('("lem:a",)', '("lem:b",)', "defect slip: 'lem:b' is no claim; correct the label"),
        ('"erratum"', '"slip"', "mine.py, line .*: defect slip: severity 'slip': write statement, proof"),
        ("[Defect(", "['slip', Defect(", r"mine.py: DEFECTS\[0\] is a str; write Defect"),
    ],
)
def test_mistakes_are_one_line(tmp_path, old, new, message):
    assert old in BODY
    with pytest.raises(ClaimError, match=f"^{message}"):
        load_defects(Source().at(str(write(tmp_path, BODY.replace(old, new)))))


def test_a_package_files_them_in_modules_of_their_own(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    folder = tmp_path / "claims_with_defects"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "claims.py").write_text(HEAD + "CLAIMS = [fake('a', 'refuted'), fake('b', 'refuted')]\n")
    for name in "ab":
        text = f"Defect('of-{name}', 'Title', 'proof', ('{name}',), 'One.', 'Two.', 'None.')"
        (folder / f"defect_{name}.py").write_text(f"from verify import Defect\nDEFECTS = [{text}]\n")
    assert [one.name for one in load_defects(Source(package="claims_with_defects"))] == ["of-a", "of-b"]


# --- the paper -----------------------------------------------------------------------------------


def test_numbers_of_labels_and_of_the_claims_under_them():
    paper = Paper("On x", numbers={"lem:x": "Lemma 3", "lem:x/first": "Eq. (2)", "alg: A": "Algorithm 1"})
    found = {
        label: paper.number(label) for label in ("lem:x", "lem:x/y/z", "lem:x/first/y", "lem:y", "alg: A")
    }
    assert list(found.values()) == ["Lemma 3", "Lemma 3", "Eq. (2)", "", "Algorithm 1"]
    named = [paper.named(label) for label in ("lem:x", "lem:x/y", "lem:y")]
    assert named == ["Lemma 3 (lem:x)", "lem:x/y (of Lemma 3)", "lem:y"]
    assert paper.readable("by lem:x, not lem:x/y; lem:x.") == "by Lemma 3, not lem:x/y; Lemma 3."
