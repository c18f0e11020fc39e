"""How far the running session is, on the PC's second screen."""

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QGuiApplication, QScreen
from PyQt6.QtWidgets import QVBoxLayout, QWidget

from experiments.launch.gui.look import Look, label
from participants.folder import DataFolder
from participants.texts.rig import RigWords
from participants.watching.following import Followed, running_sessions
from participants.watching.sentences import remarks, utc_now, where, who
from stimuli.errors import UserError

EVERY_MS = 1000
FAR = 2.0
"""So many times larger than on the first screen: it is read from across the room."""


class SessionView(QWidget):
    """A window that never takes the keyboard; it reads the session's journal every second."""

    def __init__(self, look: Look, data: DataFolder, words: RigWords) -> None:
        super().__init__(
            None,
            Qt.WindowType.Tool
            | Qt.WindowType.FramelessWindowHint
            | Qt.WindowType.WindowDoesNotAcceptFocus,
        )
        self.setObjectName("window")
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._data, self._words = data, words
        self._followed: Followed | None = None
        far = Look(look.scale * FAR)
        self.setStyleSheet(far.style())
        self.who, self.where, self.remarks = label(name="quiet"), label(name="title"), label()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*[look.px(48)] * 4)
        layout.setSpacing(look.px(18))
        for part in (self.who, self.where, self.remarks):
            layout.addWidget(part)
        layout.addStretch(1)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.look_again)

    def show_on(self, screen: QScreen) -> None:
        """Fill a screen, and look every second until it is closed."""
        self.setGeometry(screen.geometry())
        self.look_again()
        self.show()
        self._timer.start(EVERY_MS)

    def stop(self) -> None:
        """Close it."""
        self._timer.stop()
        self.close()

    def look_again(self) -> None:
        """Show how far the session is now."""
        if self._followed is None:
            paths = next(running_sessions(self._data), None)
            self._followed = None if paths is None else Followed(self._data, paths)
        try:
            seen = None if self._followed is None else self._followed.progress()
        except UserError as unreadable:
            self.remarks.setText(str(unreadable))
            return
        if seen is None:
            self.where.setText(self._words["starting"])
            return
        now = utc_now()
        self.who.setText(who(seen, self._words))
        self.where.setText(where(seen, self._words))
        self.remarks.setText("\n".join(remarks(seen, self._words, now)))


def second_screen() -> QScreen | None:
    """Return a screen on which no session is shown; None if there is one screen only."""
    main = QGuiApplication.primaryScreen()
    return next((screen for screen in QGuiApplication.screens() if screen is not main), None)
