"""One file: the data, the program and the fonts, put together; nothing in it is asked for over a network.

What claims say never becomes markup here.  It is JSON in a block that no browser runs, with ``<`` written as
an escape so that nothing ends the block early, and the program puts it into the page as text.  Beyond that
the page carries a policy under which a browser runs this one script, known by its digest, and loads nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from verify.report.supplement import Panel

ASSETS = Path(__file__).parent / "assets"
PROGRAM = (
    "core",
    "texts",
    "charts",
    "head",
    "defects",
    "network",
    "graph",
    "table",
    "claim",
    "granted",
    "panels",
)
LIBRARIES = (("katex", "katex.min.js"), ("dagre", "dagre.min.js"))
START = "main"  # runs what the others have set up


def page(data: Mapping[str, Any], panels: Iterable[Panel] = ()) -> str:
    """The page of these data, as HTML."""
    every = tuple(panels)
    script, style = _script(every), _style(every)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; font-src data:; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    places = [{"name": p.name, "title": p.title, "menu": p.menu, "data": p.data} for p in every]
    words = {
        "title": escape(str(data["title"])),
        "policy": escape(policy),
        "style": style,
        "data": _block({**data, "panels": places}),
        "script": script,
    }
    shell = (ASSETS / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: words[match[1]], shell)


def _block(data: Any) -> str:
    """JSON that can stand inside a script element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _script(panels: tuple[Panel, ...]) -> str:
    """The libraries, each with its licence, then the program in its order, panels before the start."""
    parts = [_library(folder, file) for folder, file in LIBRARIES]
    own = [_asset(f"js/{name}.js") for name in PROGRAM]
    scripts = [panel.script for panel in panels]
    parts.append("\n".join(['(() => {\n"use strict";', *own, *scripts, _asset(f"js/{START}.js"), "})();"]))
    return "\n".join(parts).replace("</script", "<\\/script")


def _library(folder: str, file: str) -> str:
    licence = _asset(f"vendor/{folder}/LICENSE").replace("*/", "* /")
    code = re.sub(r"^//# sourceMappingURL=.*$", "", _asset(f"vendor/{folder}/{file}"), flags=re.MULTILINE)
    return f"/*! {folder}\n{licence}*/\n{code}"


def _style(panels: tuple[Panel, ...]) -> str:
    sheets = [_fonts(_asset("vendor/katex/katex.min.css")), _asset("page.css")]
    return "\n".join([*sheets, *(panel.style for panel in panels)])


def _fonts(sheet: str) -> str:
    """The style sheet with its woff2 fonts inside, and without the other formats of the same."""

    def inlined(match: re.Match[str]) -> str:
        data = base64.b64encode((ASSETS / "vendor" / "katex" / match[1]).read_bytes()).decode()
        return f'src:url(data:font/woff2;base64,{data}) format("woff2")}}'

    return re.sub(r"src:url\((fonts/[\w-]+\.woff2)\)[^}]*\}", inlined, sheet)


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")
