"""Where claims come from: a package that holds them, or one file in its place.

A command that brings claims of its own, a *tenant* of the engine, says so with a :class:`Source`; without
one, claims are named with ``--claims``.  Light on purpose: a command line is built from it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True)
class Source:
    """Which claims, and for whom; plain data, so that a worker process can load the same claims."""

    package: str = ""  # holds the claims
    file: str = ""  # holds them instead
    code: tuple[str, ...] = ()  # packages that the checks run: their text is part of what a result depends on
    command: str = "python -m verify"  # what a user writes to get here
    whose: str = "those of a package"  # the claims, in a sentence
    offers: tuple[str, ...] = ()  # the property suites of the package
    suites: tuple[str, ...] = ()  # these, instead of the claims
    subject: str | None = None  # what they are about
    examples: int | None = None
    mutants: bool = False  # the mutants of the claims, under the same labels, in their place
    supplement: str = ""  # a module that adds to the page about them (verify.report.supplement)

    def at(self, file: str | None) -> Source:
        """The same with the claims of ``file``, if there is one."""
        return self if file is None else replace(self, file=str(Path(file).absolute()), supplement="")

    @property
    def name(self) -> str:
        """Of the folder in which results are kept, and of the variable that says where it is."""
        return self.command.split()[-1]

    @property
    def folder(self) -> Path | None:
        """Where the file and its helpers are."""
        return Path(self.file).parent if self.file else None

    def __str__(self) -> str:
        return Path(self.file).name if self.file else self.package
