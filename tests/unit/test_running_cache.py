"""Results are found again exactly when nothing they depend on has changed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from fractions import Fraction
from functools import lru_cache, partial
from pathlib import Path

import pytest
from flint import arb

from tests.fake_claims import write
from verify.claims import Verdict
from verify.running import fingerprints
from verify.running.cache import Cache, cache_folder
from verify.running.fingerprints import Fingerprints, canonical
from verify.running.inputs import Seen
from verify.running.loading import Source, load_claims
from verify.running.results import Result
from verify.running.runs import run_claims

BODY = """
from helper_c import VERDICT
CLAIMS = [fake('a', VERDICT), fake('b', 'tested', ['a'])]
"""


class Bench:
    """A claims file with a helper, and a count of the checks that are run."""

    def __init__(self, folder: Path, monkeypatch) -> None:
        self.folder = folder
        self.log = folder / "log"
        monkeypatch.setenv("FAKE_LOG", str(self.log))
        self.cache = Cache(folder / "cache")
        self.file = write(folder, BODY)
        self.helper = folder / "helper_c.py"
        self.helper.write_text("from deeper_c import VERDICT\n")
        self.deeper = folder / "deeper_c.py"
        self.deeper.write_text("VERDICT = 'proved'\n")

    @property
    def source(self) -> Source:
        return Source(file=str(self.file))

    def run(self, *wanted, **options):
        """The verdict on a, and how many checks were run for it all."""
        before = self.ran
        run = run_claims(self.source, wanted, workers=0, cache=self.cache, **options)
        return run.results["a"].verdict, self.ran - before

    @property
    def ran(self) -> int:
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0


@pytest.fixture
def bench(tmp_path, monkeypatch):
    return Bench(tmp_path, monkeypatch)


def test_a_second_run_checks_nothing(bench):
    assert bench.run() == (Verdict.PROVED, 2)
    assert bench.run() == (Verdict.PROVED, 0)
    assert bench.run("a") == (Verdict.PROVED, 0)
    assert bench.run(fresh=True) == (Verdict.PROVED, 2)
    assert bench.run() == (Verdict.PROVED, 0)


def test_a_selection_is_kept_for_the_whole(bench):
    assert bench.run("a") == (Verdict.PROVED, 1)
    assert bench.run() == (Verdict.PROVED, 1)


@pytest.mark.parametrize("which", ["file", "helper", "deeper"])
def test_a_changed_text_is_checked_again(bench, which):
    bench.run()
    path = getattr(bench, which)
    path.write_text(path.read_text() + "# another text\n")
    assert bench.run() == (Verdict.PROVED, 2)


def test_a_changed_helper_gives_the_new_verdict(bench):
    bench.run()
    bench.deeper.write_text("VERDICT = 'tested'\n")
    assert bench.run() == (Verdict.TESTED, 2)


def test_a_cache_that_does_not_look_at_the_sources_is_caught(bench, monkeypatch):
    """The mutant returns what the old helper said."""
    monkeypatch.setattr(Fingerprints, "sources", lambda self, *modules: {})
    monkeypatch.setattr(Fingerprints, "_globals", lambda self, claim: None)
    monkeypatch.setattr(Seen, "names", lambda self, known: [])
    monkeypatch.setattr(fingerprints, "_claim_data", lambda claim: claim.label)
    bench.run()
    bench.deeper.write_text("VERDICT = 'tested'\n")
    assert bench.run() == (Verdict.PROVED, 0)


def test_other_settings_are_checked_again(bench, monkeypatch):
    bench.run()
    assert bench.run(seed=1)[1] == 2
    assert bench.run(profile="thorough")[1] == 2
    monkeypatch.setattr(fingerprints, "versions", lambda: {"sympy": "0"})
    assert bench.run()[1] == 2


def test_another_share_of_the_error_budget_is_another_check(bench):
    bench.run()
    effort = run_claims(bench.source, workers=0, cache=bench.cache).effort
    claims = load_claims(bench.source)
    other = effort.__class__(effort.profile, effort.seed, effort.error / 2)
    assert len({Fingerprints(bench.source).key(claims["a"], e) for e in (effort, other)}) == 2


@pytest.mark.parametrize("damage", [
    lambda text: text[: len(text) // 2],
    lambda text: "",
    lambda text: "[1, 2]",
    lambda text: text.replace('"proved"', '"tested"'),
    lambda text: text.replace("proved", "prüved"),
    lambda text: "[" * 100_000,
])  # fmt: skip
def test_damaged_files_are_ignored_and_rewritten(bench, damage):
    bench.run()
    files = sorted(bench.cache.folder.iterdir())
    assert len(files) == 2
    texts = [file.read_text() for file in files]
    for file, text in zip(files, texts, strict=True):
        file.write_bytes(damage(text).encode("latin-1"))
    verdict, ran = bench.run()
    assert verdict is Verdict.PROVED
    assert ran == sum(damage(text) != text for text in texts) > 0
    assert bench.run() == (Verdict.PROVED, 0)
    assert sorted(bench.cache.folder.iterdir()) == files


def test_a_file_under_the_name_of_another_is_ignored(bench):
    bench.run()
    first, second = sorted(bench.cache.folder.iterdir())
    second.write_bytes(first.read_bytes())
    assert bench.run()[1] == 1


def test_an_unwritable_folder_is_a_warning(bench, tmp_path):
    (tmp_path / "taken").write_text("")
    bench.cache = Cache(tmp_path / "taken")
    warnings: list[str] = []
    for _ in range(2):
        assert bench.run(warn=warnings.append) == (Verdict.PROVED, 2)
    assert len(warnings) == 2
    assert warnings[0].startswith(f"results cannot be kept in {tmp_path / 'taken' / 'results'}: ")
    bench.cache.put("0" * 64, Result("a", Verdict.PROVED))  # quietly nothing


def test_a_failed_check_is_not_kept(bench):
    bench.deeper.write_text("VERDICT = 'crash'\n")
    assert bench.run() == (Verdict.UNDECIDED, 2)
    assert bench.run() == (Verdict.UNDECIDED, 1)


def test_a_result_whose_text_changed_meanwhile_is_not_kept(bench):
    edit = f"""
