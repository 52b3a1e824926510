"""What is printed as proved is what a fresh process accepts of the written document, or has accepted."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fake_claims import write
from tests.unit.test_derived_claims import FILE as DERIVED
from tests.unit.test_running_parallel import runs
from verify.claims import Verdict
from verify.recheck import accepting, recheck
from verify.running import Source, document, known_results, load_claims, run_claims
from verify.running import accepted as asking
from verify.running.accepted import CheckerError
from verify.running.cache import Cache

BODY = """
CLAIMS = [
    claim("true", "-", says="x <= exp(x)", domain="x >= 0"),
    claim("false", "-", says="exp(x) <= 1", domain="x >= 0"),
    claim("code", "-", checks=[Fake("proved")], uses="true"),
]
"""


@pytest.fixture
def place(tmp_path):
    write(tmp_path, BODY)
    return tmp_path


def run(folder: Path, **options):
    return run_claims(
        Source(file=str(folder / "mine.py")), workers=0, cache=Cache(folder / "kept"), **options
    )


def verdicts(done) -> dict[str, str]:
    return {label: str(result.verdict) for label, result in done.results.items()}


TRUE = {"true": "proved", "false": "refuted", "code": "proved"}


def rewritten(folder: Path, label: str, change) -> None:
    """A kept result that is changed, with its digest made again."""
    for file in (folder / "kept" / "results").iterdir():
        data = json.loads(file.read_text())
        if data["result"]["label"] == label:
            change(data["result"])
            made = f"{file.stem} {json.dumps(data['result'], sort_keys=True)}"
            data["sha256"] = hashlib.sha256(made.encode()).hexdigest()
            file.write_text(json.dumps(data))


def test_what_was_accepted_is_not_asked_again(place, monkeypatch):
    assert verdicts(first := run(place)) == TRUE
    assert (first.known, first.accepted) == (0, 0)
    monkeypatch.setattr(asking, "_asked", lambda *_: pytest.fail("asked"))
    assert verdicts(again := run(place)) == TRUE
    assert (again.known, again.accepted, again.tally) == (3, 3, first.tally)


@pytest.mark.parametrize("option", ["recheck", "fresh"])
def test_unless_one_wants_it(place, option, monkeypatch):
    run(place)
    asked = []
    real = asking._asked
    monkeypatch.setattr(asking, "_asked", lambda *said: (asked.append(said[0]["check"]), real(*said))[1])
    done = run(place, **{option: True})
    assert (verdicts(done), done.accepted) == (TRUE, 0)
    assert sorted(asked[0]) == ["code", "false", "true"]


def claimed(result, **evidence) -> None:
    """Called proved."""
    result.update(verdict="proved", witness=None, evidence={"point": {"x": "0"}, **evidence})


@pytest.mark.parametrize("evidence", [{}, {"certificates": []}, {"check": "proof"}])
def test_a_kept_file_with_its_digest_made_again_is_not_believed(place, evidence):
    run(place)
    rewritten(place, "false", lambda result: claimed(result, **evidence))
    done = run(place)
    assert done.known == 3  # that is what was read
    assert verdicts(done) == TRUE | {"false": "undecided"}
    assert done.results["false"].evidence["claimed"] == "proved"


def test_nor_with_the_certificate_of_another_claim(place):
    kept = dict(run(place).results["true"].evidence)
    own = {**kept["certificate"], "label": "false", "relation": "exp(x) <= 1"}
    rewritten(place, "false", lambda result: claimed(result, **(kept | {"certificate": own})))
    assert verdicts(run(place)) == TRUE | {"false": "undecided"}


FORGED_PARTS = {
    "another proof": lambda evidence: evidence["certificate"].update(proof={"by": "sturm"}),
    "no proof": lambda evidence: evidence.pop("certificate"),
    "no point": lambda evidence: evidence.pop("point"),
}


@pytest.mark.parametrize("how", FORGED_PARTS)
def test_what_is_refused_is_not_told_as_a_proved_part(tmp_path, how):
    """The formula of a claim that is argued is a part of it; refused, it is nowhere called proved."""
    says = 'says="x <= exp(x)", domain="x >= 0", argued="the rest", checks=Proof()'
    write(tmp_path, f"from verify import Proof\nCLAIMS = [claim('true', '-', {says})]")
    assert run(tmp_path).results["true"].evidence["formula"] == "proved"
    rewritten(tmp_path, "true", lambda r: FORGED_PARTS[how](r["evidence"]))
    done = run(tmp_path)
    assert verdicts(done) == {"true": "undecided"}
    assert "formula" not in done.results["true"].evidence
    assert document(done)["claims"][0]["proof"] is None
    assert recheck(json.loads(json.dumps(document(done)))) == []


def test_code_that_does_not_look_at_a_formula_does_not_refute_it(tmp_path):
    """``x <= x + 1`` was printed as refuted, by ``2 <= 1``; its own document was refused then."""
    case = 'Computed(lambda effort: Outcome([Case("one", 2, 1)]))'
    head = "from verify import Case, Computed, Outcome\n"
    true = f'claim("true", "-", says="x <= x + 1", domain="x >= 0", checks={case})'
    write(tmp_path, f"{head}CLAIMS = [{true}, claim('words', '-', checks={case})]")
    done = run(tmp_path)
    assert verdicts(done) == {"true": "undecided", "words": "refuted"}
    assert "a line of code refutes no formula" in done.results["true"].evidence["rejected"][0]
    assert recheck(json.loads(json.dumps(document(done)))) == []


def test_an_acceptance_of_something_else_is_none(place):
    """Copied to where that of the forged claim is looked for."""
    run(place)
    names = sorted((place / "kept" / "accepted").iterdir())
    rewritten(place, "false", claimed)
    seen = []
    real = accepting.Acceptances.get
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accepting.Acceptances, "get", lambda self, key: (seen.append(key), real(self, key))[1])
        run(place)
    for key in seen:
        target = names[0].with_name(key)
        if not target.exists():
            target.write_bytes(names[0].read_bytes())
    assert verdicts(run(place)) == TRUE | {"false": "undecided"}


DAMAGED = [
    '{"how": "trust me", "sha256": ""}',
    '{"how": "derivation", "sha256": "0"}',
    "[" * 10**5,
    "",
    "null",
    "\ud800",
]


@pytest.mark.parametrize("text", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_acceptance_is_none(place, text):
    run(place)
    for file in (place / "kept" / "accepted").iterdir():
        file.write_bytes(text.encode(errors="surrogatepass"))
    done = run(place)
    assert (verdicts(done), done.accepted) == (TRUE, 0)
    assert run(place).accepted == 3


def test_a_disk_that_is_full_leaves_no_litter(place, monkeypatch):
    monkeypatch.setattr(accepting.json, "dump", lambda *_: (_ for _ in ()).throw(OSError("full")))
    accepting.Acceptances(place).put("key", "")
    assert list((place / "accepted").iterdir()) == []


def test_what_code_has_proved_it_proves_again(place):
    run(place)
    rewritten(place, "false", lambda result: None)
    assert (run(place).known, run(place, recheck=True).known) == (3, 2)


WAITS = """
import sys
from pathlib import Path
from verify.running import Source, run_claims
from verify.running import accepted
from verify.running.cache import Cache

