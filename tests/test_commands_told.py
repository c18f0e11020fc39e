"""Each command that a page tells people to type is one that the command line takes."""

import re
import shlex
from functools import cache
from pathlib import Path

import pytest
from rich.text import Text

import lab
from docs.generated import command_tree, commands_page
from participants.registry.people import check_code
from stimuli.errors import UserError

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md"))
    if path.name not in ("changelog.md", "commands.md", "contributing.md")  # made from others
)
OPEN_ENDED = {"...", "…"}


def told(text):
    """Yield the commands of a page: lines of its blocks, and code within its sentences.

    A verb alone names it. What is in brackets may be left out; here it isn't.
    """
    blocks = re.findall(r"^ *```[^\n]*\n(.*?)```", text, flags=re.DOTALL | re.MULTILINE)
    for line in "\n".join(blocks).replace("\\\n", " ").splitlines():
        if line.strip().startswith("python3 lab.py "):
            yield line.strip().replace("[--", "--").replace("]", "")
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    for code in re.findall(r"`([^`]+)`", prose):
        words = " ".join(code.split()).replace("\\|", "|")
        if words.startswith("python3 lab.py ") and len(words.split()) > 3:
            yield words


@cache
def commands_of(verb):
    return command_tree(lab.VERBS[verb][0], verb).commands[verb]


def wrong(line):
    """Return what the command line wouldn't take of a command, or None."""
    words = shlex.split(line, comments=True)[2:]
    end = next((place for place, word in enumerate(words) if word in (">", "|", "&&", ";")), None)
    words = words[:end]
    if words[0] not in lab.VERBS:
        return None if words[0].isupper() or words[0] == "--help" else f"no verb {words[0]}"
    if lab.VERBS[words[0]][0] is None:
        return None
    command, rest = commands_of(words[0]), words[1:]
    while hasattr(command, "commands") and rest and not rest[0].startswith("-"):
        if rest[0] not in command.commands:
            return None if rest[0].isupper() or rest[0] in OPEN_ENDED else f"no {rest[0]}"
        command, rest = command.commands[rest[0]], rest[1:]
    return wrong_arguments(command, rest)


def wrong_arguments(command, rest):
    """Return what a command doesn't take of the words that follow it, or None."""
    options = {name: own for own in command.params for name in (*own.opts, *own.secondary_opts)}
    places, given, left = [p for p in command.params if p.param_type_name == "argument"], set(), []
    words = iter(rest)
    for word in words:
        name, _, value = word.partition("=")
        if not word.startswith("--"):
            left.append(word)
        elif name not in options:
            return f"no option {name}"
        elif not value and not options[name].is_flag:
            given.add(options[name])
            if next(words, None) is None:
                return f"{name} without its value"
    if OPEN_ENDED & set(rest) or "--help" in rest:
        return None
    most = sum(own.nargs if own.nargs > 0 else 99 for own in places)
    least = sum(own.nargs for own in places if own.required and own.nargs > 0)
    lacking = [own.opts[0] for own in options.values() if own.required and own not in given]
    if lacking := [name for name in lacking if name.startswith("--")]:
        return f"without {lacking[0]}"
    return None if least <= len(left) <= most else f"{len(left)} arguments: {left}"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_what_a_page_tells_people_to_type_is_taken(page):
    text = page.read_text("utf-8")
    new = {f"no {name}" for name in re.findall(r"lab\.py new-study (\w+)", text)}
    found = {line: wrong(line) for line in told(text)}
    assert {line: why for line, why in found.items() if why and why not in new} == {}


def test_the_examples_of_the_help_are_taken():
    found = {line: wrong(line) for line in told(commands_page())}
    assert len(found) > 50
    assert {line: why for line, why in found.items() if why} == {}


def is_code(text):
    try:
        return check_code(text) == text
    except UserError:
        return False


def test_codes_in_examples_are_codes_that_a_lab_could_give():
    texts = [page.read_text("utf-8") for page in PAGES] + [commands_page()]
    shown = {
        code for text in texts for code in re.findall(r"\b[A-Z](?=[A-Z]*\d)[A-Z\d]{6}\b", text)
    }
    assert {code for code in shown if not is_code(code)} == set()


def leaves(command):
    """Yield a verb's commands that have no further ones below them."""
    for below in getattr(command, "commands", {}).values():
        yield from leaves(below)
    if not hasattr(command, "commands"):
        yield command


@pytest.mark.parametrize("verb", [verb for verb, (room, _, _) in lab.VERBS.items() if room])
def test_a_command_takes_its_own_defaults(verb):
    for command in leaves(commands_of(verb)):
        context = command.context_class(command, info_name=command.name)
        for own in (one for one in command.params if not one.required):
            own.process_value(context, own.get_default(context))


@pytest.mark.parametrize("verb", [verb for verb, (room, _, _) in lab.VERBS.items() if room])
def test_the_help_shows_words_in_brackets(verb):
    """Rich takes a word in brackets for markup, and leaves it out."""
    for command in leaves(commands_of(verb)):
        for shown in (command.help, *(getattr(one, "help", None) for one in command.params)):
            assert Text.from_markup(shown or "").plain == (shown or "")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("python3 lab.py analyze accept_reject", "no verb analyze"),
        ("python3 lab.py build moods --out packs/moods", "no moods"),
        ("python3 lab.py simulate accept_reject --people 3 --out robots", "no option --people"),
        ("python3 lab.py simulate accept_reject --participants 3", "without --out"),
        ("python3 lab.py simulate accept_reject --participants 3 --out", "--out without its value"),
        ('python3 lab.py fit t.csv "y ~ x" --trials t.csv', "2 arguments"),
        ("python3 lab.py run --participant CODE", "0 arguments"),
    ],
)
def test_what_nobody_can_type_is_found(line, why):
    assert wrong(line).startswith(why)


def test_every_code_in_a_help_text_is_one_that_could_be_scanned():
    """Help texts of the commands that take one after ``--participant``."""
    shown = [
        code
        for path in sorted(ROOT.glob("*/**/*.py"))
        if path.relative_to(ROOT).parts[0] in ("experiments", "participants", "analysis")
        for code in re.findall(r"--participant ([A-Z0-9]{4,})\b", path.read_text(encoding="utf-8"))
        if code != "CODE"
    ]
    assert shown
    assert [check_code(code) for code in shown] == shown
