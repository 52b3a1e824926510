"""Claims from packages and files, and what is said when they cannot be read."""

from __future__ import annotations

import sys

import pytest

from tests.fake_claims import HEAD, write
from verify.claims import ClaimError
from verify.running.loading import Source, load_claims


def load(file):
    return load_claims(Source(file=str(file)))


def refusal(file) -> str:
    with pytest.raises(ClaimError) as caught:
        load(file)
    assert "\n" not in str(caught.value)
    return str(caught.value)


LINE = HEAD.count("\n") + 1  # of the first line after the head


def test_a_file_gives_its_claims_in_order(tmp_path):
    claims = load(write(tmp_path, "CLAIMS = [fake('b', 'proved'), fake('a', 'tested', ['b'])]"))
    assert [claim.label for claim in claims] == ["b", "a"]
    assert {claim.module for claim in claims} == {"mine.py"}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("x = = 1", f"mine.py, line {LINE}: invalid syntax"),
        ("\nx = 1 / 0", f"mine.py, line {LINE + 1}: ZeroDivisionError: division by zero"),
        ("import nowhere", f"mine.py, line {LINE}: ModuleNotFoundError: No module named 'nowhere'"),
        ("raise ValueError('two\\nlines')", f"mine.py, line {LINE}: ValueError: two lines"),
        ("raise SystemExit(0)", f"mine.py, line {LINE}: SystemExit: 0"),
        ("CLAIMS = [claim('a', 's', says='y')]",
         f"mine.py, line {LINE}: claim a: formula 'y': write one comparison (<=, <, >=, > or ==)"),
        ("", "mine.py: has no CLAIMS; write CLAIMS = [claim(...), ...]"),
        ("CLAIMS = {}", "mine.py: has CLAIMS that is a dict; write CLAIMS = [claim(...), ...]"),
        ("CLAIMS = ['a']", "mine.py: CLAIMS[0] is a str; write claim(...)"),
        ("CLAIMS = []", "mine.py: no claims found; write CLAIMS = [claim(...), ...]"),
        ("CLAIMS = [fake('a', 'proved')] * 2", "claim a: the label is used twice (mine.py and mine.py)"),
        ("CLAIMS = [fake('a', 'proved', ['b'])]", "claim a: uses 'b', which is no claim; correct the label"),
        ("CLAIMS = [fake('a', 'proved', ['b']), fake('b', 'proved', ['a'])]",
         "claim a: rests on itself (a -> b -> a)"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(tmp_path, body, message):
    assert refusal(write(tmp_path, body)) == message


def test_files_that_are_not_there(tmp_path):
    assert "no such file" in refusal(tmp_path / "mine.py")
    assert "is not a Python file" in refusal(tmp_path)
    (tmp_path / "mine.txt").write_text("")
    assert "is not a Python file" in refusal(tmp_path / "mine.txt")


def test_an_error_in_a_helper_is_found_in_the_file_that_called_it(tmp_path):
    (tmp_path / "helper_r1.py").write_text("def f():\n    return [][0]\n")
    message = refusal(write(tmp_path, "import helper_r1\nhelper_r1.f()"))
    assert message == f"mine.py, line {LINE + 1}: IndexError: list index out of range"


def test_helpers_of_the_same_name_are_not_mixed_up(tmp_path):
    body = "from helper_r2 import VERDICT\nCLAIMS = [fake('a', VERDICT)]"
    for i, verdict in enumerate(["proved", "tested", "refuted"]):
        folder = tmp_path / str(i % 2)  # the third time the helper of the first has changed
        folder.mkdir(exist_ok=True)
        (folder / "helper_r2.py").write_text(f"VERDICT = {verdict!r}\n")
        (check,) = load(write(folder, body))["a"].checks
        assert check.verdict == verdict
    assert sys.path.count(str(tmp_path / "0")) == 1
    assert str(tmp_path / "1") not in sys.path
    assert not list(tmp_path.rglob("__pycache__"))


def test_what_a_file_prints_goes_to_stderr(tmp_path, capsys):
    load(write(tmp_path, "print('here')\nCLAIMS = [fake('a', 'proved')]"))
    assert capsys.readouterr() == ("", "here\n")


# --- packages ------------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))

    def make(name, modules):
        for path, body in {"__init__": "", **modules}.items():
            file = tmp_path / name / f"{path}.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(body if path.endswith("__init__") else HEAD + body)
        return Source(package=name)

    yield make
    for name in [n for n in sys.modules if n.startswith("claims_r")]:
        del sys.modules[name]


def test_discovery_walks_the_package(package):
    modules = {
        "second": "CLAIMS = (fake('b', 'proved', ['c']),)",
        "first": "CLAIMS = [fake('a', 'proved')]",
        "helper": "VALUE = 1",
        "sub/__init__": "",
        "sub/deep": "CLAIMS = [fake('c', 'proved')]",
    }
    claims = load_claims(package("claims_r1", modules))
    assert {claim.label: claim.module for claim in claims} == {
        "a": "claims_r1.first",
        "b": "claims_r1.second",
        "c": "claims_r1.sub.deep",
    }


def test_errors_of_a_package_name_the_module(package):
    two = package("claims_r2", dict.fromkeys(["one", "two"], "CLAIMS = [fake('a', 'proved')]"))
    with pytest.raises(ClaimError, match=r"a: the label is used twice \(claims_r2.one and claims_r2.two\)"):
        load_claims(two)
    with pytest.raises(ClaimError, match=r"claims_r3\.one, line \d+: claim a: nothing to check"):
        load_claims(package("claims_r3", {"one": "CLAIMS = [claim('a', 'words')]"}))
    with pytest.raises(ClaimError, match="claims_r4: no claims found"):
        load_claims(package("claims_r4", {}))
    with pytest.raises(ClaimError, match="package 'claims_r5' is not installed; name a file with --claims"):
        load_claims(Source(package="claims_r5"))


def test_a_defect_in_a_package_is_one_line(package):
    with pytest.raises(ClaimError, match=r"^claims_r6\.one, line \d+: ZeroDivisionError: division by zero$"):
        load_claims(package("claims_r6", {"one": "1 / 0"}))