accepted._BEGIN = (
    "import sys; sys.path[:] = [{0!r}, *sys.path, {1!r}]; from verify.recheck import accepting; "
    "accepting.serve = lambda *_: accepting.time.sleep(60); accepting.main({2})"
)
accepted._write = lambda stream, lines: print("asked", flush=True)
place = Path(sys.argv[1])
run_claims(Source(file=str(place / "mine.py")), workers=0, cache=Cache(place / "kept"))
"""


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="looks processes up in /proc")
def test_it_does_not_outlive_who_waits(place):
    """A run that is killed left a process that went on for minutes."""
    parent = subprocess.Popen([sys.executable, "-c", WAITS, place], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    assert parent.stdout.readline() == "asked\n"
    children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
    assert children
    parent.kill()
    parent.communicate()
    end = time.monotonic() + 20
    while any(runs(int(child)) for child in children):
        assert time.monotonic() < end
        time.sleep(0.1)


def test_another_checker_accepts_anew(place, monkeypatch):
    run(place)
    monkeypatch.setattr(accepting, "checker", lambda: "another text")
    assert run(place).accepted == 0


def test_a_claim_is_accepted_anew_if_one_that_it_uses_is_another(place):
    run(place)
    rewritten(place, "true", lambda r: r["evidence"].update(boxes=10**6))
    assert run(place).accepted == 1  # "false" alone


def test_the_list_of_claims_shows_what_was_accepted(place, monkeypatch):
    run(place)
    monkeypatch.setenv("VERIFY_CACHE", str(place / "kept"))
    source = Source(file=str(place / "mine.py"))

    def shown():
        found = known_results(source, load_claims(source), profile="quick", seed=0)
        return {label: str(result.verdict) for label, result in found.items()}

    assert shown() == TRUE
    rewritten(place, "false", claimed)
    assert shown() == {"true": "proved", "code": "proved"}


FORGED = """
from dataclasses import dataclass, field
from verify.provers.derived import Derived

