#!/usr/bin/env python3
"""Write the man page and the shell completions from the command line's own parser.

Run with an environment that has Earwitness: ``python manual.py FOLDER``.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from engine import __version__
from engine.cli.parser import build_parser

Parser = argparse.ArgumentParser

FILES = """\
.TP
.I ~/.local/share/Earwitness/library
The meetings: library.db (SQLite) and the sound in media/.
.TP
.I ~/.local/share/Earwitness/models
The models.
.TP
.I ~/.config/Earwitness/settings.json
The settings.
"""

ENVIRONMENT = """\
.TP
.B EARWITNESS_LIBRARY, EARWITNESS_MODELS, EARWITNESS_CONFIG, EARWITNESS_LOGS
Other folders than those above.
.TP
.B HTTPS_PROXY, SSL_CERT_FILE
Used for model downloads, the only connections Earwitness opens.
"""

STATUS = "0 done, 1 failed with one line on standard error, 2 the arguments make no sense."


def commands(parser: Parser) -> dict[str, tuple[Parser, str]]:
    """Sub-commands by name, each with its help line."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            return {name: (sub, helps.get(name, "")) for name, sub in action.choices.items()}
    return {}


def options(parser: Parser) -> Iterator[argparse.Action]:
    """Options with a dash, without --help."""
    for action in parser._actions:
        if action.option_strings and "--help" not in action.option_strings:
            yield action


def positionals(parser: Parser) -> list[argparse.Action]:
    """Arguments without a dash that are not sub-commands."""
    return [
        action
        for action in parser._actions
        if not action.option_strings and not isinstance(action, argparse._SubParsersAction)
    ]


def usage(parser: Parser) -> str:
    """The usage line without its label."""
    text = re.sub(r"\s+", " ", parser.format_usage()).strip()
    return text.removeprefix("usage: ").replace("[-h] ", "").replace(" [-h]", "")


def roff(text: str) -> str:
    """Escape what roff would take for its own."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", escaped)


def roff_options(parser: Parser) -> Iterator[str]:
    """One paragraph an option or argument."""
    for action in [*positionals(parser), *options(parser)]:
        value = action.metavar or (action.dest.upper() if action.nargs != 0 else "")
        if action.choices:
            value = "|".join(map(str, action.choices))
        value = value if isinstance(value, str) else " ".join(value)
        names = ", ".join(action.option_strings)
        if not names:
            head = f".I {roff(value)}"
        elif action.nargs == 0:
            head = f".B {roff(names)}"
        else:
            head = f'.BI "{roff(names)} " {roff(value)}'
        yield f".TP\n{head}\n{roff((action.help or '').replace('%%', '%'))}"


def man_page(parser: Parser) -> str:
    """The manual, section 1."""
    parts = [
        f'.TH EARWITNESS 1 "" "Earwitness {__version__}" "User commands"',
        f".SH NAME\nearwitness \\- {roff('who said what in a meeting, with answers you can hear')}",
        ".SH SYNOPSIS\n.B earwitness\n.br\n.B earwitness\n.I COMMAND\n[options]",
        f".SH DESCRIPTION\n{roff(parser.description or '')}\n.PP\n{roff(parser.epilog or '')}",
        ".SH OPTIONS",
        *roff_options(parser),
        ".SH COMMANDS",
    ]
    for name, (command, help_text) in commands(parser).items():
        parts.append(f".SS {roff(name)}\n{roff(help_text)}.\n.PP\n.B {roff(usage(command))}")
        parts += roff_options(command)
        for child, (sub, sub_help) in commands(command).items():
            parts.append(f".TP\n.B {roff(f'{name} {child}')}\n{roff(sub_help)}")
            parts.append(f".br\n{roff(usage(sub))}")
        if command.epilog:
            parts.append(f".PP\n{roff(command.epilog)}")
    parts.append(f".SH EXIT STATUS\n{roff(STATUS)}")
    parts += [f".SH ENVIRONMENT\n{ENVIRONMENT.rstrip()}", f".SH FILES\n{FILES.rstrip()}"]
    return "\n".join(parts) + "\n"


def words_after(parser: Parser) -> list[str]:
    """What may follow a command: its options and its own sub-commands."""
    own = [name for action in options(parser) for name in action.option_strings]
    fixed = [str(choice) for action in positionals(parser) for choice in action.choices or ()]
    return [*commands(parser), *fixed, *own, "--help"]


def choices_of(parser: Parser) -> dict[str, list[str]]:
    """Fixed values by option."""
    return {
        name: [str(choice) for choice in action.choices]
        for action in options(parser)
        if action.choices
        for name in action.option_strings
    }


BASH = """\
# bash completion for earwitness; made by packaging/manual.py
_earwitness() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local command="" word="" words=""
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ " @COMMANDS@ " == *" $word "* ]] && command=$word && break
    done
    case "$command,$previous" in
        ,*) words="@FIRST@" ;;
