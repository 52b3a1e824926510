"""The arguments of ``verify``, ``claims`` and ``report``, for anybody's claims; nothing here computes."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping

from verify.console import Commands, add_command, take
from verify.source import Source

_PROFILES = ("quick", "thorough")

_VERIFY = """\
Check claims (all of them, or those named and what they use) and print the verdicts: own,
transitive (never stronger than the weakest claim used) and expected.  Status 1 if a verdict
is not the expected one.  Proved is what a fresh process accepts of the written proofs; the last
line says how many of them are what.  Results are kept; an interrupted run goes on where it was.
"""

_SUITES = """
Instead of claims, name property suites: {offers}.  They run on
random models, or on your own with --model.
"""

_VERIFY_EXAMPLES = """examples:
  {command} verify{own}
  {command} verify{own} 'lem:*' --profile thorough
{suites}  {command} verify --claims mine.py --json
  {command} verify --claims mine.py --mutants
  {command} verify{own} --certificates proofs && python -m verify.recheck proofs/LABEL.json
  {command} verify{own} --coq theorems && python -m verify.coq theorems

Results are kept in ${variable}_CACHE (default: {name} in your cache folder) and used again while
the claim, the code it imports and the versions are the same.  That code is looked for in this
package, beside the file of claims and where Python imports from, but not in installed packages
(their versions count, if they compute).  The result of a check that reads something else, a file or
a variable of the environment, is not kept.
"""

_CLAIMS = """\
List the claims, or print one in full.  --graph writes what rests on what, coloured by the
verdicts that {command} verify has found; claims it has not checked yet are shown as such.
--axioms lists what the derivations take for granted, of LABEL and of everything that it rests on
(without a label: of all), by kind: laws, what exists, the model, definitions; --derivation prints
the steps of one.
"""

_CLAIMS_EXAMPLES = """examples:
  {command} claims{own}
  {command} claims{own} lem:poisson
  {command} claims{own} --graph graph.svg
  {command} claims{own} thm:main --axioms
  {command} claims{own} thm:main --derivation
  {command} claims --claims mine.py --graph -
"""


_REPORT = """\
Check all claims as {command} verify does (what is known already is not checked again) and write
DIR/index.html, one page about what was found, that opens from disk in any browser and loads
nothing from anywhere; and DIR/errata.tex, the proposed corrections, if there are any.
Status 1 if a verdict is not the expected one.
"""

_REPORT_EXAMPLES = """examples:
  {command} report{own} report
  {command} report{own} report --profile thorough
  {command} report --claims mine.py report
"""


def add(commands: Commands, source: Source) -> None:
    """Describe the arguments of the commands; ``source`` is where the claims are if none are named."""
    suites = (
        f"  {source.command} verify {' '.join(source.offers[:2])} --model mine.toml --examples 500 --seed 7\n"
    )
    words = {
        "command": source.command,
        "own": "" if source.package else " --claims mine.py",
        "offers": ", ".join(source.offers),
        "suites": suites if source.offers else "",
        "name": source.name,
        "variable": source.name.upper(),
    }
    _add_verify(commands, source, words)
    _add_claims(commands, source, words)
    _add_report(commands, source, words)


def add_completion(
    commands: Commands, parser: argparse.ArgumentParser, offers: Callable[[], Mapping[str, Iterable[str]]]
) -> None:
    """Describe the command that completes the words of all commands of ``parser``.

    ``offers`` says which words an argument may be, by what it is called (``MODEL``).
    """
    text = "what your shell needs to complete commands, options and models"
    example = f'example: eval "$({parser.prog} completion bash)"'
    command = add_command(commands, "verify.commands.completion", text, text.capitalize() + ".", example)
    take(command, "shell SHELL", "bash, zsh or fish", choices=("bash", "zsh", "fish"))
    command.set_defaults(parser=parser, offers=offers)


def _add_verify(commands: Commands, source: Source, words: dict[str, str]) -> None:
    parser = add_command(
        commands,
        "verify.commands.verify",
        "check the claims and print the verdicts",
        _VERIFY + (_SUITES.format(**words) if source.offers else ""),
        _VERIFY_EXAMPLES.format(**words),
    )
    take(parser, "labels LABEL", "a claim, a pattern like 'lem:*', or a property suite", nargs="*")
    _add_run(parser, source)
    take(parser, "--recheck", "use them, but have every proof in them checked again")
    take(parser, "--model MODEL", "run the suites on this model, bundled or a file")
    take(parser, "--examples N", "per check of the suites", span=(1, 10**7))
    take(parser, "--mutants", "run the mutants of the claims: each must be told from its claim")
    take(parser, "--certificates DIR", "write every proof to DIR/LABEL.json")
    take(parser, "--coq DIR", "write every proved inequality as a theorem for Coq, with its proof, to DIR")
    take(parser, "--ledger FILE.md", "write findings, repairs and all verdicts to a page")
    take(parser, "--json", "print one JSON document")


def _add_claims(commands: Commands, source: Source, words: dict[str, str]) -> None:
    parser = add_command(
        commands,
        "verify.commands.claims",
        "list the claims, print one in full, or draw what rests on what",
        _CLAIMS.format(**words),
        _CLAIMS_EXAMPLES.format(**words),
    )
    take(parser, "label LABEL", "print this claim in full, or list the matching ones ('lem:*')", nargs="?")
    take(parser, "--graph FILE", "write the graph, of LABEL or of all: .svg, .dot, .txt, or - for a tree")
    take(parser, "--axioms", "list by kind what its derivation takes for granted")
    take(parser, "--derivation", "print the derivation of LABEL, step by step")
    _add_source(parser, source)
    take(parser, "--profile", "of the verdicts (default quick)", choices=_PROFILES)
    take(parser, "--seed S", "of the verdicts (default 0)", span=(0, None))
    take(parser, "--json", "print one JSON document")


def _add_report(commands: Commands, source: Source, words: dict[str, str]) -> None:
    parser = add_command(
        commands,
        "verify.commands.report",
        "write a page about all claims, to read, to print and to send",
        _REPORT.format(**words),
        _REPORT_EXAMPLES.format(**words),
    )
    take(parser, "folder DIR", "where to write; it is made if it is missing")
    _add_run(parser, source)
    parser.set_defaults(recheck=True)


def _add_run(parser: argparse.ArgumentParser, source: Source) -> None:
    """What every run of claims is told."""
    take(parser, "--profile", "default quick", choices=_PROFILES, default="quick")
    _add_source(parser, source)
    take(parser, "--seed S", "of the random checks (default 0)", default=0, span=(0, None))
    workers = "processes (default: one per core; 0: none, all in this one, to debug a check)"
    take(parser, "--workers W", workers, span=(0, 1024))
    take(parser, "--cluster ADDRESS", "a dask scheduler whose workers check the claims instead")
    take(parser, "--fresh", "do not use the results of earlier runs")


def _add_source(parser: argparse.ArgumentParser, source: Source) -> None:
    parser.set_defaults(source=source)
    instead = f", instead of {source.whose}" if source.package else ""
    take(parser, "--claims FILE.py", f"claims of your own{instead}", required=not source.package)
