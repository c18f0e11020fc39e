"""The screen that tells the experimenter that the disk refuses the data, and what to do."""

import time
from typing import Final, Protocol

from experiments.engine.clock import nap
from experiments.engine.input import Press
from experiments.pages.context import SessionContext
from experiments.pages.pausing import CONFIRM, POLL_S, REFLIP_S
from experiments.screens.look import Look
from experiments.screens.page import rest_layers
from experiments.screens.parts import Footer, Hint
from participants.journal import JournalError
from participants.texts import Words

END_KEY: Final = "q"
END_CAPS: Final = ("lctrl", "lshift")
DISK_REFUSED: Final = "disk refused"
"""Why a session was paused, in the journal."""


class Pauser(Protocol):
    """What can pause a session; see `experiments.pages.waiting.Waiting`."""

    def pause_next(self, reason: str) -> None:
        """Pause before the next stimulus."""


class Unsaved:
    """Asks what to do where the disk refuses the journal; nothing of it is recorded then.

    Parameters
    ----------
    pauser
        Pauses the session when it goes on.
    context
        Where it is shown, and who answers.
    look, words
        How it looks, and the short words in the language.
    text
        What is said whatever the cause, Markdown.
    """

    def __init__(
        self, pauser: Pauser, context: SessionContext, look: Look, words: Words, text: str
    ) -> None:
        self._pauser, self._context, self._stage = pauser, context, context.stage
        self._look, self._words, self._text = look, words, text

    def ask(self, error: JournalError, tries: int) -> bool:
        """Tell what is wrong until Enter tries again (True) or the chord ends the session.

        A robot doesn't answer for the experimenter: its session ends when nobody does.

        Parameters
        ----------
        error
            What is wrong.
        tries
            How often it was tried again in vain; the screen says so, or it would look as if nobody
            had pressed.
        """
        self._context.actor.broken_off()
        again = self._answered(error, tries)
        if again:
            # Whoever takes part was interrupted.
            self._pauser.pause_next(DISK_REFUSED)
        return again

    def _answered(self, error: JournalError, tries: int) -> bool:
        words, caps = self._words, map(self._words.cap, END_CAPS)
        parts = [self._text, words[f"unsaved_{error.cause}"], words["unsaved_then"]]
        if tries:
            parts.insert(1, words.filled("unsaved_again", tries=str(tries)))
        footer = Footer(
            on=Hint((words.cap("return"),), words["try_again"]),
            back=Hint((*caps, END_KEY.upper()), words["end_session"]),
        )
        picture = self._stage.picture(rest_layers(self._look, "\n\n".join(parts), footer))
        name = f"unsaved-{error.cause}{'-again' if tries else ''}"
        self._context.album.keep(name, self._stage, picture)
        shown_s = flipped_s = self._stage.frame(picture)
        patience_s = self._context.actor.patience_s
        try:
            while True:
                nap(POLL_S)
                for press in self._stage.presses():
                    if press.t_s > shown_s and (answer := _answer(press)) is not None:
                        return answer
                if patience_s is not None and time.perf_counter() - shown_s > patience_s:
                    return False
                if time.perf_counter() - flipped_s > REFLIP_S:
                    flipped_s = self._stage.frame(picture)
        finally:
            picture.free()


def _answer(press: Press) -> bool | None:
    """Return whether a press tries again or ends the session; None for any other."""
    if press.key in CONFIRM and not press.chord:
        return True
    return False if press.chord and press.key == END_KEY else None
