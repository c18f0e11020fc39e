"""The start window's second page: what is next, the PC's fitness, the checklist, and Start.

The colour checklist has a box to tick for each point, and fields for distance and light.
"""

from collections.abc import Iterable, Mapping
from itertools import chain

from PyQt6 import QtWidgets
from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QDoubleValidator, QKeySequence, QShortcut

from experiments.launch.examination import Entered, Examined, Line, Readiness
from experiments.launch.gui.look import (
    LEFT,
    SIGNS,
    Look,
    Page,
    button,
    card,
    filled,
    keep_room,
    label,
    show_words,
)
from experiments.rig.checklist import DISTANCE, LIGHT, MUST_HOLD, PLAUSIBLE, is_plausible
from experiments.rig.checks.finding import Status
from participants.texts import ChecklistText
from participants.texts.load import written_number
from participants.texts.rig import RigWords

TWO_LINES_PX = 40
"""Height of two lines, before scaling: most of what the page says has no more, so nothing moves."""
MAY_START: Mapping[Status, str] = {
    "pass": "may_start",
    "warn": "may_start_warned",
    "fail": "may_start_unfit",
}
"""What is said of a session that may begin, by the worst line about the PC."""


class ChecklistView(QtWidgets.QWidget):
    """A box to tick for each point, and a button that ticks them all."""

    changed = pyqtSignal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("inside")
        self.points = {point: QtWidgets.QCheckBox() for point in MUST_HOLD}
        self.all = button()
        self.values = {name: QtWidgets.QLineEdit() for name in (DISTANCE, LIGHT)}
        self._labels = {name: label(name="quiet") for name in self.values}
        for point in self.points.values():
            point.toggled.connect(lambda _: self.changed.emit())
        for name, field in self.values.items():
            field.setValidator(QDoubleValidator())
            field.setFixedWidth(look.px(72))
            self._labels[name].setWordWrap(False)
        asked = chain.from_iterable((self._labels[name], self.values[name]) for name in self.values)
        row = filled(QtWidgets.QHBoxLayout(), *asked, 1, self.all, between_px=look.px(8))
        row.setContentsMargins(0, look.px(8), 0, 0)
        layout = QtWidgets.QVBoxLayout(self)
        filled(layout, *self.points.values(), row, 1, margin_px=0, between_px=look.px(1))
        self.all.clicked.connect(self.tick_all)

    @property
    def ticked(self) -> frozenset[str]:
        """Names of the ticked points."""
        return frozenset(point for point, box in self.points.items() if box.isChecked())

    @property
    def numbers(self) -> dict[str, float]:
        """Distance (cm) and light (lux), if plausible."""
        typed = {name: field.text().replace(",", ".") for name, field in self.values.items()}
        known = ((name, _number(text)) for name, text in typed.items())
        return {
            name: value for name, value in known if value is not None and is_plausible(name, value)
        }

    def tick_all(self) -> None:
        """Confirm every point."""
        for point in self.points.values():
            point.setChecked(True)

    def begin_again(self, values: Mapping[str, float], *, measured: bool) -> None:
        """Untick every point: another person has come, and the room may have changed."""
        for point in self.points.values():
            point.blockSignals(True)
            point.setChecked(False)
            point.blockSignals(False)
        for name, field in self.values.items():
            field.setText(f"{values[name]:g}" if name in values else "")
        self.values[DISTANCE].setEnabled(not measured)

    def retranslate(self, text: ChecklistText, words: RigWords, distance: float | None) -> None:
        """Show all words in another language, and the distance in cm if it was measured."""
        at = text.words["at_some_distance"]
        if distance is not None:
            at = text.word("at_distance", cm=written_number(distance, words.language))
        for point, box in self.points.items():
            box.setText(text.items[point].replace("{distance}", at).replace("&", "&&"))
        self.all.setText(words["checklist_all"])
        for name, field_label in self._labels.items():
            field_label.setText(words[name])
            limits = (written_number(limit, words.language) for limit in PLAUSIBLE[name])
            self.values[name].setToolTip("–".join(limits))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