@dataclass(frozen=True)
class Edits(Fake):
    def run(self, claim, effort):
        with open({str(bench.deeper)!r}, 'a') as file:
            file.write('#')
        return super().run(claim, effort)
CLAIMS[0] = claim('a', 'words', checks=[Edits('proved')])
"""
    write(bench.folder, BODY + edit)
    assert bench.run("a") == (Verdict.PROVED, 1)
    assert bench.run("a") == (Verdict.PROVED, 1)


def test_where_results_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CTUCBVI_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder("ctucbvi") == tmp_path / ".cache" / "ctucbvi"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder("ctucbvi") == tmp_path / ".cache" / "ctucbvi"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder("ctucbvi") == tmp_path / "xdg" / "ctucbvi"
    monkeypatch.setenv("CTUCBVI_CACHE", str(tmp_path / "own"))
    assert cache_folder("ctucbvi") == tmp_path / "own"


# --- what a key is made of -----------------------------------------------------------------


def test_sources_are_followed_through_packages_functions_and_relative_imports(tmp_path):
    files = {
        "mine.py": "import json\nfrom parts import one\ndef f():\n    import lazy",
        "lazy.py": "",
        "unused.py": "",
        "parts/__init__.py": "from .inner import two",
        "parts/one.py": "from . import three\nfrom .inner.four import x",
        "parts/three.py": "import broken",
        "parts/inner/__init__.py": "",
        "parts/inner/two.py": "from ..five import y",
        "parts/inner/four.py": "import mine",
        "parts/five.py": "",
        "parts/six.py": "",
        "broken.py": "x = = 1",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = set(Fingerprints(Source(file=str(tmp_path / "mine.py"))).sources(""))
    inner = {"parts.inner", "parts.inner.two", "parts.inner.four"}
    assert found == {"", "mine", "lazy", "parts", "parts.one", "parts.three", "parts.five", "broken", *inner}


def test_the_engine_and_the_standard_checks_are_part_of_every_key():
    found = Fingerprints(Source()).sources("verify.running.engine")
    wanted = {"verify", "verify.claims.verdicts", "verify.running.results", "verify.provers.search"}
    assert wanted <= set(found)
    assert not any(name.startswith(("verify.commands", "verify.usage")) for name in found)


def test_canonical_data_has_no_addresses_and_no_order_of_sets():
    def outer(value):
        def inner():
            return inner, value

        return inner

    def unset():
        if not sys:
            late = 1
        return lambda: late

    assert canonical(outer(1)) == canonical(outer(1)) != canonical(outer(2))
    assert canonical(partial(outer, 1)) != canonical(partial(outer, 2))
    assert canonical({"b", "a"}) == ["a", "b"]
    assert canonical({"b": 1, "a": (2,)}) == [["a", [2]], ["b", 1]]
    assert canonical(Verdict.PROVED) == ["verify.claims.verdicts.Verdict", "proved"]
    assert canonical(object()) == ["builtins.object", None]
    assert canonical(Fraction(1).conjugate) == canonical(Fraction(1).conjugate)
    assert canonical(Fraction(1).conjugate) != canonical(Fraction(2).conjugate)
    assert canonical(arb.exp) == canonical(arb.exp) != canonical(arb.expm1)
    assert canonical(lru_cache(outer(1))) == canonical(lru_cache(outer(1))) != canonical(lru_cache(outer(2)))
    assert canonical(1 + 2j) == ["builtins.complex", "(1+2j)"]
    assert canonical(Bench) == "tests.unit.test_running_cache.Bench"
    assert canonical(unset())[2:4] == [[], None]  # a variable that was never assigned


def test_keys_are_the_same_in_every_process(bench):
    bench.file = write(
        bench.folder, "CLAIMS = [claim('a', 's', checks=[Fake('proved', evidence={'x', 'y', 'z'})])]"
    )
    code = (
        "import sys; from verify.running import *; from verify.running.fingerprints import Fingerprints\n"
        "s = Source(file=sys.argv[1]); c = load_claims(s)\n"
        "print(Fingerprints(s).key(c['a'], effort_for(c, 'quick', 0)))"
    )
    keys = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", code, str(bench.file)]
        keys.add(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert len(keys) == 1


DEFERRED = """
from hypothesis import strategies as st
from verify.provers.search import Search

