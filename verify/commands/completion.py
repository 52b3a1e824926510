"""``completion``: what a shell needs to complete the command line, made from its own parser."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Iterator, Mapping

Offers = Mapping[str, Iterable[str]]  # by what an argument is called (MODEL): words that it may be


def run(options: argparse.Namespace) -> int:
    """Print the script for one shell."""
    print(script(options.parser, options.shell, options.offers()), end="")
    return 0


def script(parser: argparse.ArgumentParser, shell: str, offers: Offers) -> str:
    """The script for ``shell``: commands, their options, and what those and the arguments may be."""
    write = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]
    (action,) = (one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    says = {str(one.dest): one.help or "" for one in action._choices_actions}
    found = {name: _Arguments(command, offers) for name, command in action.choices.items()}
    return "\n".join(write(parser.prog, says, found)) + "\n"


class _Arguments:
    """The options of a command, and the words that it takes by place."""

    def __init__(self, parser: argparse.ArgumentParser, offers: Offers) -> None:
        self._offers = offers
        self.options = [
            (name, action)
            for action in parser._actions
            for name in action.option_strings
            if name.startswith("--")
        ]
        placed = (self.words(action) for action in parser._actions if not action.option_strings)
        self.placed = " ".join(dict.fromkeys(filter(None, placed)))

    def words(self, action: argparse.Action) -> str:
        """What an argument may be; empty if anything, or a file."""
        return " ".join(map(str, action.choices or self._offers.get(str(action.metavar), ())))


def _help(action: argparse.Action) -> str:
    return (action.help or "").replace("%%", "%")


def _bash(prog: str, says: dict[str, str], found: dict[str, _Arguments]) -> Iterator[str]:
    yield f"# bash completion for {prog}: {prog} completion bash > FILE, and . FILE in your .bashrc"
    yield f"_{prog}() {{"
    yield '  local words="" cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"'
    yield '  case "${COMP_WORDS[1]} $prev" in'
    for command, its in found.items():
        for name, action in its.options:
            if action.nargs != 0:  # words, or else a file, which is left to the shell
                yield f'    "{command} {name}") words="{its.words(action)}" ;;'
    yield '    *) case "${COMP_WORDS[1]} $cur" in'
    for command, its in found.items():
        yield f'      "{command} -"*) words="{" ".join(name for name, _ in its.options)}" ;;'
        yield f'      "{command} "*) words="{its.placed}" ;;'
    yield "    esac ;;"
    yield "  esac"
    yield f'  if (( COMP_CWORD == 1 )); then words="{" ".join(says)}"; fi'
    yield '  COMPREPLY=($(compgen -W "$words" -- "$cur"))'
    yield "}"
    yield f"complete -o default -F _{prog} {prog}"


def _zsh(prog: str, says: dict[str, str], found: dict[str, _Arguments]) -> Iterator[str]:
    def plain(text: str) -> str:
        return "".join(f"\\{c}" if c in "[]:\\" else c for c in text)

    def either(words: str) -> str:
        return f'{{_alternative "words:word:({words})" "files:file:_files"}}' if words else "_files"

    yield f"#compdef {prog}"
    yield f"# zsh completion: {prog} completion zsh > FOLDER/_{prog}, with FOLDER in your fpath"
    yield "if (( CURRENT == 2 )); then"
    told = " ".join(shlex.quote(f"{name}:{plain(text)}") for name, text in says.items())
    yield f"  local -a commands=({told})"
    yield "  _describe command commands"
    yield "  return"
    yield "fi"
    yield "case $words[2] in"
    for command, its in found.items():
        specs = []
        for name, action in its.options:
            values = f"({its.words(action)})" if action.choices else either(its.words(action))
            taken = "" if action.nargs == 0 else f":value:{values}"
            specs.append(shlex.quote(f"{name}[{plain(_help(action))}]{taken}"))
        specs.append(shlex.quote(f"*:argument:{either(its.placed)}"))
        yield f"  {command}) _arguments {' '.join(specs)} ;;"
    yield "esac"


def _fish(prog: str, says: dict[str, str], found: dict[str, _Arguments]) -> Iterator[str]:
    yield f"# fish completion: {prog} completion fish > ~/.config/fish/completions/{prog}.fish"
    for command, text in says.items():
        yield f"complete -c {prog} -n __fish_use_subcommand -f -a {command} -d {shlex.quote(text)}"
    for command, its in found.items():
        when = f"complete -c {prog} -n {shlex.quote(f'__fish_seen_subcommand_from {command}')}"
        if its.placed:
            yield f"{when} -a {shlex.quote(its.placed)}"
        for name, action in its.options:
            words = its.words(action)
            values = f" {'-x' if action.choices else '-r'} -a {shlex.quote(words)}" if words else " -r"
            taken = "" if action.nargs == 0 else values
            yield f"{when} -l {name[2:]}{taken} -d {shlex.quote(_help(action))}"
