"""How the start window looks: sizes that follow the screen, colours, common widgets, and the bar.

The bar above the pages shows the three steps and the PC. It has buttons for the page of the day and
for the other language.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from experiments.rig.checks.finding import Status
from participants.texts.rig import RigWords

DESIGNED_FOR_PX: Final = (1280, 720)
MOST: Final = 2.5
CONTROL: Final = 32
"""Least height of buttons and fields."""
SIGNS: Final[dict[Status, tuple[str, str]]] = {
    "fail": ("✕", "#a1261e"),
    "warn": ("!", "#855400"),
    "pass": ("✓", "#1a6b3c"),
}
"""Sign and colour of each status."""

STYLE: Final = """
* {{ font-size: {text}px; color: #1b1f24; }}
QWidget#window, QDialog, QScrollArea, QWidget#inside {{ background: #f2f4f7; }}
QScrollArea {{ border: 2px solid transparent; }}
QScrollArea:focus {{ border: 2px solid #0b57d0; border-radius: {small}px; }}
QFrame#card, QFrame#card QScrollArea, QFrame#card QWidget#inside {{ background: #ffffff; }}
QFrame#card {{ border: 1px solid #cfd6de; border-radius: {round}px; }}
QFrame#bar {{ background: #ffffff; border-bottom: 1px solid #cfd6de; }}
QLabel#title {{ font-size: {title}px; font-weight: 600; }}
QLabel#heading {{ font-size: {heading}px; font-weight: 600; }}
QLabel#code {{ font-family: monospace; font-size: {code}px; font-weight: 600; }}
QLabel#quiet {{ color: #4f5863; }}
QLabel#step {{ color: #5b6570; }}
QLabel#step[here="true"] {{ color: #0b4fb3; font-weight: 600; }}
QLabel#words[status="fail"] {{ color: #a1261e; }}
QLabel#words[status="warn"] {{ color: #855400; }}
QLabel#words[status="pass"] {{ color: #1a6b3c; }}
QLineEdit, QPlainTextEdit, QListWidget, QTreeWidget {{
    background: #ffffff; border: 1px solid #8b95a1; border-radius: {small}px; padding: {pad}px;
}}
QLineEdit:focus, QPlainTextEdit:focus, QListWidget:focus, QTreeWidget:focus {{
    border: 2px solid #0b57d0;
}}
QLineEdit#code {{ font-family: monospace; font-size: {code}px; }}
QListWidget::item {{ padding: {pad}px; border-radius: {small}px; }}
QTreeWidget::item {{ padding: {tight}px {pad}px; }}
QListWidget::item:selected, QTreeWidget::item:selected {{ background: #dce8fb; color: #1b1f24; }}
QCheckBox {{ spacing: {pad}px; padding: {tight}px; border: 2px solid transparent; }}
QCheckBox:focus {{ border: 2px solid #0b57d0; border-radius: {small}px; }}
QCheckBox::indicator {{ width: {heading}px; height: {heading}px; }}
QCheckBox::indicator:unchecked {{
    width: {inside}px; height: {inside}px;
    background: #ffffff; border: 1px solid #6b7580; border-radius: {tight}px;
}}
QComboBox, QDateTimeEdit {{ min-height: {control}px; }}
QComboBox:disabled {{ color: #767f89; background: #e9ecf0; }}
QPushButton {{
    background: #ffffff; border: 1px solid #8b95a1; border-radius: {small}px;
    padding: {pad}px {wide}px;
}}
QPushButton:hover {{ background: #eef2f7; }}
QPushButton:focus {{ border: 2px solid #0b57d0; }}
QPushButton:disabled {{ color: #767f89; background: #e9ecf0; border-color: #cfd6de; }}
QPushButton#primary {{ background: #0b57d0; color: #ffffff; border-color: #0b57d0; }}
QPushButton#primary:hover {{ background: #0a4cb8; }}
QPushButton#primary:focus {{ border: 2px solid #1b1f24; }}
QPushButton#primary:disabled {{ color: #5b6570; background: #d7dde4; border-color: #d7dde4; }}
QPushButton#danger {{ color: #a1261e; border-color: #a1261e; }}
QPushButton#danger:disabled {{ color: #767f89; border-color: #cfd6de; }}
"""
STEPS = ("who", "ready", "after")


@dataclass(frozen=True, slots=True)
class Look:
    """Sizes for a screen.

    Attributes
    ----------
    scale
        Scale of all sizes; 1 on a screen of 1280 × 720.
    """

    scale: float

    @classmethod
    def for_screen(cls, width_px: int, height_px: int) -> "Look":
        """Return the sizes for a screen."""
        fits = min(width_px / DESIGNED_FOR_PX[0], height_px / DESIGNED_FOR_PX[1])
        return cls(min(max(fits, 0.8), MOST))

    def px(self, size: float) -> int:
        """Convert a size of the design to pixels on this screen."""
        return round(size * self.scale)

    def style(self) -> str:
        """Return Qt's style sheet."""
        sizes = {
            "text": 15, "heading": 18, "title": 21, "code": 24, "pad": 7, "tight": 2, "wide": 16,
            "small": 5, "round": 8, "control": CONTROL,
        }  # fmt: skip
        scaled = {name: self.px(size) for name, size in sizes.items()}
        # A frame of one pixel lies around it.
        return STYLE.format(**scaled, inside=scaled["heading"] - 2)


def label(text: str = "", name: str = "") -> QLabel:
    """Return a label that wraps its lines; its name selects its style."""
    widget = QLabel(text)
    widget.setObjectName(name)
    widget.setWordWrap(True)
    widget.setTextFormat(Qt.TextFormat.PlainText)
    return widget


def button(name: str = "") -> QPushButton:
    """Return a button; its name selects its style."""
    widget = QPushButton()
    widget.setObjectName(name)
    return widget


LEFT: Final = Qt.AlignmentFlag.AlignLeft
Placed = QWidget | QLayout | int | tuple[Any, ...]
"""A part of a layout; an empty room that grows by a factor; or a part with its factor, and where
it lies in its room."""
Box = TypeVar("Box", bound=QBoxLayout)


def filled(
    layout: Box, *parts: Placed, margin_px: int | None = None, between_px: int | None = None
) -> Box:
    """Return a layout with parts in order.

    Parameters
    ----------
    layout
        The row or column.
    parts
        What lies in it.
    margin_px, between_px
        Room around all parts, and between them; as usual if None.
    """
    if margin_px is not None:
        layout.setContentsMargins(*[margin_px] * 4)
    if between_px is not None:
        layout.setSpacing(between_px)
    for part in parts:
        whole, *how = part if isinstance(part, tuple) else (part,)
        if isinstance(whole, int):
            layout.addStretch(whole)
        elif isinstance(whole, QLayout):
            layout.addLayout(whole, *how)
        else:
            layout.addWidget(whole, *how)
    return layout


def card(look: Look, *parts: Placed) -> QFrame:
    """Return a white frame with parts in a column; see `filled`."""
    frame = QFrame()
    frame.setObjectName("card")
    filled(QVBoxLayout(frame), *parts, margin_px=look.px(14), between_px=look.px(8))
    return frame


def show_words(words: QLabel, text: str, status: Status = "pass") -> None:
    """Show a text in a status's colour; hide the label if the text is empty."""
    words.setText(text)
    words.setVisible(bool(text))
    set_property(words, "status", status)


def keep_room(widget: QWidget) -> None:
    """Keep the room of a widget while it is hidden, so that nothing moves when it appears."""
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    widget.setSizePolicy(policy)


Say = Callable[[RigWords], str]
"""What is said, in the words of a language."""


def word(name: str, **values: str) -> Say:
    """Return what says words of the window, with their placeholders filled."""
    return lambda words: words.filled(name, **values)


class Message(QLabel):
    """What came of a request, in a status's colour; hidden if there is nothing to say.

    Its room of one line stays, so that the buttons beside it don't move.
    """

    def __init__(self) -> None:
        super().__init__()
        keep_room(self)
        self.setObjectName("words")
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._spoken: RigWords
        self._say: Say | None = None

    def tell(self, say: Say, status: Status = "pass") -> None:
        """Say something in a status's colour."""
        self._say = say
        show_words(self, say(self._spoken), status)

    def clear(self) -> None:
        """Say nothing."""
        self._say = None
        show_words(self, "")

    def retranslate(self, words: RigWords) -> None:
        """Say the same in another language."""
        self._spoken = words
        if self._say is not None:
            self.setText(self._say(words))


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Set a property that the style sheet uses, and redraw the widget."""
    widget.setProperty(name, value)
    style = widget.style()
    if style is not None:
        style.unpolish(widget)
        style.polish(widget)


class Rows(QTreeWidget):
    """Rows of which one is chosen: by Tab none is, and then an arrow key chooses the first."""

    chosen = pyqtSignal(QTreeWidgetItem)

    def __init__(self) -> None:
        super().__init__()
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.itemSelectionChanged.connect(self._tell)

    def _tell(self) -> None:
        for item in self.selectedItems():
            self.chosen.emit(item)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        """Choose the row that has the keyboard, if none is chosen; else as usual."""
        arrows = Qt.Key.Key_Down, Qt.Key.Key_Up
        if event is not None and event.key() in arrows and not self.selectedItems():
            self.setCurrentItem(self.currentItem() or self.topLevelItem(0))
        else:
            super().keyPressEvent(event)


class Page(QWidget):
    """A page that takes nothing while something is done; the keyboard then stays where it was."""

    def __init__(self) -> None:
        super().__init__()
        self._had: QWidget | None = None

    def hold(self) -> None:
        """Take no request for now."""
        if self.isEnabled():
            self._had = self.focusWidget()
        self.setEnabled(False)

    def release(self) -> None:
        """Take the next request; what had the keyboard has it again."""
        held = not self.isEnabled()
        self.setEnabled(True)
        if held and self._had is not None:
            self._had.setFocus()


class Bar(QFrame):
    """Shows the current step; the window connects its buttons."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("bar")
        self._title, self._rig = label(name="title"), label(name="quiet")
        self._steps = [label(name="step") for _ in STEPS]
        self.language, self.today, self.people = button(), button(), button()
        for beside in (self.today, self.people):
            keep_room(beside)
        for part in (self._title, *self._steps, self._rig):
            part.setWordWrap(False)
        last = (self._rig, self.people, self.today, self.language)
        row = filled(QHBoxLayout(self), self._title, *self._steps, 1, *last)
        row.setContentsMargins(look.px(16), look.px(8), look.px(16), look.px(8))
        row.setSpacing(look.px(13))

    def show_step(self, page: int) -> None:
        """Mark a page's step; pages beside the steps have none, and hide their button."""
        for at, step in enumerate(self._steps):
            set_property(step, "here", at == page)
        self.today.setVisible(page != len(self._steps))
        self.people.setVisible(page <= len(self._steps))

    def name_of(self, page: int, words: RigWords) -> str:
        """Return a page's name in one line."""
        beside = [words["show_today"].replace("&", ""), words["people_title"]]
        name = [*(step.text() for step in self._steps), *beside][page]
        return " ".join(name.split())

    def retranslate(self, words: RigWords, rig: str, next_language: str) -> None:
        """Show all words in another language.

        `rig` is this PC's name; `next_language` names, in itself, the language that comes next.
        """
        self._title.setText(words["title"])
        self._rig.setText(words.filled("rig", rig=rig))
        self.language.setText(f"&{next_language}")
        self.today.setText(words["show_today"])
        self.people.setText(words["show_people"])
        for step, name in zip(self._steps, STEPS, strict=True):
            step.setText(words[f"step_{name}"])
