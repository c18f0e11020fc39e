"""Mouse buttons: each press once, by its own stamp, under its name."""

import time

import pytest

from experiments.engine import input
from experiments.engine.clock import StimulusClock
from experiments.engine.input import BUTTONS, BUTTONS_ELSEWHERE, MouseButtons, open_mouse
from stimuli.errors import UserError


def event(button, t_s, *, down=True):
    return {"Keycode": float(button), "Pressed": float(down), "Time": t_s}


def polled(*events, names=BUTTONS):
    clock = StimulusClock(time.perf_counter, "same")
    return MouseButtons(lambda: list(events), clock, names).poll()


def test_presses_come_in_order_by_their_own_stamps_and_releases_are_none():
    presses = polled(event(3, 2.0), event(1, 1.0), event(1, 1.01, down=False))
    assert [(press.key, press.device) for press in presses] == [
        ("left", "mouse"),
        ("right", "mouse"),
    ]
    assert [press.t_s for press in presses] == pytest.approx([1.0, 2.0], abs=1e-3)


@pytest.mark.parametrize(("names", "second"), [(BUTTONS, "middle"), (BUTTONS_ELSEWHERE, "right")])
def test_buttons_are_numbered_as_the_system_numbers_them(names, second):
    assert [press.key for press in polled(event(2, 1.0), event(9, 2.0), names=names)] == [
        second,
        "button9",
    ]


@pytest.mark.parametrize(
    ("devices", "says"), [([], "none is connected"), (OSError("no rights"), "no rights")]
)
def test_no_mouse_is_one_line(monkeypatch, devices, says):
    def pointers(_):
        if isinstance(devices, Exception):
            raise devices
        return devices

    monkeypatch.setattr(input, "_pointers", pointers)
    with pytest.raises(UserError, match=says) as refused:
        open_mouse(StimulusClock(time.perf_counter, "same"))
    assert "\n" not in str(refused.value)
