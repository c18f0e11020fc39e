"""Lines that the start window shows are said in its language: every refusal that the code has."""

import ast
import importlib
import os
import re
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from participants.texts.load import PLACEHOLDER
from participants.texts.rig import load_check_words, load_rig_words
from participants.texts.translation import JOINED, MISTAKES, REFUSALS, translated, translated_in
from stimuli.errors import UserError
from stimuli.io.given_files import parse_toml
from stimuli.io.invalid import REASONS

ROOT = Path(__file__).parents[3]
ENGLISH, GERMAN = load_check_words("en"), load_check_words("de")
SHOWN = (
    "experiments/launch", "experiments/session/booking.py", "experiments/screening/command.py",
    "experiments/engine", "experiments/rig/profile.py", "experiments/sheets",
    "participants/registry", "participants/appointments/book.py", "participants/notes.py",
    "participants/payments/ledger.py", "participants/lists.py", "participants/overview/details.py",
    "participants/withdrawal", "participants/backup", "participants/backing_up.py",
    "participants/folder.py", "participants/files.py", "participants/journal",
    "participants/dataset/custody.py", "participants/anchor.py", "participants/planning.py",
    "participants/screening/records.py", "participants/study.py", "stimuli/pack",
    "stimuli/versions.py", "stimuli/io/inside.py",
)  # fmt: skip
"""What the window asks, and what its sessions, sheets, backups and withdrawals ask."""
TYPED = (
    "--", "say who ", "say for what", "screen: say", "give either", "robot X1", "virtual display",
    "no kind of note", "order X1", "trigger X1", "trigger: macOS", "nothing was removed", "X1 X1: ",
)  # fmt: skip
"""How refusals of words begin that only a terminal takes."""
ELSEWHERE = (
    "restor", "backup X1 has no", "can't be the name of a file", "has no backup X1",
    "leads out of the lab folder", "use another disk", "items.csv has none", "session needs",
    "guns_lms",
)  # fmt: skip
"""What refusals say of commands that the window doesn't have, and of packs that can't be sealed."""
A_VALUE = "X1"
ERRORS = ("UserError", "JournalError", "TakenOverError")


@cache
def said_by_code():
    """Every refusal of the modules, with a value in each place that has one."""
    return tuple(
        dict.fromkeys(
            text
            for path in SHOWN
            for file in sorted((ROOT / path).rglob("*.py")) or [ROOT / path]
            for text in refusals_in(file)
        )
    )


def module_name(file):
    return ".".join(file.relative_to(ROOT).with_suffix("").parts)


def refusals_in(file):
    module = importlib.import_module(module_name(file))
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ERRORS and node.args:
            # What may follow the last word is a sentence of its own, or nothing.
            text = re.sub(rf"(?<=[a-z)]){A_VALUE}$", "", written(node.args[0], module))
            if len(re.findall(r"[a-z']{3,}", text)) > 1:
                yield text


