"""The day: the figures and sections of `status`, in the window."""

from functools import partial

from PyQt6.QtCore import QTimer, pyqtSignal
from PyQt6.QtGui import QKeySequence, QShortcut
from PyQt6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from experiments.launch.gui.aside import attempted, later
from experiments.launch.gui.look import Look, Message, button, card, filled, label, word
from experiments.launch.gui.sections import alarm, section_card
from participants.command_line import opened_lab
from participants.day.figures import Day, day_of
from participants.day.sections import Figure, clock_time, figures_of, load_day_words, sections_of
from participants.folder import LabFolder
from participants.texts.rig import RigWords
from participants.texts.translation import translated_in

EVERY_MS = 60_000
PAGE_MARGIN, BETWEEN, SCROLL_BAR_PX = 16, 12, 18


class TodayPage(QWidget):
    """Shows the lab's day; while open, it updates every minute."""

    back_asked = pyqtSignal()

    def __init__(self, look: Look, lab: LabFolder) -> None:
        super().__init__()
        self._look, self._lab = look, lab
        self._day: Day | None = None
        self._spoken: RigWords | None = None
        self.heading, self.words = label(name="title"), Message()
        self.look_again, self.back = button(), button("primary")
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        row = filled(QHBoxLayout(), self.back, (self.words, 1), 0, self.look_again)
        layout, parts = QVBoxLayout(self), (self.heading, (self.area, 1), row)
        filled(layout, *parts, margin_px=look.px(PAGE_MARGIN), between_px=look.px(BETWEEN))
        self.look_again.clicked.connect(self.look_at_day)
        self.back.clicked.connect(self.back_asked)
        QShortcut(QKeySequence("Esc"), self).activated.connect(self.back.click)
        self._timer = QTimer(self)
        # A method, not a function: Qt lets go of it when the page is deleted.
        self._timer.timeout.connect(self._look_while_shown)
        self._timer.start(EVERY_MS)

    def retranslate(self, words: RigWords) -> None:
        """Show all words in another language; ``words`` are the window's."""
        self.back.setText(words["back"])
        self.look_again.setText(words["look_again"])
        self._spoken = load_day_words(words.language, self._lab.texts)
        self.words.retranslate(self._spoken)
        self._show()

    def _look_while_shown(self) -> None:
        if self.isVisible():
            self.look_at_day()

    def look_at_day(self) -> None:
        """Read registry and journals in another thread."""
        self.area.setFocus()
        if self._day is None and self._spoken is not None:
            self.words.tell(word("reading"), "warn")
        later(self, partial(attempted, partial(_day_here, self._lab)), self._learn)

    def _learn(self, attempt: tuple[Day | None, str]) -> None:
        day, refusal = attempt
        self._day = day or self._day
        self.words.tell(partial(translated_in, refusal), "fail")
        self._show()

    def _show(self) -> None:
        """Show the day, and keep the scroll position."""
        day, words, bar = self._day, self._spoken, self.area.verticalScrollBar()
        if day is None or words is None or bar is None:
            return
        at = bar.value()
        self.heading.setText(f"{words['title']}: {clock_time(day.now, words)}")
        self.area.setWidget(self._inside(day, words))
        bar.setValue(at)

    def _inside(self, day: Day, words: RigWords) -> QWidget:
        inside, look = QWidget(), self._look
        inside.setObjectName("inside")
        between_px = look.px(BETWEEN)
        figures = [(self._figure(figure), 1) for figure in figures_of(day, words)]
        row = filled(QHBoxLayout(), *figures, between_px=between_px)
        whole = filled(QVBoxLayout(inside), row, between_px=between_px)
        # Cards end before the scroll bar.
        whole.setContentsMargins(0, 0, between_px, 0)
        sides = [QVBoxLayout(), QVBoxLayout()]
        lengths = [0, 0]
        for section in sections_of(day, words):
            section_view = section_card(self._look, section, words)
            if least_width_px(section_view) > self._column_px:
                # Its table is too wide for a column: it has the whole width, above them.
                whole.addWidget(section_view)
                continue
            # Into the shorter column, as a browser would.
            shorter = lengths.index(min(lengths))
            lengths[shorter] += 3 + len(section.rows) + len(section.lines)
            sides[shorter].addWidget(section_view)
        columns = [(filled(side, 1, between_px=between_px), 1) for side in sides]
        whole.addLayout(filled(QHBoxLayout(), *columns, between_px=between_px))
        return inside

    @property
    def _column_px(self) -> int:
        """Width of each of two columns beside a scroll bar."""
        inside = self.width() - self._look.px(2 * PAGE_MARGIN + 3 * BETWEEN) - SCROLL_BAR_PX
        return inside // 2

    def _figure(self, figure: Figure) -> QWidget:
        value = label(figure.value, "title")
        if figure.alarm:
            alarm(value)
        return card(self._look, label(figure.name, "quiet"), value)


def least_width_px(widget: QWidget) -> int:
    """Return the least width of a widget that isn't shown yet, with the application's style."""
    for part in (widget, *widget.findChildren(QWidget)):
        part.ensurePolished()
    return widget.minimumSizeHint().width()


def _day_here(lab: LabFolder) -> Day:
    """Return the day, without naming anybody's arm."""
    with opened_lab(lab.root) as (place, registry):
        return day_of(place, registry)
