"""The verb `launch`: opens the start window."""

import gc
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Final

from experiments.launch.examination import WORDS, Options
from participants.folder import LabFolder
from participants.texts.rig import load_rig_words
from participants.texts.translation import translated_in
from stimuli.catalogue import LAB_FILE
from stimuli.errors import UserError
from stimuli.languages import ENGLISH
from stimuli.places import lab_root

INTERRUPT_MS = 250
FROM_DESKTOP = "PLAINSIGHT_FROM_DESKTOP"
"""Set by the shortcut of `lab_environment.shortcut`, which opens no terminal."""
LANGUAGE: Final = re.compile(r'^language\s*=\s*"([^"]+)"', re.MULTILINE)


def launch_verb(lab: Path | None, options: Options, packs: tuple[Path, ...]) -> None:
    """Show the start window until it is closed.

    Raises
    ------
    UserError
        If there is no lab folder or no display, a pack's folder isn't there, or the window is
        open already.
    """
    from experiments.engine.display import only_start_window, require_display

    with told_on_the_desktop(lab):
        place = LabFolder.open(lab)
        for folder in packs:
            if not folder.expanduser().is_dir():
                raise UserError(f"--pack {folder}: isn't there")
    require_display()
    gc.enable()
    with told_on_the_desktop(lab):
        words = load_rig_words(WORDS, place.settings.language, place.texts)
        with only_start_window(words["already_open"]):
            show_window(place, options, packs)


@contextmanager
def told_on_the_desktop(lab: Path | None) -> Iterator[None]:
    """Show a UserError in a window too, if the suite was started from the desktop."""
    try:
        yield
    except UserError as mistake:
        if FROM_DESKTOP in os.environ:
            show_mistake(translated_in(str(mistake), load_rig_words(WORDS, language_of(lab))))
        raise


def language_of(lab: Path | None) -> str:
    """Return the language that ``lab.toml`` names, even if the rest of it isn't valid."""
    try:
        text = ((lab or lab_root()) / LAB_FILE).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ENGLISH
    named = LANGUAGE.search(text)
    return ENGLISH if named is None else named[1]


def show_mistake(text: str) -> None:
    """Show an error message in a separate window."""
    from PyQt6.QtWidgets import QApplication, QMessageBox

    app = QApplication.instance() or QApplication([sys.argv[0]])
    QMessageBox.critical(None, app.applicationName(), text)


def show_window(lab: LabFolder, options: Options, packs: tuple[Path, ...]) -> None:
    """Open the window, and return when it is closed."""
    import signal

    from PyQt6.QtCore import QTimer
    from PyQt6.QtWidgets import QApplication

    from experiments.launch.gui.aside import show_whole
    from experiments.launch.gui.look import Look
    from experiments.launch.gui.window import LaunchWindow

    app = QApplication([sys.argv[0]])
    app.setApplicationName("Plainsight")
    app.setStyle("Fusion")
    # While a session runs no window may be open.
    app.setQuitOnLastWindowClosed(False)
    faults: list[BaseException] = []

    def end(_kind: type, error: BaseException, _trace: TracebackType | None) -> None:
        if isinstance(error, UserError):
            # Not in the middle of an action.
            text = translated_in(str(error), window.words)
            QTimer.singleShot(0, partial(show_mistake, text))
        else:
            faults.append(error)
            app.quit()

    before, sys.excepthook = sys.excepthook, end
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, lambda *_: app.quit())
    # Python handles signals only while it runs code: it does so at every tick.
    ticks = QTimer()
    ticks.timeout.connect(lambda: None)
    ticks.start(INTERRUPT_MS)
    screen = app.primaryScreen()
    assert screen is not None
    size = screen.availableGeometry()
    look = Look.for_screen(size.width(), size.height())
    app.setStyleSheet(look.style())
    window = LaunchWindow(lab, options, packs, look)
    show_whole(window)
    app.exec()
    sys.excepthook = before
    try:
        window.keep_last_note()
    finally:
        if faults:
            raise faults[0]
