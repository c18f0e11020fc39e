"""The checklist at the terminal: one screen, one line to answer."""

import math
import os
import sys
from collections.abc import Callable, Mapping

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.prompt import Prompt
from rich.table import Table

from experiments.rig.checklist.answers import (
    DISTANCE,
    LIGHT,
    MUST_HOLD,
    PLAUSIBLE,
    Answers,
    is_plausible,
)
from participants.nameless import check_nameless
from participants.texts import ChecklistText
from participants.texts.numbers import written_number
from stimuli.errors import UserError

STDIN = 0

Ask = Callable[[str, str], str]
"""Returns what is typed after a question, the second argument for an empty line."""


def ask_at_terminal(question: str, default: str = "") -> str:
    """Return the line that the experimenter types, the default for an empty one."""
    typed = Prompt.ask(escape(question), default=default, show_default=bool(default))
    return typed.strip()


def ask_nameless(question: str, ask: Ask = ask_at_terminal) -> str:
    """Return a line that names nobody, and asks again until it does; empty for none."""
    while True:
        line = ask(question, "").strip()
        try:
            return check_nameless(line) if line else ""
        except UserError as mistake:
            Console(stderr=True).print(f"[yellow]{escape(str(mistake))}[/]", soft_wrap=True)


def discard_typed() -> None:
    """Forget what was typed at the terminal before it asks, such as a key that is still down."""
    if sys.platform == "win32":
        import msvcrt

        while msvcrt.kbhit():
            msvcrt.getwch()
    elif os.isatty(STDIN):
        import termios

        termios.tcflush(STDIN, termios.TCIFLUSH)


def ask_checklist(
    console: Console,
    text: ChecklistText,
    known: Mapping[str, float],
    *,
    measured: bool,
    ask: Ask = ask_at_terminal,
) -> Answers:
    """Return what the experimenter answers.

    Parameters
    ----------
    console
        Where the points are shown.
    text
        Points and words.
    known
        The rig's distance and light, as far as they are known.
    measured
        Whether the distance stands in the rig's profile: then it isn't asked for.
    ask
        Asks one question.
    """
    console.print(_panel(text, known, measured=measured))
    values = dict(known)
    for name in (LIGHT,) if measured else (DISTANCE, LIGHT):
        value = _number(text, name, known.get(name), ask, console)
        values.pop(name, None)
        values |= {} if value is None else {name: value}
    failing = _failing(text, ask, console)
    reasons = {
        point: reason
        for point in failing
        if MUST_HOLD[point] and (reason := ask_nameless(_why(text, point), ask))
    }
    holds = {point: point not in failing for point in MUST_HOLD}
    return Answers("asked", text, holds, values, reasons)


def _panel(text: ChecklistText, known: Mapping[str, float], *, measured: bool) -> Panel:
    at = (
        text.word("at_distance", cm=f"{known[DISTANCE]:g}")
        if measured
        else text.words["at_some_distance"]
    )
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(justify="right", style="bold")
    table.add_column()
    for number, point in enumerate(MUST_HOLD, 1):
        table.add_row(str(number), escape(text.items[point].replace("{distance}", at)))
    return Panel.fit(table, title=escape(text.words["title"]))


def _failing(text: ChecklistText, ask: Ask, console: Console) -> list[str]:
    """Ask for the numbers of points that don't hold until all that is typed is one."""
    points = list(MUST_HOLD)
    while True:
        typed = ask(text.words["ask"], "").replace(",", " ").split()
        if all(word.isdecimal() and 1 <= int(word) <= len(points) for word in typed):
            return sorted({points[int(word) - 1] for word in typed}, key=points.index)
        count = text.word("no_number", count=str(len(points)))
        console.print(f"[yellow]{escape(count)}[/]")


def _number(
    text: ChecklistText, name: str, known: float | None, ask: Ask, console: Console
) -> float | None:
    while True:
        typed = ask(text.words[name], "" if known is None else f"{known:g}").replace(",", ".")
        try:
            value = float(typed) if typed else None
        except ValueError:
            value = math.nan
        if value is None or is_plausible(name, value):
            return value
        least, most = (written_number(limit, text.language) for limit in PLAUSIBLE[name])
        said = text.word("not_a_number", least=least, most=most)
        console.print(f"[yellow]{escape(said)}[/]")


def _why(text: ChecklistText, point: str) -> str:
    return text.word("why", number=str(list(MUST_HOLD).index(point) + 1))
