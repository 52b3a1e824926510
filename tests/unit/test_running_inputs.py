"""Results of checks that read something besides code are not kept: the next run would not notice a change."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from verify.claims import Verdict
from verify.running import Source, inputs, run_claims
from verify.running.cache import Cache
from verify.running.fingerprints import Fingerprints

HEAD = """
import os, socket, sqlite3, subprocess, sys, tempfile, json, numpy
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from verify import Case, Computed, Outcome, claim
HERE = Path(__file__).parent

def forked(file):
    ours, theirs = os.pipe()
    if os.fork() == 0:
        os.write(theirs, file.read_bytes())
        os._exit(0)
    os.wait()
    return int(os.read(ours, 9))

def temporary():
    with tempfile.TemporaryFile('w+') as file, tempfile.NamedTemporaryFile('w+') as other:
        for one in (file, other):
            one.write('1')
            one.seek(0)
        return int(file.read()) * int(other.read())

def check(value):
    return lambda effort: Outcome([Case("one", value(), 2)], complete=True)

"""
# What is read, how it is told, and how it is changed so that the claim is refuted.
READS = {
    "a file": ("int((HERE / 'data.txt').read_text())", "data.txt", "data"),
    "by numpy": ("int(numpy.loadtxt(HERE / 'data.txt'))", "data.txt", "data"),
    "by its number": ("int(os.read(os.open(HERE / 'data.txt', os.O_RDONLY), 9))", "data.txt", "data"),
    "a variable": ("int(os.environ['LIMIT'])", "$LIMIT", "environ"),
    "a variable, if it is there": ("int(os.environ.get('LIMIT', 9))", "$LIMIT", "environ"),
    "by getenv": ("int(os.getenv('LIMIT'))", "$LIMIT", "environ"),
    "by bytes": ("int(os.environb[b'LIMIT'])", "$LIMIT", "environ"),
    "a folder": ("len(list((HERE / 'many').iterdir()))", "the folder many", "many"),
    "a process": (
        "int(subprocess.run(['cat', str(HERE / 'data.txt')], capture_output=True).stdout)",
        "another process",
        "data",
    ),
    "a process that was forked": ("forked(HERE / 'data.txt')", "another process", "data"),
    "another thread": (
        "int(next(ThreadPoolExecutor(1).map(os.environ.get, ['LIMIT'])))",
        "$LIMIT",
        "environ",
    ),
    "what was appended to": (
        "[open(HERE / 'data.txt', 'a').close(), int((HERE / 'data.txt').read_text())][1]",
        "data.txt",
        "data",
    ),
    "the folder it is in": ("[os.chdir(HERE / 'many'), len(os.listdir())][1]", "the folder many", "many"),
    "a database": (
        "[sqlite3.connect(HERE / 'data.db').close(), int(os.environ['LIMIT'])][1]",
        "data.db",
        "environ",
    ),
    "a module by a computed name": ("import_module('help' + 'er').VALUE", "helper.py", "helper"),
}
WHEN = {
    "when it runs": "CLAIMS = [claim('a', 'words', checks=Computed(check(lambda: {})))]",
    "when it is loaded": "VALUE = {}\nCLAIMS = [claim('a', 'words', checks=Computed(check(lambda: VALUE)))]",
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    (tmp_path / "many").mkdir()
    monkeypatch.chdir(tmp_path)  # some go elsewhere
    monkeypatch.delitem(sys.modules, "helper", raising=False)
    for what in ("data", "environ", "many", "helper"):
        set_(tmp_path, monkeypatch, what, 1)
    return tmp_path


def set_(folder: Path, monkeypatch, what: str, value: int) -> None:
    if what == "data":
        (folder / "data.txt").write_text(str(value))
    elif what == "environ":
        monkeypatch.setenv("LIMIT", str(value))
    elif what == "many":
        for k in range(value):
            (folder / "many" / str(k)).touch()
    else:
        (folder / "helper.py").write_text(f"VALUE = {value}{' ' * value}\n")


def run(folder: Path, text: str) -> tuple[str, int, list[str]]:
    file, said = folder / "mine.py", []
    file.write_text(HEAD + text)
    done = run_claims(Source(file=str(file)), workers=0, cache=Cache(folder / "kept"), warn=said.append)
    return str(done.results["a"].verdict), done.known, said


@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize("how", READS)
def test_a_change_of_what_a_check_reads_is_noticed(place, monkeypatch, how, when):
    code, told, what = READS[how]
    text = WHEN[when].format(code)
    verdict, known, said = run(place, text)
    assert (verdict, known) == ("proved", 0)
    assert len(said) == 1
    assert said[0].startswith("a: is not kept: the checks have read ")
    assert told in said[0]
    set_(place, monkeypatch, what, 3)
    sys.modules.pop("helper", None)
    assert run(place, text)[:2] == ("refuted", 0)


KEPT = {
    "nothing": "1",
    "what it wrote itself": "[(HERE / 'own.txt').write_text('1'), int((HERE / 'own.txt').read_text())][1]",
    "a temporary file": "temporary()",
    "a module beside it": "__import__('helper').VALUE",
    "what is installed": "min(1, len(Path(json.__file__).read_text()))",
    "a folder of Python's": "min(1, len(os.listdir(Path(json.__file__).parent)))",
}


@pytest.mark.parametrize("how", KEPT)
def test_what_is_in_the_key_or_its_own_is_kept(place, how):
    text = WHEN["when it runs"].format(KEPT[how])
    if how == "a module beside it":
        text = "import helper\n" + text
    assert run(place, text) == ("proved", 0, [])
    assert run(place, text)[1] == 1


@pytest.mark.parametrize("name", ["usr-of-mine", "libs", "kept-data"])
def test_a_folder_whose_name_only_begins_alike_is_another(place, name, monkeypatch):
    """``/usr2`` is not ``/usr``, nor is a folder beside that of the results in it."""
    folder = place / name
    folder.mkdir()
    monkeypatch.setattr(inputs, "_SYSTEM", (*inputs._SYSTEM, f"{place}/usr/", f"{place}/lib/"))
    monkeypatch.setattr(inputs, "cache_folder", lambda _: place / "kept")
    (folder / "data.txt").write_text("1")
    seen = inputs.Seen(Source(file=str(place / "mine.py")))
    seen.hear("open", (str(folder / "data.txt"), "r", 0))
    assert seen.names() == ["data.txt"]


def test_what_is_noticed_is_not_forgotten(place):
    """Another check may find what the first one has read, in the memory of some function."""
    text = """
