"""``ctucbvi models``: the bundled models, and their files; models of Storm and PRISM as such files."""

from __future__ import annotations

import argparse
import json
import textwrap
from pathlib import Path

from ctucbvi import CTMDP, InputError, bundled_model, bundled_models, dump_model, find_model, save_model
from ctucbvi.modelfile import ENDINGS, FOREIGN, one_line
from ctucbvi.modelfile.drn import load_drn
from ctucbvi.prism import load_prism
from verify.tables import width

_TOLD = ("horizon", "constants", "property", "reward", "goal", "avoid", "objective", "rationalize")


def _model(options: argparse.Namespace) -> CTMDP | None:
    """The model that is named, bundled or in a file of Storm's or PRISM's, or any to be written; or None."""
    told = {key: getattr(options, key) for key in _TOLD if getattr(options, key) is not None}
    suffix = Path(options.name or "").suffix.lower()
    if suffix not in FOREIGN:
        if told:
            raise InputError(f"--{next(iter(told))}: for files in {', '.join(FOREIGN)} only; leave it out")
        if options.name is None:
            return None
        if options.out is not None:
            return find_model(options.name)
        if suffix in ENDINGS:
            name = one_line(options.name)
            raise InputError(f"{name}: bundled models alone are printed; write this one with --out FILE")
        return bundled_model(options.name)
    if "horizon" not in told and "property" not in told:
        raise InputError(f"{options.name}: such a file has no horizon; write it as --horizon H")
    if suffix == ".drn":
        for key in ("constants", "property"):
            if key in told:
                raise InputError(f"--{key}: an explicit model has none; leave it out")
        return load_drn(options.name, **told)
    return load_prism(options.name, **told)


def run(options: argparse.Namespace) -> int:
    """List, or print one, or write it to a file."""
    if options.out == "":
        raise InputError("--out: the name is empty; write one that ends in .toml, .json or .npz")
    if (named := _model(options)) is not None:
        if options.out is not None and options.json:
            raise InputError("--json: the ending of --out says the format; leave one of them out")
        if options.out is not None:
            save_model(named, options.out)
            return 0
        print(dump_model(named, format="json" if options.json else "toml"), end="")
        return 0
    if options.out is not None:
        raise InputError("--out: which model? name it before: ctucbvi models machine-repair --out mine.json")
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
        for text in (model.shows, f"Source: {model.source}"):
            print(textwrap.indent(textwrap.fill(text, width(94) - 4, break_on_hyphens=False), "    "))
    return 0