@CASES@
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    [[ $current == -* ]] || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current")
}
complete -o filenames -F _earwitness earwitness
"""


def bash_completion(parser: Parser) -> str:
    """For bash: commands, then options, fixed values and files."""
    cases = []
    for name, (command, _) in commands(parser).items():
        for option, values in choices_of(command).items():
            cases.append(f'        {name},{option}) words="{" ".join(values)}" ;;')
        cases.append(f'        {name},*) words="{" ".join(words_after(command))}" ;;')
    filled = BASH.replace("@COMMANDS@", " ".join(commands(parser)))
    return filled.replace("@FIRST@", " ".join(words_after(parser))).replace(
        "@CASES@", "\n".join(cases)
    )


def quoted(text: str) -> str:
    """For single quotes in zsh and fish."""
    return text.replace("'", "’").replace("[", "(").replace("]", ")").replace(":", ";")


def zsh_completion(parser: Parser) -> str:
    """For zsh: commands with their descriptions, options with theirs."""
    listed = [f"        '{name}:{quoted(text)}'" for name, (_, text) in commands(parser).items()]
    cases = []
    for name, (command, _) in commands(parser).items():
        rows = []
        for action in options(command):
            for option in action.option_strings:
                value = "" if action.nargs == 0 else ":value:_files"
                if action.choices:
                    value = f":value:({' '.join(map(str, action.choices))})"
                rows.append(f"'{option}[{quoted(action.help or action.dest)}]{value}'")
        own = list(commands(command))
        rest = f"'1:action:({' '.join(own)})'" if own else "'*:file:_files'"
        cases.append(f"        {name}) _arguments {' '.join([*rows, rest])} ;;")
    return f"""\
#compdef earwitness
# made by packaging/manual.py
local -a earwitness_commands
earwitness_commands=(
{chr(10).join(listed)}
)
_arguments -C '--library[the library folder]:folder:_files -/' '--version[print the version]' \\
    '1:command:->command' '*::argument:->argument'
case $state in
    command) _describe command earwitness_commands ;;
    argument) case $words[1] in
{chr(10).join(cases)}
    esac ;;
esac
"""


def fish_completion(parser: Parser) -> str:
    """For fish: one line a command and an option."""
    lines = ["# fish completion for earwitness; made by packaging/manual.py"]
    for name, (command, text) in commands(parser).items():
        about = quoted(text)
        lines.append(f"complete -c earwitness -n __fish_use_subcommand -a {name} -d '{about}'")
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        for child, (_, child_text) in commands(command).items():
            lines.append(f"complete -c earwitness {seen} -a {child} -d '{quoted(child_text)}'")
        for action in options(command):
            long = [option[2:] for option in action.option_strings if option.startswith("--")]
            short = [option[1:] for option in action.option_strings if len(option) == 2]
            names = " ".join([*(f"-l {n}" for n in long), *(f"-s {n}" for n in short)])
            needs = "" if action.nargs == 0 else " -r"
            if action.choices:
                needs = f" -x -a '{' '.join(map(str, action.choices))}'"
            help_text = quoted((action.help or "").replace("%%", "%"))
            lines.append(f"complete -c earwitness {seen} {names}{needs} -d '{help_text}'")
    return "\n".join(lines) + "\n"


def documents(parser: Parser) -> dict[str, str]:
    """Every file this makes, by name."""
    return {
        "earwitness.1": man_page(parser),
        "earwitness.bash": bash_completion(parser),
        "_earwitness": zsh_completion(parser),
        "earwitness.fish": fish_completion(parser),
    }


def main() -> None:
    """Write all of them into the folder named on the command line."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in documents(build_parser()).items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
