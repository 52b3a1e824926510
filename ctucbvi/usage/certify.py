"""The arguments of ``ctucbvi certify``."""

from __future__ import annotations

import argparse
from argparse import _SubParsersAction


def add(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the arguments."""
    parser = subparsers.add_parser(
        "certify",
        help="check a certificate and say what it proves",
        description="Prove a bound on the error of the polynomials in FILE, from them and the model alone. "
        "The file says which problem it is about; what is printed says so too, and --semantics and "
        "--truncate insist on one.",
        epilog="example: ctucbvi plan queue --engine numeric --certificate queue.json && "
        "ctucbvi certify queue queue.json",
    )
    parser.add_argument("model", metavar="MODEL", help="bundled name or TOML/JSON file")
    parser.add_argument("file", metavar="FILE", help="a certificate, written by plan --certificate")
    parser.add_argument(
        "--semantics", choices=("committed", "adjustable"), help="refuse a file about the other problem"
    )
    parser.add_argument(
        "--truncate",
        action=argparse.BooleanOptionalAction,
        help="refuse a file about values that are not capped at the remaining time (--no-truncate: that are)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(module="ctucbvi.commands.certify")
