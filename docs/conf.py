"""How ``make docs`` makes the site in ``build/docs``: from these pages, and from the docstrings.

Nothing is fetched, neither to build nor to read.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
from dataclasses import is_dataclass
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

project = "ctucbvi"
version = release = version_of("ctucbvi")
copyright = "the authors of ctucbvi, MIT licence"  # noqa: A001 - Sphinx's name for it
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
]
exclude_patterns = ["**/.*"]
highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure"]  # JSON from which a page leaves something out
html_theme = "furo"
html_title = "ctucbvi"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False

myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True}

# Pages that have their place elsewhere.
_OUTSIDE = {"changelog": "CHANGELOG.md", "contributing": "CONTRIBUTING.md", "tests": "tests/README.md"}
_LINKS = {f"]({path})": f"]({page}.md)" for page, path in _OUTSIDE.items()}
_CLAIM = re.compile(r"\[`([^`]+)`\]\(\.\./([\w/]+)\.py\)")
_FIELD = re.compile(r"^    (\w+): .*?  # (.+)$", flags=re.MULTILINE)


def read(_: Sphinx, page: str, source: list[str]) -> None:
    """Links to files of the repository become links to pages."""
    if page in _OUTSIDE:
        source[0] = (ROOT / _OUTSIDE[page]).read_text(encoding="utf-8").replace("](docs/", "](")
        for link, target in _LINKS.items():
            source[0] = source[0].replace(link, target)
    source[0] = _CLAIM.sub(lambda m: f"{{py:mod}}`{m[1]} <{m[2].replace('/', '.')}>`", source[0])


def describe_fields(_: Sphinx, what: str, *about: Any) -> None:
    """What stands in the source beside the fields of a dataclass is said here, too."""
    _name, thing, _options, lines = about
    if what == "class" and is_dataclass(thing):
        lines.append("")
        for field, text in _FIELD.findall(inspect.getsource(thing)):
            lines.append(f":param {field}: " + re.sub(r"([*`|_])", r"\\\1", text))


class Modules(SphinxDirective):
    """``.. modules:: PACKAGE``: what each module right in it opens with, as a rule its mathematics."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"skip": str}  # those that are described elsewhere

    def run(self) -> list[nodes.Node]:
        """Parse an ``automodule`` for each."""
        package = importlib.import_module(self.arguments[0])
        found = pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
        lines = []
        skipped = {f"{package.__name__}.{name}" for name in self.options.get("skip", "").split()}
        names = [info.name for info in found if not info.ispkg and not info.name.endswith(".__main__")]
        for name in (name for name in names if name not in skipped):
            lines += [f".. rubric:: {name}", "", f".. automodule:: {name}", "   :no-members:"]
            face = getattr(package, name.rpartition(".")[2], None)  # perhaps a function of the same name
            lines += [""] if face is None or inspect.ismodule(face) else ["   :no-index:", ""]
        where = nodes.Element()
        self.state.nested_parse(StringList(lines, source=self.arguments[0]), self.content_offset, where)
        return where.children


def setup(app: Sphinx) -> None:
    """Tell Sphinx, and make names that are loaded when asked for visible to it."""
    app.config.mathjax_path = "mathjax/tex-svg.js"  # without fonts: not all browsers load local ones
    app.connect("source-read", read)
    app.connect("autodoc-process-docstring", describe_fields)
    app.add_directive("modules", Modules)
    for face in ("ctucbvi", "verify"):
        module = importlib.import_module(face)
        vars(module).update({name: getattr(module, name) for name in module.__all__})
    faces = {name: importlib.import_module(name) for name in ("verify", "verify.claims")}
    shown = set(faces["verify"].__all__)  # and not once more
    faces["verify.claims"].__all__ = [name for name in faces["verify.claims"].__all__ if name not in shown]
