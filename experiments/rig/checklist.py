"""The experimenter's checklist before plates are shown: asked, read from a file, recorded.

At the terminal the checklist is one screen, and one line to answer. A rig's values are kept from
one session to the next.
"""

import json
import math
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from rich.markup import escape
from rich.panel import Panel
from rich.prompt import Prompt
from rich.table import Table

from experiments.rig.checks.catalogue import CHECKLIST
from experiments.rig.checks.finding import Finding
from experiments.rig.profile import RigProfile
from participants.files import make_private, write_file
from participants.notes import check_nameless, refuse_names
from participants.texts import ChecklistText
from participants.texts.load import written_number
from stimuli.errors import UserError
from stimuli.io.given_files import read_toml
from stimuli.io.inside import refuse_odd
from stimuli.rich_terminal import Console

Source = Literal["asked", "file", "confirmed", "unanswered", "skipped"]

MUST_HOLD: Final[Mapping[str, bool]] = {
    "night_light": True,
    "hdr": True,
    "enhancement": True,
    "lookup_table": True,
    "warm_up": True,
    "ambient_light": False,
    "distance": False,
    "lenses": True,
    "acuity": True,
    "language": True,
    "keyboard_layout": False,
}
"""All points, in order: whether a session needs a reason to begin if the point doesn't hold."""
DISTANCE, LIGHT = "distance_cm", "ambient_lux"
PLAUSIBLE: Final[Mapping[str, tuple[float, float]]] = {DISTANCE: (20, 300), LIGHT: (0.1, 5000)}
"""Range of each value; outside it, a unit or a decimal point must be wrong."""
CONFIRMED: Final = "confirmed"
DEMANDING_PURPOSE: Final = "main"


def is_plausible(name: str, value: object) -> bool:
    """Return whether a value is a possible number for a distance (cm) or light (lux)."""
    least, most = PLAUSIBLE[name]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and least <= value <= most


@dataclass(frozen=True, slots=True)
class Answers:
    """The experimenter's answers.

    Attributes
    ----------
    source
        Where the answers come from.
    text
        The text that was shown; None if none was.
    holds
        Whether each point holds, by name.
    values
        Distance (cm) and light (lux), if given.
    reasons
        Why to continue although a point doesn't hold, by the point's name.
    """

    source: Source
    text: ChecklistText | None = None
    holds: Mapping[str, bool] = field(default_factory=dict)
    values: Mapping[str, float] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def unmet(self) -> tuple[str, ...]:
        """Points that must hold but don't, and for which no reason is given."""
        return tuple(
            point
            for point, holds in self.holds.items()
            if not holds and MUST_HOLD[point] and not self.reasons.get(point)
        )

    def fields(self) -> dict[str, Any]:
        """Return the fields of the journal's ``checklist`` event."""
        return {
            "source": self.source,
            "language": self.text.language if self.text else "",
            "version": self.text.version if self.text else "",
            "sha256": self.text.sha256 if self.text else "",
            "holds": dict(self.holds),
            "values": dict(self.values),
            "reasons": dict(self.reasons),
        }


SKIPPED: Final = Answers("skipped")
UNANSWERED: Final = Answers("unanswered")


def confirmed(text: ChecklistText, values: Mapping[str, float]) -> Answers:
    """Return answers by which all points hold, for ``--checklist confirmed``."""
    return Answers(CONFIRMED, text, dict.fromkeys(MUST_HOLD, True), values)


def judged(answers: Answers, purpose: str) -> Finding | None:
    """Return the finding for a session of this purpose; None if the checklist doesn't apply."""
    if answers.source == "skipped":
        return None
    if answers.source == "unanswered":
        unfit = purpose == DEMANDING_PURPOSE
        return (CHECKLIST.failed if unfit else CHECKLIST.warned)("unanswered", "do_unanswered")
    if answers.unmet:
        return CHECKLIST.failed("unmet", points=", ".join(answers.unmet))
    failing = [point for point, holds in answers.holds.items() if not holds]
    if failing:
        return CHECKLIST.warned("unmet", "recorded", points=", ".join(failing))
    return CHECKLIST.passed("holds")


STDIN = 0

Ask = Callable[[str, str], str]
"""Asks a question and returns the line typed, or the second argument for an empty line."""


def ask_at_terminal(question: str, default: str = "") -> str:
    """Return the line that the experimenter types, or the default for an empty line."""
    typed = Prompt.ask(
        escape(question), console=Console(), default=default, show_default=bool(default)
    )
    return typed.strip()


def ask_nameless(question: str, ask: Ask = ask_at_terminal) -> str:
    """Ask until the line names nobody, and return it; it may be empty."""
    while True:
        line = ask(question, "").strip()
        try:
            return check_nameless(line) if line else ""
        except UserError as mistake:
            Console(stderr=True).print(f"[yellow]{escape(str(mistake))}[/]", soft_wrap=True)


