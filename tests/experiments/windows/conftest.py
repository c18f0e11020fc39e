import os
import shutil
import subprocess

import pytest

from experiments.engine.virtual_display import own_virtual_display
from tests.experiments.windows.desk_hand import DeskHand

MANAGER = "openbox"


@pytest.fixture(scope="session")
def managed():
    """An application on a display of its own with a window manager, and the display's name.

    The display lives as long as the process, which can have one application only.
    """
    from PyQt6.QtWidgets import QApplication

    if shutil.which(MANAGER) is None:
        pytest.skip(f"needs the window manager {MANAGER} (Debian: apt-get install {MANAGER})")
    if QApplication.instance() is not None:
        pytest.skip("this process has windows without a display already")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DISPLAY", os.environ.get("DISPLAY", ""))
        patch.setenv("QT_QPA_PLATFORM", "xcb")
        name = own_virtual_display((1280, 720)).name
        manager = subprocess.Popen([MANAGER])
        app = QApplication([])
    yield app, name
    manager.terminate()
    manager.wait()


@pytest.fixture
def app(managed, monkeypatch):
    """The application; what asks for the display gets that of the application."""
    made, name = managed
    monkeypatch.setenv("DISPLAY", name)
    return made


@pytest.fixture
def hand(app):
    return DeskHand(app)
