"""The start window without a screen."""

from contextlib import closing

import pytest

from experiments.launch import examination
from experiments.launch.examination import Options
from experiments.session import command
from participants.folder import LabFolder
from participants.registry import Registry


@pytest.fixture(scope="module")
def app():
    from PyQt6.QtWidgets import QApplication

    # Only while Qt starts: programs that other tests start have a display.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QT_QPA_PLATFORM", "offscreen")
        return QApplication.instance() or QApplication([])


@pytest.fixture
def lab(tmp_path, mini_pack):
    made = LabFolder.make(tmp_path / "lab")
    (made.packs / "first").symlink_to(mini_pack)
    return made


@pytest.fixture
def code(lab):
    with closing(Registry.open(lab.registry_url)) as registry:
        return registry.enrol("lead", axis="deutan", rung=2, purpose="pilot")


@pytest.fixture
def window(app, lab, code, monkeypatch):
    """The window; what it does beside itself is done at once."""
    from experiments.launch.gui import aside, people_page, today_page
    from experiments.launch.gui import window as module
    from experiments.launch.gui.look import Look

    def at_once(parent, work, then):
        then(work())

    monkeypatch.setattr(module, "later", at_once)
    monkeypatch.setattr(aside, "later", at_once)
    monkeypatch.setattr(today_page, "later", at_once)
    monkeypatch.setattr(people_page, "later", at_once)
    monkeypatch.setattr(command, "require_display", lambda: None)
    monkeypatch.setattr(examination, "require_free_display", lambda: None)
    monkeypatch.setattr(command, "without_window", lambda *_, **__: [])
    shown = module.LaunchWindow(lab, Options(), (), Look(1.0))
    shown.show()
    yield shown
    shown.deleteLater()
