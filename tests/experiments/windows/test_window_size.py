"""A window of another size than its screen: refused where larger, told where smaller."""

import sys
from contextlib import closing

import pytest

from experiments.engine.virtual_display import virtual_display
from participants.folder import LabFolder
from participants.journal import read_journal
from participants.registry import Registry
from participants.texts import load_words
from tests.experiments.windows.session_lab import PATIENCE_S, Lab

pytestmark = [
    pytest.mark.window(tolerance_ms=200),
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]
SCREEN, SMALLER = (1280, 800), (1024, 728)


def place_of_window():
    """Return left, top, width and height of the session's window on the screen."""
    from Xlib import display

    screen, title = display.Display(), load_words("accept_reject", "en")["title"]
    windows = screen.screen().root.query_tree().children
    (own,) = [window for window in windows if window.get_wm_name() == title]
    place = own.get_geometry()
    screen.close()
    return place.x, place.y, place.width, place.height


@pytest.fixture(scope="module")
def lab(tmp_path_factory, mini_pack):
    """What two sessions of a person said: one in a window larger than the screen, one smaller."""
    lab = Lab(tmp_path_factory.mktemp("lab"), mini_pack)
    with closing(Registry.open(LabFolder.open(lab.folder).registry_url)) as registry:
        code = registry.enrol("lead", axis="deutan", rung=2, purpose="test")
    with virtual_display(SCREEN) as shown:
        lab.environment["DISPLAY"] = shown.name
        here = ("--participant", code, "--purpose", "test", "--display", "existing")
        larger = lab.start(*here, "--size", "2560x1600")
        lab.refusal = larger.communicate(timeout=PATIENCE_S)[1]
        lab.refused_with, lab.after_refusal = larger.returncode, lab.events()
        smaller = lab.start(*here, "--size", "x".join(map(str, SMALLER)))
        lab.wait_for("checklist", 1, smaller)
        lab.place = place_of_window()
        smaller.kill()
        lab.said = smaller.communicate()[1]
    return lab


def test_a_window_larger_than_the_screen_is_refused_before_anything_is_recorded(lab):
    assert lab.refused_with == 2
    line = lab.refusal.strip().splitlines()[-1]
    assert line.startswith("--size 2560×1600: the screen has only 1280×800 pixels")
    assert not lab.after_refusal


@pytest.mark.slow
def test_a_smaller_window_stands_in_the_middle_of_the_screen(lab):
    beside, above = ((whole - own) // 2 for whole, own in zip(SCREEN, SMALLER, strict=True))
    assert lab.place == (beside, above, *SMALLER)


def test_the_desktop_beside_it_is_told_in_the_terminal_and_in_the_journal(lab):
    told = [line for line in lab.said.splitlines() if line.startswith("resolution: ")]
    assert len(told) == 1
    assert "1024 × 728 pixels of the screen's 1280 × 800" in told[0]
    (checks,) = read_journal(lab.journal_path).of("checks")
    found = {finding["check"]: finding for finding in checks["findings"]}
    assert found["resolution"]["status"] == "warn"
