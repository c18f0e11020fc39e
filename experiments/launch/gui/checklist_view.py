"""The colour checklist, to be ticked; distance and light beside it."""

from collections.abc import Mapping

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtGui import QDoubleValidator
from PyQt6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from experiments.launch.gui.look import Look, button, label
from experiments.rig.checklist.answers import DISTANCE, LIGHT, MUST_HOLD, PLAUSIBLE, is_plausible
from participants.texts import ChecklistText
from participants.texts.rig import RigWords


class ChecklistView(QWidget):
    """A box to tick for each point, and a button that ticks them all."""

    changed = pyqtSignal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("inside")
        self.points = {point: QCheckBox() for point in MUST_HOLD}
        self.all = button()
        self.values = {name: QLineEdit() for name in (DISTANCE, LIGHT)}
        self._labels = {name: label(name="quiet") for name in self.values}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(look.px(1))
        for point in self.points.values():
            layout.addWidget(point)
            point.toggled.connect(lambda _: self.changed.emit())
        row = QHBoxLayout()
        row.setContentsMargins(0, look.px(8), 0, 0)
        row.setSpacing(look.px(8))
        for name, field in self.values.items():
            field.setValidator(QDoubleValidator())
            field.setFixedWidth(look.px(72))
            self._labels[name].setWordWrap(False)
            row.addWidget(self._labels[name])
            row.addWidget(field)
        row.addStretch(1)
        row.addWidget(self.all)
        layout.addLayout(row)
        layout.addStretch(1)
        self.all.clicked.connect(self.tick_all)

    @property
    def ticked(self) -> frozenset[str]:
        """Points that hold."""
        return frozenset(point for point, box in self.points.items() if box.isChecked())

    @property
    def numbers(self) -> dict[str, float]:
        """Distance (cm) and light (lux), as far as they are plausible."""
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
        """Untick every point: another person sits there, and the room may have changed."""
        for point in self.points.values():
            point.blockSignals(True)
            point.setChecked(False)
            point.blockSignals(False)
        for name, field in self.values.items():
            field.setText(f"{values[name]:g}" if name in values else "")
        self.values[DISTANCE].setEnabled(not measured)

    def retranslate(self, text: ChecklistText, words: RigWords, distance: float | None) -> None:
        """Show all words in another language; the distance in cm, if it was measured."""
        at = text.words["at_some_distance"]
        if distance is not None:
            at = text.word("at_distance", cm=f"{distance:g}")
        for point, box in self.points.items():
            box.setText(text.items[point].replace("{distance}", at).replace("&", "&&"))
        self.all.setText(words["checklist_all"])
        for name, shown in self._labels.items():
            shown.setText(words[name])
            least, most = PLAUSIBLE[name]
            self.values[name].setToolTip(f"{least:g}–{most:g}")


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
