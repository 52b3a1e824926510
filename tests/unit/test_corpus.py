"""The corpus of inequalities: consistent with itself, and measured by a runner whose checks can fail."""

from __future__ import annotations

import ast
import os
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from tests.benchmarks.corpus import entries as reading
from tests.benchmarks.corpus.__main__ import main
from tests.benchmarks.corpus.entries import chosen, corpus, families
from tests.benchmarks.corpus.peers import UnsaidError, coq_goals, number, z3_answer
from tests.benchmarks.corpus.report import open_entries, summary, totals
from tests.benchmarks.corpus.running import Kept, Outcome, ours, run
from tests.benchmarks.corpus.truth import contradiction
from verify.errors import UserError

QUICK = (  # some of every family, true and false
    "analysis/log-dlmf",
    "analysis/exp-one-far",
    "coq_interval/exp-positive",
    "coq_interval/cubic-sharpened",
    "flyspeck/4559601669b",
    "hol_light/product-sum",
    "hol_light/products-sharpened",
    "metitarski/exp-lower-1",
    "metitarski/abs-3-extended",
    "polya/jar-2",
    "polya/scaling-lost",
    "polynomials/quadratic-mean",
    "polynomials/motzkin-sharpened",
    "pvs/half-line",
    "pvs/reaction-diffusion-misprint",
)
BY_LABEL = {entry.label: entry for entry in corpus()}


def test_it_is_large_and_every_entry_has_a_source():
    false = [entry for entry in corpus() if not entry.truth]
    assert len(corpus()) >= 220
    assert len(false) >= 30
    assert all(entry.source for entry in corpus())
    assert all(content["title"] and content["source"] for content in families().values())
    assert max(Counter(entry.label for entry in corpus()).values()) == 1
    assert max(Counter((e.says, e.domain, e.truth, e.family) for e in corpus()).values()) == 1


@pytest.mark.parametrize("family", families())
def test_every_entry_is_a_claim_and_no_point_contradicts_it(family):
    for entry in chosen(family):
        entry.claim()
        assert contradiction(entry, 200) is None, entry.label


def test_a_false_entry_that_is_called_true_is_contradicted():
    called = [replace(e, truth=True, witness={}) for e in corpus() if not e.truth and e.family != "flyspeck"][
        ::3
    ]
    found = [contradiction(entry, 200, steps=200) for entry in called]
    assert sum(why is not None for why in found) >= 0.7 * len(found)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"witness": {"x": Fraction(1)}}, "holds at its witness"),
        ({"witness": {"x": Fraction(3)}}, "the witness is not in the domain"),
        ({"witness": {"y": Fraction(1)}}, "the witness names y, the entry x"),
        ({"truth": True, "witness": {}, "domain": ("x >= 2", "x <= 1")}, "no point of the domain was found"),
    ],
)
def test_a_bad_witness_is_told(change, why):
    assert contradiction(replace(BY_LABEL["analysis/exp-one-far"], **change), 50) == why


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"says": "x <= 1"}, "corpus f/n: source is missing"),
        ({"says": "x <= 1", "source": "s", "trust": 1}, "corpus f/n: no field 'trust'"),
        ({"says": "x <= 1", "source": "s", "truth": False}, "what is false has a witness"),
        ({"says": "x <= 1", "source": "s", "witness": {"x": "2"}}, "what is true has none"),
    ],
)
def test_a_mistake_in_the_data_is_one_line(data, message):
    with pytest.raises(UserError, match=message):
        reading._entry("f", "n", data, {})


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    part = [BY_LABEL[label] for label in QUICK]
    return part, run(part, "ours", ours, 20, Kept(tmp_path_factory.mktemp("corpus") / "kept.jsonl"), "")


def test_fast_entries_of_all_families_end_to_end(measured):
    part, found = measured
    assert {e.family for e in part} == set(families())
    assert {label: o.answer for label, o in found.items() if not o.right(BY_LABEL[label].truth)} == {}
    assert totals(part, found)["wrong"] == 0
    assert open_entries(part, found, slow=20) == []


def test_a_wrong_truth_value_is_reported_as_wrong(measured):
    part, found = measured
    for number_, entry in enumerate(part):
        planted = [*part[:number_], replace(entry, truth=not entry.truth), *part[number_ + 1 :]]
        assert totals(planted, found)["wrong"] == 1
        assert open_entries(planted, found, slow=20)[0].startswith("WRONG")
        assert summary(planted, found, {}).splitlines()[-1].split()[6] == "1"


def test_a_certificate_that_is_rejected_is_wrong():
    outcome = Outcome("a/b", "ours", "rejected", "a complaint", 1.0)
    assert outcome.wrong(True)
    assert outcome.wrong(False)
    assert not outcome.right(True)


def hangs(entry, seconds):
    if entry.name == "jar-1":
        while True:
            pass
    if entry.name == "jar-2":
        os._exit(3)
    if entry.name == "jar-3":
        raise ValueError("of its own")
    return "proved", "in time"


def never(entry, seconds):
    raise AssertionError("asked again")


def test_a_hang_a_death_and_an_error_are_told_and_the_run_goes_on_and_resumes(tmp_path):
    part = [BY_LABEL[f"polya/jar-{n}"] for n in (1, 2, 3, 4)]
    file = tmp_path / "deep" / "kept.jsonl"
    found = run(part, "hangs", hangs, 0.3, Kept(file), "")
    assert [o.answer for o in found.values()] == ["open", "crashed", "crashed", "proved"]
    assert "stopped after 0.3 s of CPU time" in found["polya/jar-1"].why
    assert "exit status 3" in found["polya/jar-2"].why
    assert "ValueError: of its own" in found["polya/jar-3"].why
    file.write_text(file.read_text() + '{"key": "cut', encoding="utf-8")  # a run that was killed
    assert run(part, "hangs", never, 0.3, Kept(file), "") == found
    other = run(part[3:], "hangs", never, 0.3, Kept(file), "another version")
    assert "AssertionError: asked again" in other["polya/jar-4"].why


def test_the_command_prints_a_table_and_says_what_is_wrong_with_its_arguments(tmp_path, capsys):
    where = ["--no-peers", "--results", str(tmp_path / "kept.jsonl")]
    assert main([*where, "--label", "pvs/half-line"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("PVS, NASALib  1     0      1       0")
    assert main([*where, "--label", "no such"]) == 2
    assert "no entry for label 'no such'; families are analysis" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["--family", "nowhere"])


def test_numbers_are_exact_and_formulas_of_peers_are_told():
    text = "-3*(1/4 - 0.1)/2"
    assert number(ast.parse(text, mode="eval").body, text) == Fraction(-9, 40)
    assert (
        "Goal forall x_ : R, (0) <= x_ -> x_ <= (PI / (2)) ->" in coq_goals(BY_LABEL["metitarski/sin-1"])[0]
    )
    with pytest.raises(UnsaidError):
        coq_goals(BY_LABEL["polya/exp-sum"])
    with pytest.raises(UnsaidError):
        coq_goals(BY_LABEL["analysis/erf-polya"])


def test_z3_is_asked_what_it_can_be_told():
    pytest.importorskip("z3")
    assert z3_answer(BY_LABEL["hol_light/quarter-discs"], 20)[0] == "proved"
    assert z3_answer(BY_LABEL["polynomials/am-gm-roots"], 20)[0] == "proved"
    assert z3_answer(BY_LABEL["polynomials/disc-sharpened"], 20)[0] == "refuted"
    assert z3_answer(BY_LABEL["analysis/jordan"], 20)[0] == "not expressible"
