"""The layers of docs/architecture.md, enforced: who may import whom."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OURS = ("ctucbvi", "verify", "proofs_checks", "tests")

# Inside ctucbvi, from the bottom up: a module may import those of lower layers and of its own
# folder, and nothing of a higher one.  A module that is not listed fails the test.
LAYERS = [
    {"ctucbvi.errors", "ctucbvi.enclosure", "ctucbvi.sources", "ctucbvi.disk", "ctucbvi.borrowing"},
    {"ctucbvi.numbers", "ctucbvi.figures", "ctucbvi.frames", "ctucbvi.kernels", "ctucbvi.abreast"},
    {"ctucbvi.model"},
    {"ctucbvi.policy", "ctucbvi.modelfile", "ctucbvi.solutions"},
    # Of learning: what its parts below share.
    {"ctucbvi.library", "ctucbvi.drawing", "ctucbvi.learning", "ctucbvi.prism", "ctucbvi.environments"},
    {"ctucbvi.views"},
    # Independent of each other on purpose: each is the check of the other.
    {"ctucbvi.exact", "ctucbvi.numeric", "ctucbvi.peers", "ctucbvi.second_opinion", "ctucbvi.strategies"},
    {"ctucbvi.crosscheck", "ctucbvi.bounds", "ctucbvi.learning.exact", "ctucbvi.learning.fast"},
    {"ctucbvi.learning.lockstep"},
    {"ctucbvi.study"},
    {"ctucbvi.losses"},
    {"ctucbvi"},  # the public face
    {"ctucbvi.usage"},
    {"ctucbvi.commands"},
    {"ctucbvi.cli"},
    {"ctucbvi.__main__"},
]

# What ctucbvi takes from the engine: the base of all errors for its own, the way to a cluster and to
# processes here for its studies, and a way to talk to people for its command line.  The whole command, and
# nothing else, knows the claims of the paper.
TAKEN = {
    "ctucbvi.errors": {"verify.errors"},
    "ctucbvi.study": {"verify.clusters", "verify.workers"},
    "ctucbvi.usage": {"verify.console"},
    "ctucbvi.commands": {"verify.console", "verify.progress", "verify.report", "verify.tables"},
    "ctucbvi.cli": {"verify", "verify.usage", "verify.console", "proofs_checks"},
}
# The exact learner and the fast one are to stay strangers all the way down; lockstep knows both.
STRANGERS = {("ctucbvi.learning.exact", "ctucbvi.numeric"), ("ctucbvi.learning.fast", "ctucbvi.exact")}

# Inside verify likewise (imports at module level; recheck is to stay a stranger to all the others).
VERIFY = [
    {"verify.errors", "verify.source", "verify.paper", "verify.recheck", "verify.progress", "verify.tables"}
    | {"verify.streams"},
    {"verify.reading", "verify.clusters", "verify.workers"},
    {"verify.kernel", "verify.coq"},
    {"verify.claims", "verify.console"},
    {"verify.provers"},
    {"verify.running"},
    {"verify.report"},
    {"verify.commands", "verify.usage"},
    {"verify.__main__"},
]

# Inside ctucbvi.exact likewise, but every module on its own.
EXACT = [
    {"precision"},
    {"signs", "lumping"},
    {"certain"},
    {"poisson", "piecewise", "problem"},
    {"motion"},
    {"regimes", "exppoly"},
    {"ties"},
    {"start"},
    {"outlook"},
    {"screen"},
    {"survey"},
    {"glance"},
    {"trajectory"},
    {"solution"},
    {"planner"},
    {"evaluation", "iteration"},
    {"iteration_bounds"},
]


def modules() -> list[Path]:
    return sorted(p for top in OURS[:3] for p in (ROOT / top).rglob("*.py"))


def name_of(path: Path) -> str:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


KNOWN = {name_of(path) for path in modules()}


def imports(source: str, *, module_level: bool = False) -> set[str]:
    """The modules of ours that ``source`` imports; imports for type checking only do not count."""
    tree = ast.parse(source)
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        if module_level and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found.add(str(node.module))
            found.update({f"{node.module}.{alias.name}" for alias in node.names} & KNOWN)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(tree)
    return {name for name in found if name.split(".")[0] in OURS}


def breaches(name: str, source: str) -> list[str]:
    """The imports of module ``name`` that go the wrong way."""
    top, used = name.split(".")[0], imports(source)
    if top == "verify":
        wrong = {m for m in used if not m.startswith("verify")}
        if name != "verify":
            inner = imports(source, module_level=True) - wrong - {"verify"}
            wrong |= {m for m in inner if _rank(m) > _rank(name) or _stranger(name, m)}
        return sorted(wrong)
    if top == "proofs_checks":  # claims know checks and derivations, and no claims know each other
        return sorted(m for m in used if m.startswith("tests") or _is_of_claims(m))
    wrong = {m for m in used if not m.startswith("ctucbvi")} - TAKEN.get(_unit(name), set())
    ours = {m for m in used if m.startswith("ctucbvi")}
    wrong |= {m for m in ours if _layer(m) > _layer(name) or _aside(name, m)}
    if name.startswith("ctucbvi.exact.") and "." not in name.removeprefix("ctucbvi.exact."):
        inner = {m.split(".")[2] for m in used if m.startswith("ctucbvi.exact.")}
        known = {m for layer in EXACT for m in layer}
        here = _position(EXACT, name.split(".")[2])
        wrong |= {m for m in inner & known if m != name.split(".")[2] and _position(EXACT, m) > here}
    return sorted(wrong)


def _is_of_claims(module: str) -> bool:
    helpers = ("proofs_checks.checks", "proofs_checks.derivations")
    return module.startswith("proofs_checks") and not module.startswith(helpers)


def _position(layers: list[set[str]], name: str) -> int:
    return next(i for i, layer in enumerate(layers) if name in layer)


def _unit(module: str) -> str:
    """The longest name of the lists that a module is, or is inside of."""
    parts = module.split(".")
    listed = {unit for layer in (*LAYERS, *VERIFY) for unit in layer}
    names = (".".join(parts[:n]) for n in range(len(parts), 1, -1))
    return next((name for name in names if name in listed), ".".join(parts[:2]))


def _rank(module: str) -> int:
    return _position(VERIFY, _unit(module))


def _stranger(name: str, used: str) -> bool:
    """Whether the independent checker meets the provers; three modules ask it what their proofs are worth.

    Which letters are read as others is one question for all who read; what its command prints goes the way
    of all.  What writes proofs for Coq reads
    formulas as the checker does; whether they prove anything, Coq says.
    """
    asks = ("verify.running.engine", "verify.running.accepted", "verify.kernel.goals")
    return (
        name not in asks
        and used != "verify.recheck.letters"
        and _unit(name) != "verify.coq"
        and (name, used) != ("verify.recheck.__main__", "verify.streams")
        and ("recheck" in _unit(name)) != ("recheck" in _unit(used))
    )


def _layer(module: str) -> int:
    return _position(LAYERS, _unit(module))


def _aside(name: str, used: str) -> bool:
    """Two different units of one layer must not know each other, nor must some of different ones."""
    mine, other = _unit(name), _unit(used)
    return mine != other and (_layer(mine) == _layer(other) or (mine, other) in STRANGERS)


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_imports_follow_the_layers(path):
    assert breaches(name_of(path), path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("ctucbvi.model", "from verify import console"),
        ("ctucbvi.model", "from verify.errors import UserError"),
        ("ctucbvi.commands.plan", "from verify.running import run_claims"),
        ("ctucbvi.commands.plan", "def f():\n    from proofs_checks import SOURCE"),
        ("ctucbvi.losses", "from ctucbvi.commands import plan"),
        ("ctucbvi.model", "import ctucbvi"),
        ("ctucbvi.model", "from ctucbvi.exact.planner import solve"),
        ("ctucbvi.exact.planner", "from ctucbvi import second_opinion"),
        ("ctucbvi.exact.planner", "from ctucbvi.numeric.planner import solve_numeric"),
        ("ctucbvi.numeric.planner", "from ctucbvi.exact.planner import solve"),
        ("ctucbvi.exact.signs", "from ctucbvi.exact.planner import solve"),
        ("ctucbvi.second_opinion", "def f():\n    from ctucbvi.exact import solve"),
        ("ctucbvi.errors", "from ctucbvi.enclosure import Enclosure"),
        ("verify.usage", "from ctucbvi import solve"),
        ("verify.running.loading", "def f():\n    import proofs_checks"),
        ("ctucbvi.learning.exact.learner", "from ctucbvi.learning.fast.learner import FastLearner"),
        ("ctucbvi.learning.exact.learner", "from ctucbvi.numeric.planner import solve_numeric"),
        ("ctucbvi.learning.fast.located", "from ctucbvi.learning.exact import learner"),
        ("ctucbvi.learning.fast.located", "from ctucbvi.exact.planner import solve"),
        ("ctucbvi.learning.radii", "from ctucbvi.exact.precision import BALLS"),
        ("ctucbvi.learning.radii", "from ctucbvi.learning import fast"),
        ("ctucbvi.learning.fast.learner", "from ctucbvi.learning.lockstep import Lockstep"),
        ("verify.console", "from ctucbvi import solve"),
        ("verify.claims.claim", "from verify.provers.proof import Proof"),
        ("verify.kernel.theorems", "from verify.claims import Claim"),
        ("verify.kernel.theorems", "from verify.recheck import recheck"),
        ("verify.provers.proof", "from verify.running import run_claims"),
        ("verify.provers.proof", "from verify.recheck import recheck"),
        ("verify.provers.proof", "from verify.recheck.rules import check"),
        ("verify.recheck.rules", "from verify.claims import Domain"),
        ("verify.recheck.rules", "from verify.streams import writing"),
        ("verify.streams", "from verify.recheck import recheck"),
        ("proofs_checks.simulation", "from tests import opinions"),
        ("proofs_checks.simulation", "from proofs_checks.regret.theorem import section"),
        ("proofs_checks.checks.jumps", "from proofs_checks.confidence import jumps"),
    ],
)
def test_a_wrong_import_is_noticed(name, line):
    assert breaches(name, line)


def test_the_engine_names_no_tenant():
    """It is told where claims are; the name of a format of files is a name like another."""
    for path in sorted((ROOT / "verify").rglob("*.py")):
        text = re.sub("ctucbvi-(proof|derivation)-1", "", path.read_text(encoding="utf-8"))
        assert not re.search("ctucbvi|proofs_checks", text, re.IGNORECASE), path


def test_the_checker_asks_no_library_that_the_provers_ask():
    """In a process of its own: SymPy and python-flint are not even loaded."""
    line = (
        "import sys, verify.recheck; print(*sorted({'sympy', 'flint', 'numpy', 'mpmath'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["mpmath"]
