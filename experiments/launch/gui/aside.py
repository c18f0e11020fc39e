"""The window steps aside while something else has the screen."""

from collections.abc import Callable
from typing import TypeVar

from PyQt6.QtWidgets import QWidget

from experiments.launch.gui.later import later
from experiments.launch.gui.look import Look
from experiments.launch.gui.session_view import SessionView, second_screen
from participants.folder import LabFolder
from participants.texts.rig import RigWords

Found = TypeVar("Found")


class Aside:
    """Hides a window during some work; on a second screen it shows how far a session is."""

    def __init__(self, window: QWidget, look: Look, lab: LabFolder) -> None:
        self._window, self._look, self._lab = window, look, lab
        self._view: SessionView | None = None
        self.away = False

    def during(
        self, work: Callable[[], Found], then: Callable[[Found], None], words: RigWords
    ) -> None:
        """Hide the window, do the work beside it, show the window again with the result.

        Parameters
        ----------
        work, then
            As of `later`.
        words
            Of the view of a session.
        """
        self.away = True
        screen = second_screen()
        if screen is not None:
            self._view = SessionView(self._look, self._lab.data, words)
            self._view.show_on(screen)
        self._window.hide()

        def come_back(found: Found) -> None:
            self.away = False
            if self._view is not None:
                self._view.stop()
                self._view = None
            then(found)
            show_whole(self._window)

        later(self._window, work, come_back)


def show_whole(window: QWidget) -> None:
    """Show a window on the whole screen, before all others."""
    # Without a window manager nothing else makes it as large as the screen.
    if (screen := window.screen()) is not None:
        window.setGeometry(screen.availableGeometry())
    window.showMaximized()
    window.raise_()
    window.activateWindow()
