"""``ctucbvi models``: the bundled models, and their files."""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import _SubParsersAction


def add(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the arguments."""
    parser = subparsers.add_parser(
        "models",
        help="list the bundled models, or print one as a file to start from",
        description="List the bundled models, or print one as a file to start from.",
        epilog="example: ctucbvi models machine-repair > mine.toml",
    )
    parser.add_argument("name", nargs="?", help="print this model instead of the list")
    parser.add_argument("--json", action="store_true", help="print JSON instead of TOML")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """List, or print one."""
    from ctucbvi import bundled_model, bundled_models, dump_model

    if options.name is not None:
        print(dump_model(bundled_model(options.name), format="json" if options.json else "toml"), end="")
        return 0
    models = bundled_models()
    if options.json:
        import json

        facts = [
            {"name": n, "states": len(m.states), "source": m.source, "shows": m.shows}
            for n, m in models.items()
        ]
        print(json.dumps(facts, indent=2))
        return 0
    for name, model in models.items():
        print(
            f"{name}  ({len(model.states)} states, {len(model.transitions)} pairs, horizon {model.horizon})"
        )
        print(textwrap.indent(textwrap.fill(model.shows, 90), "    "))
        print(textwrap.indent(textwrap.fill(f"Source: {model.source}", 90), "    "))
    return 0
