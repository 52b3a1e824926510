"""``completion``: what a shell needs to complete the command line, made from its own parser."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator

Option = tuple[str, argparse.Action]  # ``--digits``, and what it takes


def run(options: argparse.Namespace) -> int:
    """Print the script for one shell."""
    print(script(options.parser, options.shell), end="")
    return 0


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script for ``shell``: commands, their options, and what those offer to choose from."""
    write = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]
    return "\n".join(write(parser.prog, *_commands(parser))) + "\n"


def _commands(parser: argparse.ArgumentParser) -> tuple[dict[str, str], dict[str, list[Option]]]:
    """What each command is for, and its options."""
    (action,) = (one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    says = {str(one.dest): one.help or "" for one in action._choices_actions}
    return says, {name: list(_options(found)) for name, found in action.choices.items()}


def _options(parser: argparse.ArgumentParser) -> Iterator[Option]:
    for action in parser._actions:
        yield from ((name, action) for name in action.option_strings if name.startswith("--"))


def _choices(action: argparse.Action) -> str:
    return " ".join(str(choice) for choice in action.choices or ())


def _help(action: argparse.Action) -> str:
    return (action.help or "").replace("%%", "%")


def _bash(prog: str, says: dict[str, str], options: dict[str, list[Option]]) -> Iterator[str]:
    yield f"# bash completion for {prog}: {prog} completion bash > FILE, and . FILE in your .bashrc"
    yield f"_{prog}() {{"
    yield '  local words="" cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"'
    yield f'  if (( COMP_CWORD == 1 )); then words="{" ".join(says)}"; fi'
    yield '  case "${COMP_WORDS[1]} $prev" in'
    for command, found in options.items():
        for name, action in found:
            if action.choices:
                yield f'    "{command} {name}") words="{_choices(action)}" ;;'
            elif action.nargs != 0:
                yield f'    "{command} {name}") return ;;'  # anything, or a file
    yield "    *)"
    yield '      if [[ $cur == -* ]]; then case "${COMP_WORDS[1]}" in'
    for command, found in options.items():
        yield f'        {command}) words="{" ".join(name for name, _ in found)}" ;;'
    yield "      esac; fi ;;"
    yield "  esac"
    yield '  COMPREPLY=($(compgen -W "$words" -- "$cur"))'
    yield "}"
    yield f"complete -o default -F _{prog} {prog}"


def _zsh(prog: str, says: dict[str, str], options: dict[str, list[Option]]) -> Iterator[str]:
    def plain(text: str) -> str:
        return "".join(f"\\{c}" if c in "[]:\\" else c for c in text)

    yield f"#compdef {prog}"
    yield f"# zsh completion: {prog} completion zsh > FOLDER/_{prog}, with FOLDER in your fpath"
    yield "if (( CURRENT == 2 )); then"
    told = " ".join(shlex.quote(f"{name}:{plain(text)}") for name, text in says.items())
    yield f"  local -a commands=({told})"
    yield "  _describe command commands"
    yield "  return"
    yield "fi"
    yield "case $words[2] in"
    for command, found in options.items():
        specs = []
        for name, action in found:
            taken = (
                ""
                if action.nargs == 0
                else f":value:({_choices(action)})"
                if action.choices
                else ":value:_files"
            )
            specs.append(shlex.quote(f"{name}[{plain(_help(action))}]{taken}"))
        yield f"  {command}) _arguments {' '.join(specs)} '*:argument:_files' ;;"
    yield "esac"


def _fish(prog: str, says: dict[str, str], options: dict[str, list[Option]]) -> Iterator[str]:
    yield f"# fish completion: {prog} completion fish > ~/.config/fish/completions/{prog}.fish"
    for command, text in says.items():
        yield f"complete -c {prog} -n __fish_use_subcommand -f -a {command} -d {shlex.quote(text)}"
    for command, found in options.items():
        for name, action in found:
            taken = (
                ""
                if action.nargs == 0
                else f" -x -a {shlex.quote(_choices(action))}"
                if action.choices
                else " -r"
            )
            when = shlex.quote(f"__fish_seen_subcommand_from {command}")
            yield f"complete -c {prog} -n {when} -l {name[2:]}{taken} -d {shlex.quote(_help(action))}"
