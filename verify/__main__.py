"""``python -m verify``: anybody's claims, checked (``python -m verify verify --claims FILE.py``)."""

from __future__ import annotations

from collections.abc import Sequence

from verify import usage
from verify.console import Parser, dispatch
from verify.source import Source


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    command = Source().command
    parser = Parser(
        prog=command,
        description="Check claims, and say what rests on what.",
        epilog=f"example: {command} verify --claims mine.py",
    )
    usage.add(parser.add_subparsers(dest="command", required=True, metavar="COMMAND"), Source())
    return dispatch(parser, arguments)


if __name__ == "__main__":
    raise SystemExit(main())