@dataclass(frozen=True)
class Forged:
    name: str = "derivation"
    random: bool = False
    of_formula: bool = False

    def run(self, claim, effort):
        found = Derived().run(claim, effort)
        steps = found.evidence["derivation"]["steps"]
        for step in steps:
            {what}
        return found

CLAIMS = [
    replace(one, checks=(*one.checks[:-1], Forged())) if one.label == "positive" else one
    for one in section.claims
]
del section
"""


TAKEN = [
    'step.update({"formula": "0 <= E(T(n)) - 1"} if step["rule"] == "lemma" else {})',
    'step.update({"rule": "assume", "formula": claim.theorem, "from": []} if step is steps[-1] else {})',
    'step.update({"label": "words"} if "label" in step else {})',
]


@pytest.mark.parametrize("what", TAKEN)
def test_a_derivation_rests_on_what_others_say(tmp_path, what):
    """The engine's own re-check believed what a derivation said of other claims."""
    text = DERIVED.replace("from verify", "from dataclasses import replace\nfrom verify", 1)
    (tmp_path / "mine.py").write_text(text + FORGED.replace("{what}", what))
    assert verdicts(run(tmp_path))["positive"] == "undecided"
    (tmp_path / "mine.py").write_text(text + FORGED.replace("{what}", "pass"))
    assert verdicts(run(tmp_path))["positive"] == "proved"


def test_what_takes_too_long_is_undecided(place, monkeypatch):
    monkeypatch.setattr(asking, "_LIMITS", {"quick": 3})
    found = run(place).results["true"]
    assert found.verdict is Verdict.UNDECIDED
    assert "more than 3 units of work" in found.evidence["rejected"][0]


@pytest.mark.parametrize("life", ["raise SystemExit(3)", "print('{}', flush=True)", "import os; os._exit(0)"])
def test_a_checker_that_does_not_answer_proves_nothing(place, monkeypatch, life):
    monkeypatch.setattr(asking, "_BEGIN", life.replace("{", "{{").replace("}", "}}"))
    with pytest.raises(CheckerError):
        run(place)


def test_the_fresh_process_loads_the_checker_alone():
    line = "import sys; sys.path.append({!r}); import verify.recheck.accepting; print(*sorted(sys.modules))"
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-I", "-c", line.format(root)], capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    assert {name for name in loaded if name.split(".")[0] in ("verify", "ctucbvi", "proofs_checks")} <= {
        "verify", *(name for name in loaded if name.startswith("verify.recheck")),
    }  # fmt: skip
    assert not {"sympy", "flint", "numpy", "hypothesis", "numba"} & set(loaded)
