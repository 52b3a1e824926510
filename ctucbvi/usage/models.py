"""The arguments of ``ctucbvi models``."""

from __future__ import annotations

import argparse
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
    parser.set_defaults(module="ctucbvi.commands.models")