given = st.tuples(st.integers(0, 9), st.deferred(lambda: st.integers(0, 9)))
CLAIMS = [claim("a", "words", checks=[Search((20, 20), given=given, sides=lambda pair: (0, 9))])]
"""


@pytest.mark.parametrize("workers", [0, 1])
def test_a_check_that_looks_different_after_it_has_run_is_kept_all_the_same(tmp_path, workers):
    source, cache = Source(file=str(write(tmp_path, DEFERRED))), Cache(tmp_path / "cache")
    assert run_claims(source, workers=workers, cache=cache).known == 0
    assert run_claims(source, workers=workers, cache=cache).known == 1


def test_sources_are_read_again_when_one_has_changed(tmp_path, monkeypatch):
    """Also if it is as long as before, or a new file stands beside it; a fresh one is not trusted."""
    monkeypatch.setattr(fingerprints, "_searched", lambda: iter(()))
    file, beside = tmp_path / "mine.py", tmp_path / "helper.py"
    file.write_text("import helper\n")

    def age(seconds):
        for path in (file, tmp_path):
            os.utime(path, (time.time() - seconds,) * 2)

    def read():
        found = Fingerprints(Source(file=str(file)))
        return found, found.sources("")

    assert not read()[0].current  # it may be written once more within the same tick
    age(1000)
    found, before = read()
    assert found.current
    file.write_text("import helped\n")
    assert not found.current
    assert read()[1] != before
    age(500)
    found, before = read()
    assert found.current
    beside.write_text("")
    assert not found.current


def test_another_version_of_what_a_file_imports_is_another_key(bench, monkeypatch):
    """Also of packages of which the engine knows nothing, under whatever name they are installed."""
    bench.helper.write_text("import pytest, _pytest\nfrom deeper_c import VERDICT\n")
    assert bench.run() == (Verdict.PROVED, 2)
    assert bench.run() == (Verdict.PROVED, 0)
    real = fingerprints.version
    monkeypatch.setattr(fingerprints, "version", lambda name: "0" if name == "pytest" else real(name))
    fingerprints._version.cache_clear()
    assert bench.run() == (Verdict.PROVED, 2)
    fingerprints._version.cache_clear()
