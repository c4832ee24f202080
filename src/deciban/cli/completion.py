"""``deciban completion``: what makes a shell complete the verbs, flags and file names of deciban."""

from __future__ import annotations

from deciban.cli.definitions import Argument, VerbDefinition, all_verbs
from deciban.cli.parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

EXAMPLES = (
    ('eval "$(deciban completion bash)"', "in ~/.bashrc: complete in every new shell"),
    ("deciban completion zsh > ~/.zfunc/_deciban", "for zsh, in a folder of its $fpath"),
    ("deciban completion fish > ~/.config/fish/completions/deciban.fish", "for fish"),
)


# Where a label is asked for, those of the filter are offered.
LABEL = "LABEL"
LABELS_COMMAND = "deciban show --labels 2> /dev/null"


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban completion``."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), metavar="SHELL", help="bash, zsh or fish")


def run(options: Namespace) -> int:
    """Print the script."""
    lines = {"bash": _bash, "zsh": _zsh, "fish": _fish}[options.shell]
    print("\n".join(lines(list(all_verbs()))))
    return 0


def _bash(verbs: list[VerbDefinition]) -> Iterator[str]:
    yield "_deciban() {"
    yield '    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words="" labels=""'
    yield '    if [ "$COMP_CWORD" -eq 1 ]; then'
    yield f'        words="{" ".join(verb.name for verb in verbs)} --help --version"'
    yield "    else"
    yield '        case "${COMP_WORDS[1]} $before" in'
    for verb in verbs:
        for flag in verb.flags:
            for name in flag.names if flag.choices else ():
                yield f'            "{verb.name} {name}") words="{" ".join(flag.choices)}" ;;'
            for name in flag.names if flag.metavar == LABEL else ():
                yield f'            "{verb.name} {name}") labels=yes ;;'
    yield '            *) case "${COMP_WORDS[1]} $current" in'
    for verb in verbs:
        names = " ".join(name for flag in verb.flags for name in flag.names)
        yield f'                "{verb.name} -"*) words="{names}" ;;'
        choices = " ".join(choice for operand in verb.operands for choice in operand.choices)
        if choices:
            # Files may follow behind the operand that can be listed.
            only = "" if len(verb.operands) == 1 else '[ "$COMP_CWORD" -eq 2 ] && '
            yield f'                "{verb.name} "*) {only}words="{choices}" ;;'
        elif _asks_label(verb):
            yield f'                "{verb.name} "*) [ "$COMP_CWORD" -eq 2 ] && labels=yes ;;'
    yield "            esac ;;"
    yield "        esac"
    yield "    fi"
    yield "    local IFS=$'\\n'"
    yield '    if [ -n "$labels" ]; then'
    # Not compgen -W, which would run what a label holds between $( and ).
    yield "        COMPREPLY=()"
    yield "        while read -r label; do"
    yield '            case $label in "$current"*) COMPREPLY+=("$label") ;; esac'
    yield f"        done < <({LABELS_COMMAND})"
    yield "        compopt -o filenames 2> /dev/null"
    yield '    elif [ -n "$words" ]; then'
    yield '        COMPREPLY=($(compgen -W "${words// /$IFS}" -- "$current"))'
    yield "    else"
    yield '        COMPREPLY=($(compgen -f -- "$current"))'
    yield "        compopt -o filenames 2> /dev/null"
    yield "    fi"
    yield "}"
    yield "complete -F _deciban deciban"


def _zsh(verbs: list[VerbDefinition]) -> Iterator[str]:
    yield "#compdef deciban"
    yield "_deciban_labels() {"
    yield "    local -a labels"
    yield f'    labels=("${{(@f)$({LABELS_COMMAND})}}")'
    yield "    compadd -a labels"
    yield "}"
    yield "local -a verbs"
    yield "verbs=("
    for verb in verbs:
        yield f"    {_quoted(verb.name + ':' + verb.summary)}"
    yield ")"
    yield "if (( CURRENT == 2 )); then"
    yield "    _describe verb verbs"
    yield "    return"
    yield "fi"
    yield "local verb=$words[2]"
    yield "shift words; (( CURRENT-- ))"
    yield "case $verb in"
    for verb in verbs:
        yield f"    {verb.name})"
        specifications = [_zsh_flag(name, flag) for flag in verb.flags for name in flag.names]
        choices = " ".join(choice for operand in verb.operands for choice in operand.choices)
        if choices:
            specifications.append(_quoted(f"1: :({choices})"))
        elif _asks_label(verb):
            specifications.append(_quoted("1:label:_deciban_labels"))
        if len(verb.operands) > 1 or not choices:
            specifications.append(_quoted("*:file:_files"))
        yield "        _arguments " + " ".join(specifications) + " ;;"
    yield "esac"


def _zsh_flag(name: str, flag: Argument) -> str:
    text = flag.help.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
    value = ""
    if flag.metavar:
        action = f"({' '.join(flag.choices)})" if flag.choices else "_files"
        value = f":{flag.metavar}:" + ("_deciban_labels" if flag.metavar == LABEL else action)
    return _quoted(f"{name}[{text}]{value}")


def _fish(verbs: list[VerbDefinition]) -> Iterator[str]:
    for verb in verbs:
        yield (f"complete -c deciban -n __fish_use_subcommand -f -a {verb.name} -d {_quoted(verb.summary)}")
    for verb in verbs:
        seen = _quoted(f"__fish_seen_subcommand_from {verb.name}")
        for flag in verb.flags:
            names = " ".join(
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names
            )
            value = (
                f" -x -a {_quoted(' '.join(flag.choices))}" if flag.choices else " -r" * bool(flag.metavar)
            )
            if flag.metavar == LABEL:
                value = f" -x -a {_quoted(f'({LABELS_COMMAND})')}"
            yield f"complete -c deciban -n {seen} {names}{value} -d {_quoted(flag.help)}"
        choices = " ".join(choice for operand in verb.operands for choice in operand.choices)
        if choices:
            files = "" if len(verb.operands) > 1 else " -f"
            yield f"complete -c deciban -n {seen}{files} -a {_quoted(choices)}"
        elif _asks_label(verb):
            first = _quoted(f"__fish_seen_subcommand_from {verb.name}; and __fish_is_nth_token 2")
            yield f"complete -c deciban -n {first} -a {_quoted(f'({LABELS_COMMAND})')}"


def _asks_label(verb: VerbDefinition) -> bool:
    """Whether the first operand is a label."""
    return bool(verb.operands) and verb.operands[0].metavar == LABEL


def _quoted(text: str) -> str:
    """One word for any of the shells.

    >>> print(_quoted("the user's"))
    'the user'"'"'s'
    """
    return "'" + text.replace("'", "'\"'\"'") + "'"