def discard_typed() -> None:
    """Discard what was typed before the terminal asks, such as a key that is still down."""
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
    measures: Mapping[str, float],
    *,
    measured: bool,
    ask: Ask = ask_at_terminal,
) -> Answers:
    """Ask the experimenter about the checklist and return the answers.

    Parameters
    ----------
    console
        Where the points are shown.
    text
        The points and their words.
    measures
        The rig's distance and light, if known.
    measured
        Whether the rig's profile has the distance, so that it isn't asked for.
    ask
        Asks one question.
    """
    console.print(_panel(text, measures, measured=measured))
    values = dict(measures)
    for name in (LIGHT,) if measured else (DISTANCE, LIGHT):
        value = _number(text, name, measures.get(name), ask, console)
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


def _panel(text: ChecklistText, measures: Mapping[str, float], *, measured: bool) -> Panel:
    at = (
        text.word("at_distance", cm=f"{measures[DISTANCE]:g}")
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
    """Ask for the numbers of points that don't hold, until all numbers typed are valid."""
    points = list(MUST_HOLD)
    while True:
        typed = ask(text.words["ask"], "").replace(",", " ").split()
        if all(word.isdecimal() and 1 <= int(word) <= len(points) for word in typed):
            return sorted({points[int(word) - 1] for word in typed}, key=points.index)
        count = text.word("no_number", count=str(len(points)))
        console.print(f"[yellow]{escape(count)}[/]")


def _number(
    text: ChecklistText, name: str, default: float | None, ask: Ask, console: Console
) -> float | None:
    while True:
        typed = ask(text.words[name], "" if default is None else f"{default:g}").replace(",", ".")
        try:
            value = float(typed) if typed else None
        except ValueError:
            value = math.nan
        if value is None or is_plausible(name, value):
            return value
        least, most = (written_number(limit, text.language) for limit in PLAUSIBLE[name])
        message = text.word("not_a_number", least=least, most=most)
        console.print(f"[yellow]{escape(message)}[/]")


def _why(text: ChecklistText, point: str) -> str:
    return text.word("why", number=str(list(MUST_HOLD).index(point) + 1))


REASONS: Final = "reasons"


def read_answers(path: Path, text: ChecklistText) -> Answers:
    """Return the answers in a TOML file.

    The file has every point's name with ``true`` or ``false``, optionally ``distance_cm`` and
    ``ambient_lux``, and a table ``[reasons]`` for points that don't hold.

    Raises
    ------
    UserError
        If it can't be read, or a key is missing, unknown or of the wrong type; the message
        names the key.
    """
    if not path.exists():
        raise UserError(f"--checklist {path}: isn't there; give a file, or: confirmed")
    document = read_toml(path)
    reasons = document.pop(REASONS, {})
    if not isinstance(reasons, dict) or not set(reasons) <= set(MUST_HOLD):
        raise UserError(f"{path}: [{REASONS}]: must contain names of points with texts")
    for point, reason in reasons.items():
        refuse_names(str(reason), where=f"{path}: [{REASONS}]: {point}")
    if missing := [point for point in MUST_HOLD if point not in document]:
        raise UserError(f"{path}: {missing[0]}: is missing; answer it with true or false")
    for key, value in document.items():
        _check(path, key, value)
    return Answers(
        "file",
        text,
        {point: document[point] for point in MUST_HOLD},
        {name: float(document[name]) for name in PLAUSIBLE if name in document},
        {point: str(reason).strip() for point, reason in reasons.items()},
    )


def known_values(memory: Path, rig: RigProfile) -> dict[str, float]:
    """Return a rig's distance and light, from its profile or else from the last answers."""
    known = _remembered(memory)
    values = {name: float(known[name]) for name in PLAUSIBLE if is_plausible(name, known.get(name))}
    if rig.geometry is not None:
        values[DISTANCE] = rig.geometry.distance_cm
    return values


def remember(memory: Path, values: Mapping[str, float]) -> None:
    """Save a rig's values for the next session."""
    make_private(memory.parent)
    write_file(memory, (json.dumps(dict(values), indent=1) + "\n").encode("utf-8"))


def memory_path(rigs: Path, rig: str) -> Path:
    """Return the path of a rig's last answers in the lab's folder of rigs."""
    return rigs / f"{rig}.checklist.json"


def _check(path: Path, key: str, value: object) -> None:
    if key in MUST_HOLD:
        if not isinstance(value, bool):
            raise UserError(f"{path}: {key}: must be true or false")
    elif key not in PLAUSIBLE:
        known = ", ".join([*MUST_HOLD, *PLAUSIBLE, f"[{REASONS}]"])
        raise UserError(f"{path}: {key}: unknown key; known: {known}")
    elif not is_plausible(key, value):
        least, most = PLAUSIBLE[key]
        raise UserError(f"{path}: {key}: must be a number from {least:g} to {most:g}")


def _remembered(memory: Path) -> dict[str, Any]:
    refuse_odd(memory)
    try:
        document = json.loads(memory.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        # Only a convenience: without the file the values are asked for.
        return {}
    return document if isinstance(document, dict) else {}
