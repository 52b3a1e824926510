"""``ctucbvi models``: the bundled models, and their files."""

from __future__ import annotations

import argparse
import json
import textwrap

from ctucbvi import bundled_model, bundled_models, dump_model


def run(options: argparse.Namespace) -> int:
    """List, or print one."""
    if options.name is not None:
        print(dump_model(bundled_model(options.name), format="json" if options.json else "toml"), end="")
        return 0
    models = bundled_models()
    if options.json:
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
