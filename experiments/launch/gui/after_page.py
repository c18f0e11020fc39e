"""The third page: what happened, a note, withdrawal, and who comes next."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtGui import QKeySequence, QShortcut
from PyQt6.QtWidgets import QComboBox, QHBoxLayout, QPlainTextEdit, QVBoxLayout

from experiments.launch.gui.look import (
    Look,
    Message,
    Page,
    Say,
    button,
    card,
    filled,
    label,
    word,
)
from experiments.launch.starting import REPLACED, Ended, Outcome, ProcessOutput
from experiments.rig.checks.finding import Status
from experiments.session.preflight import OR_OVERRIDE
from participants.command_line import whole_minute_from
from participants.day.disqualified import why_disqualified
from participants.day.sections import load_day_words
from participants.registry.sessions import MAIN
from participants.registry.tables import NOTE_KINDS, REMARK
from participants.texts.rig import RigWords
from participants.texts.translation import translated_in

GOES_ON = frozenset({"refused", "crashed", "stopped", "left"})
"""Endings after which the same person may continue at once."""
MANY: Final = 0.05
"""Share of flagged trials above which somebody should look at the PC."""
LAST_LINES = 3
"""Number of lines shown of a withdrawal's output."""


class AfterPage(Page):
    """Shows a session's outcome, and holds the note until it is kept."""

    note_asked = pyqtSignal()
    withdrawal_asked = pyqtSignal()
    again_asked = pyqtSignal()
    next_asked = pyqtSignal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._ended: Ended | None = None
        self._removed = False
        self.code, self.ending = label(name="code"), label(name="title")
        self.more, self.said = label(), label()
        self._note_label, self._kind_label = label(name="heading"), label(name="quiet")
        self.note, self.kind = QPlainTextEdit(), QComboBox()
        self.note.setTabChangesFocus(True)
        self.note.setFixedHeight(look.px(84))
        self._note_label.setBuddy(self.note)
        self._kind_label.setBuddy(self.kind)
        self.words = Message()
        self.keep, self.withdraw = button(), button("danger")
        self.again, self.next = button(), button("primary")
        self._lay_out(look)
        self.keep.clicked.connect(self.note_asked)
        self.withdraw.clicked.connect(self.withdrawal_asked)
        self.again.clicked.connect(self.again_asked)
        self.next.clicked.connect(self.next_asked)
        QShortcut(QKeySequence("Ctrl+Return"), self).activated.connect(self.next.click)

    def _lay_out(self, look: Look) -> None:
        above = card(look, self.code, self.ending, self.more, self.said)
        self._kind_label.setWordWrap(False)
        row = filled(QHBoxLayout(), self._kind_label, self.kind, self.keep, 1)
        self._note = card(look, self._note_label, self.note, row)
        last = (self.withdraw, 1, self.again, self.next)
        parts = (above, self._note, self.words, 1, filled(QHBoxLayout(), *last))
        filled(QVBoxLayout(self), *parts, margin_px=look.px(16), between_px=look.px(12))

    @property
    def person(self) -> str:
        """Code of the person whose session has ended."""
        return "" if self._ended is None else self._ended.outcome.code

    @property
    def written(self) -> tuple[str, str] | None:
        """Kind and text of the note that isn't kept yet; None if there is none."""
        text = self.note.toPlainText().strip()
        return (NOTE_KINDS[self.kind.currentIndex()], text) if text else None

    def show_ended(self, ended: Ended, words: RigWords) -> None:
        """Show a session's outcome."""
        self._ended, self._removed = ended, False
        self.release()
        self._note.setVisible(True)
        self.note.clear()
        self.kind.setCurrentIndex(NOTE_KINDS.index(REMARK))
        self.words.clear()
        self.retranslate(words)
        self.again.setVisible(ended.outcome.ending in GOES_ON)
        self.withdraw.setVisible(bool(ended.outcome.session))
        self.next.setFocus()

    def show_withdrawn(self, output: ProcessOutput, words: RigWords) -> None:
        """Show what a withdrawal has kept, or why it failed."""
        done = output.status == 0
        self._removed = done
        self.retranslate(words)
        self.say(partial(last_lines, output), "pass" if done else "fail")
        self.withdraw.setVisible(not done)
        # A note on somebody who was removed would name them again.
        self._note.setVisible(not done)
        self.again.setVisible(False)
        self.next.setFocus()

    def show_kept(self, text: str) -> None:
        """Show that a note was kept."""
        self.note.clear()
        self.say(word("note_kept", text=text), "pass")

    def show_busy(self, name: str) -> None:
        """Show what is being done, by its name; the page takes no request meanwhile."""
        self.hold()
        self.words.tell(word(name), "warn")

    def say(self, say: Say, status: Status = "fail") -> None:
        """Show what came of a request; the page takes the next one."""
        self.release()
        self.words.tell(say, status)

    def take(self) -> None:
        """Take the next request; the message about the last one goes."""
        self.release()
        self.words.clear()

    def retranslate(self, words: RigWords) -> None:
        """Show all words in another language."""
        self.words.retranslate(words)
        self._note_label.setText(words["note"])
        self._kind_label.setText(words["note_kind"])
        at = max(self.kind.currentIndex(), 0)
        self.kind.clear()
        self.kind.addItems([words[f"kind_{kind}"] for kind in NOTE_KINDS])
        self.kind.setCurrentIndex(at)
        for control, name in (
            (self.keep, "note_keep"), (self.withdraw, "withdraw"), (self.again, "again"),
            (self.next, "next_person"),
        ):  # fmt: skip
            control.setText(words[name])
        if self._ended is not None:
            self._tell(self._ended, words)

    def _tell(self, ended: Ended, words: RigWords) -> None:
        outcome, comes_again_utc = ended.outcome, ended.comes_again_utc
        self.code.setText(outcome.code)
        sittings = {"sitting": str(outcome.sitting), "sittings": str(outcome.sittings)}
        ending = "removed" if self._removed else outcome.ending
        self.ending.setText(words.filled(f"ending_{ending}", **sittings))
        more = [*_replaced(outcome, words)]
        if comes_again_utc and outcome.ending in ("sitting", "left", "stopped"):
            more.append(words.filled("comes_again", time=whole_minute_from(comes_again_utc)))
        more += _frames(outcome, words)
        self.more.setText(" ".join(more))
        self.more.setVisible(bool(more) and not self._removed)
        # The window asks for the reason; the option is for the terminal.
        lines = (translated_in(line.removesuffix(OR_OVERRIDE), words) for line in outcome.lines)
        self.said.setText("\n".join(lines))
        self.said.setVisible(bool(outcome.lines) and not self._removed)


