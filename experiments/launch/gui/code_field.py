"""The field for a person's code, which a bar-code reader may type."""

from typing import Final

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QLineEdit

from participants.registry.people import LENGTH

APART_MS: Final = 50
"""Signs of a reader of bar codes come faster than this; nobody types a whole code so fast."""
ENDS: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class CodeField(QLineEdit):
    """Takes a code. One that a reader types replaces what is there, wherever the cursor is."""

    def __init__(self) -> None:
        super().__init__()
        self._burst, self._last_ms = "", 0

    def keyPressEvent(self, a0: QKeyEvent | None) -> None:  # noqa: N802
        """Follow how fast signs come; at the Enter of a reader only its code is left."""
        if a0 is not None:
            if a0.timestamp() - self._last_ms > APART_MS:
                self._burst = ""
            self._last_ms = a0.timestamp()
            if a0.key() in ENDS:
                if len(self._burst) >= LENGTH:
                    self.setText(self._burst)
                self._burst = ""
            elif a0.text().isprintable():
                self._burst += a0.text()
            else:
                # A chord or Backspace is a hand's.
                self._burst = ""
        super().keyPressEvent(a0)
