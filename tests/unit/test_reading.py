"""Formulas are read when they are needed, and mean and complain the same whenever that is."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from random import Random

import pytest

from tests.fake_claims import write
from tests.hostile_formulas import any_text, formula
from verify.claims import ClaimError, claim
from verify.claims.texts import describe
from verify.kernel.language import Fact, Setting
from verify.kernel.terms import KernelError, Symbol
from verify.reading import deferring, is_read
from verify.running.fingerprints import _import_statements
from verify.running.loading import load_claims
from verify.running.runs import run_claims
from verify.source import Source

# --- a command reads what it shows ---------------------------------------------------------

LIST = """
import contextlib, io, sys
from ctucbvi.cli import main
from proofs_checks import SOURCE
from verify.claims import Relation
from verify.reading import is_read
from verify.running.loading import load_claims

read, of = [], Relation.of
Relation.of = staticmethod(lambda text, domain: (read.append(text), of(text, domain))[1])

def run(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main([*arguments]) == 0
    return out.getvalue()

assert int(run("claims").splitlines()[-1].split()[0]) > 400
assert read == [], read
settings = [claim.setting for claim in load_claims(SOURCE) if claim.setting]
facts = [fact for setting in settings for fact in setting.facts.values()]
assert facts and not any(is_read(fact, "formula") for fact in facts)
assert not {"numba", "scipy", "pandas", "matplotlib"} & set(sys.modules)
one = load_claims(SOURCE)["eq:M/rates/repaired"]
assert one.statement in run("claims", one.label)
assert one.says.text() in read and len(read) < 5, read
"""

PART = """
import sys
from proofs_checks import SOURCE
from verify.running.loading import load_claims

claims = load_claims(SOURCE, {"eq:M/rates/repaired": "proofs_checks.setting.model"})
assert [c.label for c in claims] == ["eq:M/rates/repaired"]
assert "proofs_checks.setting.model" in sys.modules
assert not any(m.startswith(("proofs_checks.regret", "proofs_checks.optimistic")) for m in sys.modules)
"""


def python(text: str, folder) -> None:
    environment = {**os.environ, "CTUCBVI_CACHE": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr


def test_the_list_of_the_paper_s_claims_reads_no_formula_and_loads_no_compiler(tmp_path):
    python(LIST, tmp_path)


def test_claims_that_are_known_by_place_are_loaded_alone(tmp_path):
    python(PART, tmp_path)


# --- when a mistake is found ---------------------------------------------------------------

BODY = """
from verify.claims import claim
CLAIMS = [
    claim("good", "-", says="x <= exp(x)", domain="x >= 0"),
    claim("bad", "-", says="x <= exp(y)", domain="x >= 0"),
]
"""
OTHER = """
import os
from pathlib import Path
from verify.claims import claim
CLAIMS = [claim("other", "-", says="x <= exp(x)", domain="x >= 0")]
with Path(__file__).with_name("loaded").open("a") as file:
    print(os.getpid(), file=file)
"""
WRONG = "claim bad: formula 'x <= exp(y)': 'y' is not a variable of the domain; add it there"


@pytest.fixture
def package(tmp_path, monkeypatch):
    (tmp_path / "deferred_claims").mkdir()
    (tmp_path / "deferred_claims" / "__init__.py").write_text("")
    (tmp_path / "deferred_claims" / "first.py").write_text(BODY)
    (tmp_path / "deferred_claims" / "second.py").write_text(OTHER)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("VERIFY_CACHE", str(tmp_path / "cache"))
    yield Source(package="deferred_claims")
    for name in [name for name in sys.modules if name.startswith("deferred_claims")]:
        del sys.modules[name]


def test_of_a_package_a_mistake_is_found_when_its_claim_is_touched(package):
    claims = load_claims(package)
    assert not any(is_read(one, "says") for one in claims)
    assert claims["good"].says.text() == "x <= exp(x)"
    for field in ("says", "domain", "latex", "symbols"):
        with pytest.raises(ClaimError) as caught:
            getattr(claims["bad"], field)
        assert str(caught.value) == WRONG
    for wanted in (["bad"], []):
        with pytest.raises(ClaimError) as caught:
            run_claims(package, wanted, workers=0)
        assert str(caught.value) == WRONG


def test_a_worker_loads_what_it_needs(package, tmp_path):
    loaded = tmp_path / "deferred_claims" / "loaded"
    assert str(run_claims(package, ["good"], workers=1).results["good"].verdict) == "proved"
    assert loaded.read_text().split() == [str(os.getpid())]
    assert str(run_claims(package, ["other"], workers=1).results["other"].verdict) == "proved"
    assert len(loaded.read_text().split()) == 2


def test_of_a_file_at_once(tmp_path):
    with pytest.raises(ClaimError, match=r"^mine.py, line \d+: claim bad: formula 'x <= exp\(y\)'"):
        load_claims(Source(file=str(write(tmp_path, BODY))))


def test_whatever_is_written_is_read_the_same_later():
    random, outcomes = Random(5), {True: 0, False: 0}
    for _ in range(400):
        wild = random.random() < 0.3
        says = any_text(random) if wild else f"{formula(random, 2)} <= {formula(random, 1)}"
        fields = {
            "says": says,
            "domain": random.choice([("x > 0", "y >= x"), ("0 < x < 2", "y > 0"), "x >= 0"]),
        }

        def made(fields=fields):
            return describe(claim("c", "-", **fields))

        def later(fields=fields):
            with deferring():
                one = claim("c", "-", **fields)
            assert not is_read(one, "says")
            return describe(one)

        found = []
        for make in (made, later):
            try:
                found.append(make())
            except ClaimError as error:
                found.append(str(error))
        assert found[0] == found[1]
        outcomes[isinstance(found[0], str)] += 1
    assert min(outcomes.values()) > 50


# --- settings ------------------------------------------------------------------------------


def test_a_fact_of_a_larger_setting_is_the_one_of_the_smaller_read_there():
    from proofs_checks.derivations import setting, setting_optimistic  # slow to load

    several = [
        one for m in (setting, setting_optimistic) for one in vars(m).values() if isinstance(one, Setting)
    ]
    assert len(several) > 10
    for one in several:
        assert all(one.formula(fact.says) is fact.formula for fact in one.facts.values())


def test_a_fact_that_cannot_be_read_is_found_at_once_or_later():
    facts = {"wrong": Fact("0 <= c +", "-"), "right": Fact("0 <= c", "-")}
    said = "setting s: fact wrong: '0 <= c \\+' is not a formula"
    with pytest.raises(KernelError, match=said):
        Setting.of("s", "", {}, [Symbol("c", (), "Real")], facts)
    with deferring():
        later = Setting.of("s", "", {}, [Symbol("c", (), "Real")], facts)
    assert later.facts["right"].formula is later.formula("0 <= c")
    with pytest.raises(KernelError, match=said):
        later.read()


# --- imports are found without a whole tree ------------------------------------------------

PIECES = [
    "import a", "import a, b.c as d", "from a import b", "from . import a",
    "from ..a.b import (\n    c,\n    d,\n)",
    "from a import (b,  # :)\n  c)", "from a import (b,  # it's\n c)", "import a; import b", "if x: import a",
    "try:\n    import a\nexcept ImportError:\n    from b import c", "def f():\n    from a import b  # why",
    "from a \\\n import b", "import a, \\\n b", "s = '''", '"""', "'''", "# import a", "x = 'import a'",
    "    import indented", "from .import a", "from.a import(b)", "import a; s = '''",
    "class A: from b import c",
    '"""from a import b', "import é", "from é import a", "importlib.import_module('a')", "__import__('a')",
    "\x0cimport a", "import a\rimport b", "def g(): return 1", "x = (", ")",
    "import a  # noqa \"", "# coding: latin-1",
]  # fmt: skip
HIDDEN = [
    'import a; s = """\n"""\nimport b; t = """\n"""\n',
    "# coding: unicode_escape\nx = 1\\nimport a",
]


def imports(nodes) -> set[str]:
    return {ast.dump(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)}


def test_no_import_is_missed():
    random, readable = Random(1), 0
    texts = [*HIDDEN, *("\n".join(random.choices(PIECES, k=random.randint(1, 5))) for _ in range(6000))]
    for text in texts:
        try:
            every = imports(ast.walk(ast.parse(text.encode())))
        except (SyntaxError, ValueError):
            continue
        assert every <= imports(_import_statements(text.encode())), text
        readable += len(every) > 0
    assert readable > 500
