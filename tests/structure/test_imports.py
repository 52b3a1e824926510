"""The layers of docs/architecture.md, enforced: who may import whom."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OURS = ("ctucbvi", "verify", "proofs_checks", "tests")

# Inside ctucbvi, from the bottom up: a module may import those of lower layers and of its own
# folder, and nothing of a higher one.  A module that is not listed fails the test.
LAYERS = [
    {"ctucbvi.errors", "ctucbvi.enclosure", "ctucbvi.sources"},
    {"ctucbvi.numbers"},
    {"ctucbvi.model"},
    {"ctucbvi.policy", "ctucbvi.modelfile"},
    {"ctucbvi.library", "ctucbvi.learning"},
    # Independent of each other on purpose: each is the check of the other.
    {"ctucbvi.exact", "ctucbvi.numeric", "ctucbvi.peers", "ctucbvi.second_opinion", "ctucbvi.strategies"},
    {"ctucbvi.crosscheck", "ctucbvi.bounds"},
    {"ctucbvi.study"},
    {"ctucbvi.losses"},
]

# Inside verify likewise (imports at module level; recheck is to stay a stranger to all the others).
VERIFY = [
    {"verify.recheck", "verify.progress", "verify.tables", "verify.plots"},
    {"verify.claims"},
    {"verify.provers"},
    {"verify.running"},
    {"verify.commands"},
    {"verify.cli"},
    {"verify.__main__"},
]

# Inside ctucbvi.exact likewise, but every module on its own.
EXACT = [
    {"precision"},
    {"signs", "lumping"},
    {"poisson", "piecewise"},
    {"regimes", "exppoly"},
    {"ties"},
    {"start"},
    {"survey"},
    {"trajectory"},
    {"solution"},
    {"planner"},
    {"evaluation", "iteration"},
    {"iteration_bounds", "learner"},
    {"verdicts"},
]


def modules() -> list[Path]:
    return sorted(p for top in OURS[:3] for p in (ROOT / top).rglob("*.py"))


def name_of(path: Path) -> str:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(source: str, *, module_level: bool) -> set[str]:
    """The modules that ``source`` imports; imports for type checking only do not count."""
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
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(tree)
    return {name for name in found if name.split(".")[0] in OURS}


def breaches(name: str, source: str) -> list[str]:
    """The imports of module ``name`` that go the wrong way."""
    top = name.split(".")[0]
    used = imports(source, module_level=top == "verify")
    if top == "verify":
        wrong = {m for m in used if not m.startswith("verify")}
        if name != "verify":
            wrong |= {m for m in used - wrong - {"verify"} if _rank(m) > _rank(name) or _stranger(name, m)}
        return sorted(wrong)
    if top == "proofs_checks":
        return sorted(m for m in used if m.startswith("tests"))
    wrong = {m for m in used if not m.startswith("ctucbvi")}
    if name != "ctucbvi":  # the public face imports everything
        wrong |= {m for m in used - wrong if _layer(m) > _layer(name) or _aside(name, m)}
    if name.startswith("ctucbvi.exact.") and "." not in name.removeprefix("ctucbvi.exact."):
        inner = {m.split(".")[2] for m in used if m.startswith("ctucbvi.exact.")}
        known = {m for layer in EXACT for m in layer}
        here = _position(EXACT, name.split(".")[2])
        wrong |= {m for m in inner & known if m != name.split(".")[2] and _position(EXACT, m) > here}
    return sorted(wrong)


def _position(layers: list[set[str]], name: str) -> int:
    return next(i for i, layer in enumerate(layers) if name in layer)


def _rank(module: str) -> int:
    return _position(VERIFY, ".".join(module.split(".")[:2]))


def _stranger(name: str, used: str) -> bool:
    """Whether the independent checker meets the provers."""
    return name.startswith("verify.recheck") != used.startswith("verify.recheck")


def _layer(module: str) -> int:
    if module == "ctucbvi":
        return len(LAYERS)
    return _position(LAYERS, ".".join(module.split(".")[:2]))


def _aside(name: str, used: str) -> bool:
    """Two different units of one layer must not know each other."""
    mine, other = (".".join(m.split(".")[:2]) for m in (name, used))
    return mine != other and _layer(mine) == _layer(other)


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_imports_follow_the_layers(path):
    assert breaches(name_of(path), path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("ctucbvi.model", "from verify import cli"),
        ("ctucbvi.model", "import ctucbvi"),
        ("ctucbvi.model", "from ctucbvi.exact.planner import solve"),
        ("ctucbvi.exact.planner", "from ctucbvi import second_opinion"),
        ("ctucbvi.exact.planner", "from ctucbvi.numeric.planner import solve_numeric"),
        ("ctucbvi.numeric.planner", "from ctucbvi.exact.planner import solve"),
        ("ctucbvi.exact.signs", "from ctucbvi.exact.planner import solve"),
        ("ctucbvi.second_opinion", "def f():\n    from ctucbvi.exact import solve"),
        ("ctucbvi.errors", "from ctucbvi.enclosure import Enclosure"),
        ("verify.cli", "from ctucbvi import solve"),
        ("verify.claims.claim", "from verify.provers.proof import Proof"),
        ("verify.provers.proof", "from verify.running import run_claims"),
        ("verify.provers.proof", "from verify.recheck import recheck"),
        ("verify.recheck.rules", "from verify.claims import Domain"),
        ("proofs_checks.claims", "from tests import opinions"),
    ],
)
def test_a_wrong_import_is_noticed(name, line):
    assert breaches(name, line)


def test_verify_may_import_lazily_and_nothing_else():
    assert breaches("verify.cli", "def f():\n    from ctucbvi import solve") == []


def test_the_checker_asks_no_library_that_the_provers_ask():
    """In a process of its own: SymPy and python-flint are not even loaded."""
    line = (
        "import sys, verify.recheck; print(*sorted({'sympy', 'flint', 'numpy', 'mpmath'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["mpmath"]
