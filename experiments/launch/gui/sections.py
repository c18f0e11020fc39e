"""Sections of the day, and of a person, as cards."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QGridLayout, QLabel, QWidget

from experiments.launch.gui.look import SIGNS, Look, card, label
from participants.command_line import NOTHING
from participants.day.sections import Section, heading, number_columns
from participants.texts.rig import RigWords

LONG: Final = "text"
"""The column whose lines wrap."""


def section_card(look: Look, section: Section, words: RigWords) -> QWidget:
    """Return a section with its table and its lines."""
    title = label(section.title, "heading")
    if section.alarm:
        alarm(title)
    table = [_table(look, section.rows, words)] if section.rows else []
    return card(look, title, *table, *(label(line, "quiet") for line in section.lines))


def alarm(line: QLabel) -> None:
    """Mark something that needs attention, by a sign as well as a colour."""
    line.setText(f"! {line.text()}")
    line.setStyleSheet(f"color: {SIGNS['fail'][1]};")


def _table(look: Look, rows: Sequence[Mapping[str, Any]], words: RigWords) -> QGridLayout:
    grid, numbers = QGridLayout(), number_columns(rows)
    grid.setHorizontalSpacing(look.px(14))
    grid.setVerticalSpacing(look.px(4))
    for column, name in enumerate(rows[0]):
        values = [NOTHING if row[name] is None else str(row[name]) for row in rows]
        side = Qt.AlignmentFlag.AlignRight if name in numbers else Qt.AlignmentFlag.AlignLeft
        for line, text in enumerate([heading(name, words), *values]):
            cell = label(text, "quiet" if line == 0 else "")
            cell.setWordWrap(name == LONG)
            if text == words["when_overdue"]:
                cell.setStyleSheet(f"color: {SIGNS['fail'][1]};")
            cell.setAlignment(side | Qt.AlignmentFlag.AlignTop)
            grid.addWidget(cell, line, column)
    grid.setColumnStretch(len(rows[0]) - 1 if LONG in rows[0] else len(rows[0]), 1)
    return grid