class ReadyPage(Page):
    """Shows whether the session may begin; emits a signal when an entry changes."""

    changed = pyqtSignal()
    """Emitted when an entry other than the language has changed."""
    language_chosen = pyqtSignal(str)
    start_asked = pyqtSignal()
    back_asked = pyqtSignal()
    doctor_asked = pyqtSignal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.code, self.about = label(name="code"), label()
        self.language, self._language_label = QtWidgets.QComboBox(), label(name="quiet")
        self._language_label.setBuddy(self.language)
        self._pc_heading, self._list_heading = label(name="heading"), label(name="heading")
        self._lines, self._lines_layout = _inside()
        self.checklist = ChecklistView(look)
        self.doctor, self.back, self.start = button(), button(), button("primary")
        self.reason, self._reason_label = QtWidgets.QLineEdit(), label(name="quiet")
        self._reason_label.setBuddy(self.reason)
        self.words = label(name="words")
        self._lay_out(look)
        self.checklist.changed.connect(self.changed)
        self.reason.textChanged.connect(lambda _: self.changed.emit())
        self.language.activated.connect(lambda _: self.language_chosen.emit(self.chosen_language))
        self.start.clicked.connect(self.start_asked)
        self.back.clicked.connect(self.back_asked)
        self.doctor.clicked.connect(self.doctor_asked)
        # A bar-code reader sends Enter at the end: Enter must not start a session.
        shortcut = QShortcut(QKeySequence("Ctrl+Return"), self)
        shortcut.activated.connect(self.start.click)
        QShortcut(QKeySequence("Esc"), self).activated.connect(self.back.click)

    def _lay_out(self, look: Look) -> None:
        self.code.setWordWrap(False)
        self._language_label.setWordWrap(False)
        who = (self.code, (self.about, 1), self._language_label, self.language)
        above = card(look, filled(QtWidgets.QHBoxLayout(), *who, between_px=look.px(20)))
        lines = _scrolled(self._lines)
        # No line takes the focus, so the area must: arrow keys scroll what has it.
        lines.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        left = card(look, self._pc_heading, (lines, 1), (self.doctor, 0, LEFT))
        self._points = card(look, self._list_heading, (_scrolled(self.checklist), 1))
        sides = ((left, 5), (self._points, 8))
        columns = filled(QtWidgets.QHBoxLayout(), *sides, between_px=look.px(12))
        layout, parts = QtWidgets.QVBoxLayout(self), (above, (columns, 1), self._below(look))
        filled(layout, *parts, margin_px=look.px(16), between_px=look.px(12))

    def _below(self, look: Look) -> QtWidgets.QVBoxLayout:
        for part in (self.reason, self._reason_label):
            keep_room(part)
        self.words.setMinimumHeight(look.px(TWO_LINES_PX))
        why = filled(QtWidgets.QHBoxLayout(), (self._reason_label, 2), (self.reason, 3))
        row = filled(QtWidgets.QHBoxLayout(), self.back, (self.words, 1), self.start)
        return filled(QtWidgets.QVBoxLayout(), why, row, between_px=look.px(8))

    @property
    def entered(self) -> Entered:
        """What was entered."""
        return Entered(self.checklist.ticked, self.checklist.numbers, self.reason.text().strip())

    def begin(self, examination: Examined) -> None:
        """Show the empty page for a person whose session was examined."""
        self.reason.blockSignals(True)
        self.reason.clear()
        self.reason.blockSignals(False)
        self.checklist.begin_again(examination.values, measured=examination.measured)

    def show_person(self, code: str, about: str) -> None:
        """Show the person's code, and a text about the session."""
        self.code.setText(code)
        self.about.setText(about)

    @property
    def chosen_language(self) -> str:
        """Tag of the language that is chosen."""
        return str(self.language.currentData())

    def show_languages(self, offered: Mapping[str, str], chosen: str, why_one: str) -> None:
        """Show the names of the languages on offer, by tag, or why there is only one."""
        self.language.clear()
        for language, name in offered.items():
            self.language.addItem(name, language)
        self.language.setCurrentText(offered[chosen])
        self.language.setEnabled(len(offered) > 1)
        self.language.setToolTip(why_one)

    def show_lines(self, lines: Iterable[Line]) -> None:
        """Show the results of the doctor and the checks."""
        while (item := self._lines_layout.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for line in lines:
            self._lines_layout.addWidget(_line(line, self._look))
        self._lines_layout.addStretch(1)

    def show_checklist(self, *, needed: bool) -> None:
        """Show the checklist if it is needed."""
        self._points.setVisible(needed)

    def show_readiness(self, readiness: Readiness, words: RigWords, worst: Status) -> None:
        """Show whether the session may begin, and why not; `worst` is of the lines about the PC."""
        self.start.setEnabled(readiness.may_start)
        self.reason.setVisible(readiness.needs_reason)
        self._reason_label.setVisible(readiness.needs_reason)
        if readiness.may_start and not readiness.words:
            name = "may_start_reason" if readiness.needs_reason else MAY_START[worst]
            fine = name in (MAY_START["pass"], MAY_START["warn"])
            show_words(self.words, words[name], "pass" if fine else "warn")
        elif readiness.unticked:
            show_words(self.words, words["tick_points"], "warn")
        else:
            show_words(self.words, readiness.words, "warn" if readiness.may_start else "fail")

    def show_busy(self, text: str) -> None:
        """Show that an examination is running."""
        self.start.setEnabled(False)
        show_words(self.words, text, "warn")

    def retranslate(
        self, words: RigWords, text: ChecklistText, examination: Examined | None
    ) -> None:
        """Show all words in another language."""
        distance = (
            examination.values.get(DISTANCE) if examination and examination.measured else None
        )
        self._language_label.setText(words["language"])
        self._pc_heading.setText(words["this_pc"])
        self._list_heading.setText(text.words["title"])
        self._reason_label.setText(words["reason"])
        self.doctor.setText(words["doctor_run"])
        self.back.setText(words["back"])
        self.start.setText(words["start"])
        self.checklist.retranslate(text, words, distance)


def _inside() -> tuple[QtWidgets.QWidget, QtWidgets.QVBoxLayout]:
    inside = QtWidgets.QWidget()
    inside.setObjectName("inside")
    layout = QtWidgets.QVBoxLayout(inside)
    layout.setContentsMargins(0, 0, 0, 0)
    return inside, layout


def _scrolled(inside: QtWidgets.QWidget) -> QtWidgets.QScrollArea:
    area = QtWidgets.QScrollArea()
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(inside)
    return area


def _line(line: Line, look: Look) -> QtWidgets.QWidget:
    """Return a line with the sign of its status."""
    whole = QtWidgets.QWidget()
    whole.setObjectName("inside")
    sign, colour = SIGNS[line.status]
    mark = QtWidgets.QLabel(sign)
    mark.setStyleSheet(f"color: {colour}; font-weight: 600;")
    mark.setFixedWidth(look.px(16))
    mark.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignHCenter)
    row = QtWidgets.QHBoxLayout(whole)
    filled(row, mark, (label(line.text), 1), margin_px=0, between_px=look.px(8))
    return whole
