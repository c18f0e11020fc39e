import numpy as np
import pytest

from experiments.rig.checks import desktop
from experiments.rig.checks.desktop import (
    Desktop,
    Monitor,
    bend,
    compositing,
    lookup,
    resolution,
    scaling,
    session_type,
)

FULL_HD = (1920, 1080)
STRAIGHT = np.tile(np.linspace(0, 1, 256), (3, 1))
WARM = STRAIGHT * np.array([[1.0], [0.8], [0.5]])


def seen(shown=FULL_HD, mode=FULL_HD, own=FULL_HD, ramp=STRAIGHT, **changes):
    monitor = Monitor("DP-1", shown, mode, own, ramp)
    return Desktop(**{"composited": False, "manager": "Xfwm4", "monitors": (monitor,)} | changes)


@pytest.mark.parametrize(
    ("environment", "system", "status"),
    [
        ({"XDG_SESSION_TYPE": "x11"}, "linux", "pass"),
        ({}, "linux", "pass"),
        ({"XDG_SESSION_TYPE": "wayland"}, "linux", "warn"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", "warn"),
        ({}, "win32", "pass"),
        ({}, "darwin", "warn"),
    ],
)
def test_a_desktop_that_holds_frames_back_is_told(environment, system, status):
    assert session_type(environment, system).status == status


def test_a_virtual_display_is_not_the_desktop_around_it():
    wayland = {"XDG_SESSION_TYPE": "wayland"}
    assert session_type(wayland, "linux", virtual=True).status == "pass"


@pytest.mark.parametrize(("percent", "status"), [(100, "pass"), (150, "warn")])
def test_scaling_of_windows(percent, status):
    finding = scaling(percent=percent, system="win32")
    assert finding.status == status
    assert f"{percent} %" in finding.found


def test_scaling_of_x():
    assert scaling(seen(), system="linux").status == "pass"
    finding = scaling(seen(shown=(2880, 1620)), system="linux")
    assert finding.status == "warn"
    assert "xrandr --output DP-1 --scale 1x1" in finding.remedy
    assert scaling(None, system="linux").status == "pass"


def test_a_resolution_that_is_small_or_not_the_monitors_own_is_told():
    assert resolution(FULL_HD, seen()).status == "pass"
    assert resolution((800, 600), None).status == "warn"
    finding = resolution((1280, 720), seen(shown=(1280, 720), mode=(1280, 720)))
    assert finding.status == "warn"
    assert "1920 × 1080" in finding.found
    assert resolution((1280, 720), seen(own=None, mode=(1280, 720))).status == "pass"


def test_a_window_that_leaves_the_desktop_to_be_seen_is_told():
    assert resolution(FULL_HD, seen(), FULL_HD).status == "pass"
    finding = resolution((1280, 720), seen(), FULL_HD)
    assert finding.status == "warn"
    assert "1280 × 720 pixels of the screen's 1920 × 1080" in finding.found
    assert "--size" in finding.remedy


def test_a_compositor_is_told_by_name():
    assert compositing(None) is None
    assert compositing(seen()).status == "pass"
    finding = compositing(seen(composited=True, manager="KWin"))
    assert (finding.status, finding.found) == ("warn", "on, by KWin")


def test_a_lookup_table_that_changes_colours_is_told():
    assert lookup(None, "linux") is None
    assert lookup(seen(ramp=None), "linux") is None
    assert lookup(seen(), "linux").status == "pass"
    finding = lookup(seen(ramp=WARM), "linux")
    assert (finding.status, finding.found) == ("warn", "not straight: up to 50 % away")


def test_a_table_of_few_steps_is_straight():
    steps = np.round(STRAIGHT * 255) / 255
    assert bend(steps) <= desktop.STRAIGHT
    assert bend(STRAIGHT**1.02) > desktop.STRAIGHT


def test_the_lookup_table_of_windows_is_asked_for(monkeypatch):
    monkeypatch.setattr(desktop, "lookup_table", lambda: WARM)
    assert lookup(None, "win32").status == "warn"
    monkeypatch.setattr(desktop, "lookup_table", lambda: None)
    assert lookup(None, "win32") is None


def test_a_server_that_tells_of_no_monitors_stops_nothing(monkeypatch):
    """Old servers refuse some of RandR's requests."""
    xlib = pytest.importorskip("Xlib.display")
    error = pytest.importorskip("Xlib.error")

    class Server:
        def __getattr__(self, name):
            return lambda *_: 0

    def refused(screen):
        raise error.BadRequest.__new__(error.BadRequest)

    monkeypatch.setattr(xlib, "Display", Server)
    monkeypatch.setattr(desktop, "_manager", lambda screen: "twm")
    monkeypatch.setattr(desktop, "_monitors", refused)
    assert desktop.x_desktop() == Desktop(composited=False, manager="twm", monitors=())