def _replaced(outcome: Outcome, words: RigWords) -> Iterator[str]:
    """Yield why somebody was disqualified, and whether another person is needed."""
    if outcome.ending not in REPLACED:
        return
    day = load_day_words(words.language, words.lab_texts)
    if outcome.missed is not None:
        yield why_disqualified(outcome.missed, outcome.purpose, day)
    elif outcome.purpose != MAIN:
        yield day["nobody_replaces"]
    if outcome.purpose == MAIN:
        yield words["replacement"]


def _frames(outcome: Outcome, words: RigWords) -> Iterator[str]:
    """Yield how many trials are flagged, by cause, and whether somebody should know."""
    if outcome.trials and not outcome.flagged:
        yield words["frames_fine"]
    causes = {"flagged_lost": outcome.lost, "flagged_other": outcome.flagged - outcome.lost}
    for name, count in causes.items():
        if count:
            yield words.filled(name, count=str(count), trials=str(outcome.trials))
    if outcome.flagged:
        many = outcome.flagged > MANY * outcome.trials
        yield words["flagged_many" if many else "flagged_few"]


def output_lines(output: ProcessOutput, words: RigWords) -> str:
    """Return all that a command said, in the window's language."""
    return "\n".join(translated_in(line, words) for line in output.lines)


def last_lines(output: ProcessOutput, words: RigWords) -> str:
    """Return the last lines of what a command said, in the window's language."""
    lines = (output.err if output.status else output.out).strip().splitlines()[-LAST_LINES:]
    return "\n".join(translated_in(line, words) for line in lines)
