"""Do work in a thread beside the window; hide the window while a session has the screen.

The window gets the result of the work. While a session runs, the PC's second screen shows its
progress.
"""

from collections.abc import Callable
from typing import TypeVar

from PyQt6.QtCore import QObject, QRunnable, Qt, QThreadPool, QTimer, pyqtSignal
from PyQt6.QtGui import QGuiApplication, QScreen
from PyQt6.QtWidgets import QVBoxLayout, QWidget

from experiments.launch.gui.look import Look, filled, label
from participants.folder import DataFolder, LabFolder
from participants.texts.rig import RigWords
from participants.texts.translation import translated_in
from participants.watching.following import Followed, running_sessions
from participants.watching.progress import remarks, utc_now, where, who
from stimuli.errors import UserError

Result = TypeVar("Result")
EVERY_MS = 1000
FAR = 2.0
"""Scale relative to the first screen: the view is read from across the room."""


class _Bell(QObject):
    """Emits a signal in the window's thread when the work is done."""

    rung = pyqtSignal(object, object)


class _Work(QRunnable):
    def __init__(self, work: Callable[[], object], bell: _Bell) -> None:
        super().__init__()
        self._work, self._bell = work, bell

    def run(self) -> None:
        """Do the work; an error in it is raised when the result is read."""
        result, failed = None, None
        try:
            result = self._work()
        except BaseException as error:
            failed = error
        self._bell.rung.emit(result, failed)


def later(parent: QObject, work: Callable[[], Result], then: Callable[[Result], None]) -> None:
    """Do work in a thread, then handle its result in the window's thread.

    Parameters
    ----------
    parent
        The object that the work is for; if it is gone, the result is dropped.
    work
        A function that may take long; it must not touch the window.
    then
        A function that gets the result.
    """
    bell = _Bell(parent)

    def learn(result: Result, failed: BaseException | None) -> None:
        bell.deleteLater()
        if failed is not None:
            raise failed
        then(result)

    bell.rung.connect(learn)
    pool = QThreadPool.globalInstance()
    assert pool is not None
    pool.start(_Work(work, bell))


def attempted(work: Callable[[], Result]) -> tuple[Result | None, str]:
    """Return the result of some work and an empty string, or None and a UserError's line."""
    try:
        return work(), ""
    except UserError as mistake:
        return None, str(mistake)


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
        parts = (self.who, self.where, self.remarks, 1)
        filled(QVBoxLayout(self), *parts, margin_px=look.px(48), between_px=look.px(18))
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.look_again)

    def show_on(self, screen: QScreen) -> None:
        """Fill a screen, and update every second until it is closed."""
        self.setGeometry(screen.geometry())
        self.look_again()
        self.show()
        self._timer.start(EVERY_MS)

    def stop(self) -> None:
        """Close it."""
        self._timer.stop()
        self.close()

    def look_again(self) -> None:
        """Show the session's current progress."""
        if self._followed is None:
            paths = next(running_sessions(self._data), None)
            self._followed = None if paths is None else Followed(self._data, paths)
        try:
            seen = None if self._followed is None else self._followed.progress()
        except UserError as unreadable:
            self.remarks.setText(translated_in(str(unreadable), self._words))
            return
        if seen is None:
            self.where.setText(self._words["starting"])
            return
        now = utc_now()
        self.who.setText(who(seen, self._words))
        self.where.setText(where(seen, self._words))
        self.remarks.setText("\n".join(remarks(seen, self._words, now)))


def second_screen() -> QScreen | None:
    """Return a screen other than the session's; None if there is only one screen."""
    main = QGuiApplication.primaryScreen()
    return next((screen for screen in QGuiApplication.screens() if screen is not main), None)


class Aside:
    """Hides a window during some work; shows a session's progress on a second screen."""

    def __init__(self, window: QWidget, look: Look, lab: LabFolder) -> None:
        self._window, self._look, self._lab = window, look, lab
        self._view: SessionView | None = None
        self.away = False

    def during(
        self, work: Callable[[], Result], then: Callable[[Result], None], words: RigWords
    ) -> None:
        """Hide the window, do the work in a thread, then show the window again with the result.

        Parameters
        ----------
        work, then
            See `later`.
        words
            Words of the view of a session.
        """
        self.away = True
        screen = second_screen()
        if screen is not None:
            self._view = SessionView(self._look, self._lab.data, words)
            self._view.show_on(screen)
        self._window.hide()

        def come_back(result: Result) -> None:
            self.away = False
            if self._view is not None:
                self._view.stop()
                self._view = None
            then(result)
            show_whole(self._window)

        later(self._window, work, come_back)


def show_whole(window: QWidget) -> None:
    """Show a window on the whole screen, in front of all others."""
    # Needed without a window manager, which would make the window as large as the screen.
    if (screen := window.screen()) is not None:
        window.setGeometry(screen.availableGeometry())
    window.showMaximized()
    window.raise_()
    window.activateWindow()
