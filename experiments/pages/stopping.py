"""The question whether to stop: going on, stopping for now, or leaving the study for good."""

import time
from collections.abc import Callable, Iterable
from typing import Final

from experiments.engine.clock import nap
from experiments.engine.input import MODIFIERS, Press
from experiments.engine.picture import Layers
from experiments.engine.stage import Stage
from experiments.pages.context import SessionContext
from experiments.pages.pausing import CONFIRM, POLL_S
from experiments.screens.look import Look
from experiments.screens.page import page_layers, sheets_of
from experiments.screens.parts import Footer, Option
from participants.session import GO_ON, LEAVE, LEAVE_FOR_GOOD
from participants.texts import Words

HOLD_S: Final = 1.0
GO_ON_KEY, STOP_KEY, LEAVE_KEY = "space", "return", "delete"
HELD: Final = {**dict.fromkeys(CONFIRM, LEAVE), LEAVE_KEY: LEAVE_FOR_GOOD}
"""What holding a key means, as breaks answer it; any other key is `GO_ON`."""


def ask_whether_to_stop(
    context: SessionContext,
    look: Look,
    words: Words,
    pressed: Callable[[], Iterable[Press]],
    tell: Callable[[float], None],
    name: str,
) -> str:
    """Ask whether to stop, and return the answer as a break has it.

    What ends something is confirmed by holding its key; any other key goes on.

    Parameters
    ----------
    context
        Where it is shown, and who keeps pictures of it.
    look, words
        How it looks, and the short words in the language.
    pressed
        Gives the keys' presses since the last time, in order.
    tell
        Is called when the question stands, with the time (seconds of `time.perf_counter`).
    name
        Of the screen.
    """
    stage = context.stage
    picture = stage.picture(_layers(look, words))
    context.album.keep(name, stage, picture)
    shown_s = stage.frame(picture)
    picture.free()
    tell(shown_s)
    held: Press | None = None
    while True:
        nap(POLL_S)
        for press in pressed():
            if press.t_s <= shown_s or press.chord or press.key in MODIFIERS:
                continue
            if press.key not in HELD:
                return GO_ON
            held = press
        if held is None or not _is_down(stage, HELD[held.key]):
            held = None
        elif time.perf_counter() - held.t_s >= HOLD_S:
            return HELD[held.key]


def _is_down(stage: Stage, answer: str) -> bool:
    """Return whether a key that gives an answer is down, before our window."""
    keys = (key for key, meant in HELD.items() if meant == answer)
    return stage.focus.is_here() and any(stage.keyboard.is_down(key) for key in keys)


def _layers(look: Look, words: Words) -> Layers:
    options = [
        Option(words.cap(GO_ON_KEY), words["continue"]),
        Option(words.cap(STOP_KEY), words["stop_for_now"]),
        Option(words.cap(LEAVE_KEY), words["leave_for_good"]),
    ]
    saved = words.filled("stop_saved", stop_key=words.key(STOP_KEY), leave_key=words.key(LEAVE_KEY))
    question = f"# {words['stop_question']}\n\n{saved}"
    (sheet, *_) = sheets_of(look, question, options)
    return page_layers(look, sheet, Footer())