def written(node, module):
    """A string as its code makes it; the module's own strings are known, other values aren't."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(written(part, module) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return written(node.value, module)
    known = getattr(module, node.id, None) if isinstance(node, ast.Name) else None
    return known if isinstance(known, str) else A_VALUE


def is_for_the_window(text):
    return not text.startswith(TYPED) and not any(part in text for part in ELSEWHERE)


def english_left(line, text):
    """Pairs of words that stand in a line and in what it became, and in no German sentence."""
    spoken = " ".join(text for words in GERMAN.tables.values() for text in words.values())
    words = re.findall(r"[A-Za-z']+", line.replace(A_VALUE, "|"))
    pairs = (f"{one} {other}" for one, other in pairwise(words))
    return [pair for pair in pairs if pair in text and pair in line and pair not in spoken]


@pytest.mark.parametrize("line", [line for line in said_by_code() if is_for_the_window(line)])
def test_no_refusal_that_the_window_can_show_stays_english(line):
    assert translated(line, GERMAN) != line
    assert not english_left(line, translated(line, GERMAN))
    assert translated(line, ENGLISH) == line


def test_every_sentence_is_what_the_code_or_the_system_says():
    """A sentence that nobody says any more would never be found again."""
    pool = "\n".join([*strings_of_the_suite(), *said_by_code()])
    pool += "\n" + "\n".join(os.strerror(number) for number in range(1, 134))
    lost = {
        name: part
        for table in (REFUSALS, MISTAKES)
        for name, sentence in ENGLISH.tables[table].items()
        for part in PLACEHOLDER.sub("\0", sentence).split("\0")
        if any(one.strip() not in pool for one in re.findall(r"[A-Za-z' ]{4,}", part))
        and not name.startswith(("says_", "toml_", "at_"))
    }
    assert not lost


def strings_of_the_suite():
    """What is written in the code; values that aren't the module's own are X1."""
    for room in ("stimuli", "participants", "experiments"):
        for file in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value
                    yield node.value.replace("_", " ")
                elif isinstance(node, ast.JoinedStr):
                    yield written(node, sys.modules.get(module_name(file)))


@pytest.mark.parametrize(
    ("table", "name"),
    [(table, name) for table in (REFUSALS, MISTAKES) for name in ENGLISH.tables[table]],
)
def test_every_sentence_is_found_again_with_its_values(table, name):
    def filled(words):
        sentence = words.tables[table][name]
        return PLACEHOLDER.sub(lambda place: place[3] or f"<{place[1]}>", sentence)

    assert translated(filled(ENGLISH), GERMAN) == filled(GERMAN)


EXPECTED = ("'a'", "'a' or 'b'", "'a', 'b' or 'c'", "'a', 'b', 'c' or 'd'")
"""What pydantic says that a key may be."""
NOT_VALID = [
    re.sub(r"\{\w+(:g)?\}", "7", reason)
    for name, reason in REASONS.items()
    if name not in ("literal_error", "value_error")
]
NOT_VALID += [REASONS["literal_error"].format(expected=expected) for expected in EXPECTED]
NOT_VALID += [
    f"unknown key; {more}" for more in ("known: a, b", "known here: a", "did you mean a?")
]


@pytest.mark.parametrize("reason", NOT_VALID)
@pytest.mark.parametrize("place", ["/lab/lab.toml: rig: ", "pack ab12: session.break_min: ", ""])
def test_what_is_wrong_with_a_key_is_told_and_file_and_key_stay(place, reason):
    line = f"{place}{reason}"
    german = translated(line, GERMAN)
    assert german.startswith(place)
    assert german != line
    assert not english_left(reason, german.removeprefix(place))
    assert translated(line, ENGLISH) == line


@pytest.mark.parametrize(
    "text", ['rig "a"', 'rig = "a', "rig = a", "a = [1", "[a", "a = 1\na = 2", "a = 1 b = 2", "= 1"]
)
def test_what_is_wrong_with_a_file_of_settings_is_told(text):
    with pytest.raises(UserError) as refused:
        parse_toml(text, "/lab/lab.toml")
    line = str(refused.value)
    assert not english_left(line, translated(line, GERMAN))
    assert translated(line, ENGLISH) == line


@pytest.mark.parametrize(
    ("line", "german"),
    [
        (
            "/p: a.csv was changed since the pack was built, and b.png, c.png are missing; "
            "copy the pack again",
            "/p: seit dem Bau des Pakets geändert: a.csv; es fehlen: b.png, c.png; "
            "das Paket noch einmal kopieren",
        ),
        (
            "memory: 0.7 GiB free, 12 % swapped out; close other programs",
            None,
        ),
        (
            "S-1: its journal is missing, but the registry and session.json knows of it; bring the "
            "session's folder back from a backup, or remove its person: python3 lab.py "
            "participants withdraw CODE | S-2, line 3: is event 5; lines are missing or out of "
            "order",
            "S-1: das Journal fehlt, obwohl es bekannt ist (das Register und session.json); den "
            "Ordner der Sitzung aus einer Sicherung zurückholen, oder die Person entfernen | "
            "S-2, Zeile 3: ist Ereignis 5; Zeilen fehlen oder sind vertauscht",
        ),
        (
            "checklist: doesn't hold: hdr, warm_up; set it right, or give a reason",
            "Checkliste: trifft nicht zu: HDR, Aufwärmzeit; es beheben, oder einen Grund nennen",
        ),
        ("pad lock: a note that somebody wrote", None),
    ],
)
def test_a_line_of_several_sentences_is_told_part_by_part(line, german):
    assert translated(line, GERMAN) == (german or line)
    assert translated_in(line, load_rig_words("launch.toml", "de")) == translated(line, GERMAN)
    assert JOINED in GERMAN.tables