from functools import cache
@cache
def limit():
    return int((HERE / 'data.txt').read_text())
CLAIMS = [claim(name, 'words', checks=Computed(check(limit))) for name in "ab"]
"""
    assert run(place, text)[2][1].startswith("b: is not kept")


def test_a_global_that_changed_is_another_key(place):
    """A claim that is there twice as long as the file was loaded, say."""
    text = "LIMIT = 1\n" + WHEN["when it runs"].format("LIMIT")
    run(place, text)
    source = Source(file=str(place / "mine.py"))
    from verify.running import effort_for, load_claims  # the file is loaded here

    claims = load_claims(source)
    before = Fingerprints(source).key(claims["a"], effort_for(claims, "quick", 0))
    inner = claims["a"].checks[0].function.__closure__[0].cell_contents
    inner.__globals__["LIMIT"] = 3
    assert Fingerprints(source).key(claims["a"], effort_for(claims, "quick", 0)) != before


MUTANT = """
from verify import Mutant

def found(value):
    return Outcome([Case('a', value, 2)], complete=True)

CLAIMS = [claim("a", "words", expected="refuted", checks={},
                mutant=Mutant(checks={}))]
"""
SAME_NAME = {
    "functions": "Computed(lambda effort: found({}))",
    "defaults": "Computed(lambda effort, *, v={}: found(v))",
    "objects": "Computed(type('C', (), {{'__call__': lambda self, e: found({})}})())",
}


@pytest.mark.parametrize("how", SAME_NAME)
@pytest.mark.parametrize("first", [True, False])
def test_a_mutant_is_not_taken_for_its_claim(place, how, first):
    """Nor any check for another one of its name: ``3 <= 2`` was proved, by what its mutant had found."""
    text = HEAD + MUTANT.format(SAME_NAME[how].format(3), SAME_NAME[how].format(1))
    (place / "mine.py").write_text(text)
    found = []
    for mutants in (first, not first):
        source = Source(file=str(place / "mine.py"), mutants=mutants)
        run_ = run_claims(source, workers=0, cache=Cache(place / "kept"))
        found.append(str(run_.results["a"].verdict))
        assert run_.known == 0
    assert found == (["proved", "refuted"] if first else ["refuted", "proved"])


def test_a_check_that_changes_a_global_is_not_kept(place):
    text = """
COUNT = [0]
def counted():
    COUNT[0] += 1
    return COUNT[0]
CLAIMS = [claim('a', 'words', checks=Computed(check(counted)))]
"""
    assert run(place, text)[:2] == ("proved", 0)
    assert run(place, text)[:2] == ("proved", 0)


def test_variables_can_be_read_as_before_afterwards(place):
    run(place, WHEN["when it runs"].format("1"))
    assert os.environ["LIMIT"] == "1"
    assert os._Environ.__getitem__.__module__ == "os"


def test_verdicts_are_what_they_would_be(place):
    assert run(place, WHEN["when it runs"].format("3"))[0] == Verdict.REFUTED
