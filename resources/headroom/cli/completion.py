# SPDX-License-Identifier: Apache-2.0
"""`./headroom completion`: scripts with which bash, zsh and fish complete the command line.

They hold the commands, options and fixed values of the application. Suites, implementations, traffic profiles and runs
are looked up in the folders of the checkout, so that a press of Tab starts no Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from headroom.core.console import examples
from headroom.core.errors import UsageError

EPILOG = examples(
    "./headroom completion bash > ~/.local/share/bash-completion/completions/headroom",
    "./headroom completion zsh > ~/.zfunc/_headroom  # a folder of $fpath, before compinit",
    "./headroom completion fish > ~/.config/fish/completions/headroom.fish",
)
IMPLEMENTATIONS = "compressor decompressor implementation caller called names compressors decompressors"
KINDS = {
    "suites": "suite",
    "profile": "profile",
    "source": "profile",
    **dict.fromkeys(IMPLEMENTATIONS.split(), "implementation"),
    **dict.fromkeys(["run", "a", "b", "resume"], "run"),
}
# Lists the values of a kind, in the root of a checkout, for all shells. Other kinds list their values themselves.
LIST = """case $1 in
  suite) cd suites && find * -name "*.robot" ! -name "__*" -o -type d | sed "s/[.]robot$//" ;;
  implementation) ls -d implementations/*/implementation.yaml | cut -d / -f 2 ;;
  profile) ls traffic-profiles/*.yaml | sed "s/.*[/]//; s/[.]yaml$//" ;;
  run) echo last; ls "${HEADROOM_OUT:-out}" ;;
  *) printf "%s\\\\n" $1 ;;
esac 2> /dev/null"""


@dataclass
class Word:
    """A word that may stand on a command line. `values` describes the value that follows it: a kind of KINDS, fixed
    words, `file`, or "" for any text; None if no value follows.
    """

    word: str
    help: str
    values: str | None = None


@dataclass
class Command:
    """A command by its path, such as `headroom nightly show`, and the words that may follow; `values` as in Word."""

    path: str
    commands: list[Word] = field(default_factory=list)
    options: list[Word] = field(default_factory=list)
    values: str = ""


def add_to(app: typer.Typer) -> None:
    def completion(shell: Annotated[str, typer.Argument(help=f"One of {', '.join(SHELLS)}.")]) -> None:
        if shell not in SHELLS:
            raise UsageError(f"There is no completion for '{shell}', only for {', '.join(SHELLS)}.")
        print(SHELLS[shell](list(commands(typer.main.get_command(app)))), end="")

    app.command("completion", help="Print the script with which a shell completes commands.", epilog=EPILOG)(completion)


def commands(command: Any, path: str = "headroom") -> Iterator[Command]:
    """Yields a command and all its subcommands."""
    entry = Command(path)
    for parameter in command.params:
        values = _values(parameter)
        if parameter.param_type_name == "argument":
            entry.values = entry.values or values
        elif not parameter.hidden:
            text = _sentence(parameter.help)
            entry.options += [Word(word, text, None if parameter.is_flag else values) for word in parameter.opts]
            entry.options += [Word(word, text) for word in parameter.secondary_opts]
    entry.options.append(Word("--help", "Show the help."))
    below = getattr(command, "commands", {})
    entry.commands = [Word(name, _sentence(subcommand.help)) for name, subcommand in below.items()]
    yield entry
    for name, subcommand in below.items():
        yield from commands(subcommand, f"{path} {name}")


def _sentence(text: str | None) -> str:
    """The first sentence of a help text, without characters that are special to a shell or to rich."""
    plain = re.sub(r"\[/?\w+\]", "", (text or "").partition("\n")[0])
    return re.sub(r"""['"`$\\\[\]]""", "", plain.partition(". ")[0]).replace(":", ",").removesuffix(".")


def _values(parameter: Any) -> str:
    from headroom.core.scheme_registry import all_schemes

    name = parameter.name
    if name in KINDS:
        return KINDS[name]
    if name in ("build", "builds"):
        from headroom.core.machine import build

        return " ".join(build.presets())
    if name == "paper":
        from headroom.core.papers import paper

        return " ".join(paper.names())
    if name == "what":
        from headroom.cli.listing import WHAT

        return " ".join(WHAT)
    fixed = {
        "scheme": " ".join(all_schemes()),
        "topology": "process netns compose",
        "generator": "memory trex",
        "cpus": "1c 2c-smt 2c-l3 2c-socket 3c 4c",
        "shell": " ".join(SHELLS),
    }
    is_path = parameter.type_descriptor.annotation is Path
    return fixed.get(name, "file" if is_path or name in ("capture", "file", "adapter") else "")


HEAD = "# Completion for {shell}, made by `./headroom completion {shell}`.\n"


def bash(commands: list[Command]) -> str:
    """A script for bash 4 and later."""
    lines = [HEAD.format(shell="bash"), "declare -gA _headroom_words=() _headroom_values=()\n"]
    for command in commands:
        listed = " ".join(word.word for word in (*command.commands, *command.options))
        lines.append(f'_headroom_words["{command.path}"]="{listed}"\n')
        lines.append(f'_headroom_values["{command.path}"]="{command.values}"\n')
        for option in command.options:
            if option.values is not None:
                lines.append(f'_headroom_values["{command.path} {option.word}"]="{option.values}"\n')
    return "".join(lines) + BASH.replace("LIST", LIST)


BASH = """
_headroom_list() { (cd -- "$(dirname -- "$(readlink -f -- "$(type -P -- "$1")")")" && sh -c 'LIST' sh "$2"); }
_headroom() {
  local current=$2 path=headroom option="" values words="" word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ -n $option ]]; then
      option=""
    elif [[ $word == -* ]]; then
      [[ -v _headroom_values["$path $word"] ]] && option=$word
    elif [[ -v _headroom_words["$path $word"] ]]; then
      path+=" $word"
    fi
  done
  values=${_headroom_values["$path${option:+ $option}"]}
  [[ -z $option && ($current == -* || " ${_headroom_words[$path]} " =~ \\ [a-z]) ]] && words=${_headroom_words[$path]}
  [[ -n $values && $values != file && $current != -* ]] && words+=" $(_headroom_list "${1/#\\~/$HOME}" "$values")"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _headroom headroom ./headroom  # files where nothing else is known
"""


def zsh(commands: list[Command]) -> str:
    """A script for zsh, to be installed as `_headroom` in $fpath."""
    lines = ["#compdef headroom ./headroom\n", HEAD.format(shell="zsh"), ZSH.replace("LIST", LIST)]
    for command in commands:
        lines.append(
            f"{command.path.replace(' ', '_').replace('headroom', '_headroom_at', 1)}() {{\n  _arguments -C \\\n"
        )
        for option in command.options:
            many = "*" if option.values is not None else ""
            lines.append(f"    '{many}{option.word}[{option.help}]{_zsh_values(option.values)}' \\\n")
        if command.commands:
            shown = " ".join(f'{word.word}\\:"{word.help}"' for word in command.commands)
            lines.append(f"    '1:command:(({shown}))' '*::words:->below'\n  _headroom_below\n}}\n")
        else:
            lines.append(f"    '*{_zsh_values(command.values)}'\n}}\n")
    return "".join(lines) + '_headroom "$@"\n'


def _zsh_values(values: str | None) -> str:
    if values is None:
        return ""
    return ":value:" + ("_files" if values == "file" else f'{{_headroom_list "{values}"}}' if values else "( )")


ZSH = """
_headroom_list() {
  local -a found
  found=(${(f)"$(cd -- $_headroom_root && sh -c 'LIST' sh "$1")"})
  compadd -a found
}
_headroom_below() {
  [[ $state == below ]] || return
  _headroom_path+=_$words[1]
  (( $+functions[$_headroom_path] )) && $_headroom_path
}
_headroom() {
  local _headroom_root=${${~words[1]}:A:h} _headroom_path=_headroom_at context state line
  [[ -d $_headroom_root/suites ]] || _headroom_root=${commands[${words[1]}]:A:h}
  typeset -A opt_args
  _headroom_at
}
"""


def fish(commands: list[Command]) -> str:
    """A script for fish."""
    lines = [HEAD.format(shell="fish"), FISH.replace("LIST", LIST.replace("\\", "\\\\"))]
    for command in commands:
        path = command.path.removeprefix("headroom").strip()
        names = " ".join(word.word for word in command.commands)
        here = f'complete -c headroom -n \'__headroom_at "{path}" "{names}"\''
        lines += [f"{here} -f -a {word.word} -d '{word.help}'\n" for word in command.commands]
        for option in command.options:
            name = f"-l {option.word[2:]}" if option.word.startswith("--") else f"-s {option.word[1:]}"
            takes = "" if option.values is None else "-r -F" if option.values == "file" else "-x"
            if takes == "-x" and option.values:
                takes += f" -a '(__headroom_list \"{option.values}\")'"
            lines.append(f"{here} {name} {takes} -d '{option.help}'\n")
        if command.values and command.values != "file":
            lines.append(f"{here} -f -a '(__headroom_list \"{command.values}\")'\n")
    return "".join(lines)


FISH = """
function __headroom_list
    set -l name (string replace -r '^~' $HOME -- (commandline -opc)[1])
    set -l root (dirname (realpath (type -P $name 2> /dev/null; or echo $name)))
    set -l here $PWD
    builtin cd $root; and sh -c 'LIST' sh $argv[1]
    builtin cd $here
end
function __headroom_at # the path of the command, and the commands that may follow
    set -l words (string match -v -- '-*' (commandline -opc)[2..-1])
    set -l path (string split -n ' ' -- $argv[1])
    test (count $words) -ge (count $path); or return 1
    for i in (seq (count $path))
        test $words[$i] = $path[$i]; or return 1
    end
    set -l next $words[(math (count $path) + 1)]
    test -z "$next"; or not contains -- $next (string split ' ' -- $argv[2])
end
"""
SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}
