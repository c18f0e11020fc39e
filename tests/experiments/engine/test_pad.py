"""A response pad: bytes of a serial line become presses, each with the time of its arrival."""

import os
import sys
import threading
import time
from typing import get_args

import pytest

from experiments.engine.pad import Pad, PadLine, open_pad
from experiments.rig.checks.presses import PressResult, no_pad
from experiments.rig.checks.presses import pad as finding
from experiments.rig.profile import PadSettings, RigProfile, pad_line
from stimuli.devices import DeviceName
from stimuli.errors import UserError

KEYS = {"1": "f", "2": "j"}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs pseudo-terminals")


class Box:
    """The other end of the line: a box with buttons, and a port as a PC sees it."""

    def __init__(self):
        self._end, self._port = os.openpty()
        self.port = os.ttyname(self._port)

    def press(self, button):
        os.write(self._end, button.encode("latin-1"))

    def unplug(self):
        os.close(self._port)
        os.close(self._end)


def presses_of(pad, count):
    """Poll, as frames do, until so many presses have come."""
    presses = []
    while len(presses) < count:
        presses += pad.poll()
        time.sleep(0.001)
    return presses


@pytest.fixture
def box():
    return Box()


def test_bytes_become_presses_of_their_keys_in_order(box):
    with open_pad(PadLine(box.port, 115200, KEYS)) as pad:
        assert pad.port == box.port
        assert pad.poll() == ()
        before_s = time.perf_counter()
        for button in ("2", "x", "1", "2"):  # no key has x
            box.press(button)
        presses = presses_of(pad, 3)
    assert [press.key for press in presses] == ["j", "f", "j"]
    assert {press.device for press in presses} == {"pad"}
    times_s = [press.t_s for press in presses]
    assert before_s < times_s[0] <= times_s[1] <= times_s[2] < time.perf_counter()


def test_a_press_has_the_time_of_its_byte_not_of_the_poll(box):
    polled = threading.Event()
    with open_pad(PadLine(box.port, 115200, KEYS)) as pad:
        box.press("1")
        arrived_by_s = None
        while arrived_by_s is None:  # the thread has it, and nobody polled
            arrived_by_s = time.perf_counter() if pad._arrived else None
        polled.wait(0.05)
        asked_s = time.perf_counter()
        (press,) = pad.poll()
    assert press.t_s <= arrived_by_s < asked_s


def test_a_port_that_is_not_there_is_one_line(tmp_path):
    with (
        pytest.raises(UserError, match=r"pad: port .*no can't be opened .*see that the pad"),
        open_pad(PadLine(str(tmp_path / "no"), 115200, KEYS)),
    ):
        pass


def test_a_pad_that_is_unplugged_is_told_at_the_next_poll():
    class Unplugged:
        port = "COM3"

        def read(self):
            raise OSError("device disconnected")

        def close(self):
            pass

    pad = Pad(Unplugged(), KEYS)
    pad._thread.join()
    with pytest.raises(UserError, match=r"can't be read any more .device disconnected.; plug it"):
        pad.poll()
    pad.close()


def test_the_profile_says_where_it_is_and_its_lag():
    rig = RigProfile.model_validate(
        {
            "pad": {"port": "COM3", "keys": KEYS},
            "timing": {"onset_lag_s": 0.01, "pad_lag_s": 0.004, "keyboard_lag_s": 0.02},
        }
    )
    assert pad_line(rig, "rig-1", ["f", "j"]) == PadLine("COM3", 115200, KEYS)
    lags_s = {device: rig.lag_s(device) for device in get_args(DeviceName)}
    assert lags_s == {"keyboard": 0.02, "mouse": 0.01, "pad": 0.004}
    with pytest.raises(UserError, match=r"rig-2: the protocol asks for a response pad; add .pad."):
        pad_line(RigProfile(), "rig-2", ["f"])


def test_a_key_without_a_button_is_named_before_anybody_presses_in_vain():
    rig = RigProfile(pad=PadSettings(port="COM3", keys={"1": "F", "2": "space"}))
    assert pad_line(rig, "rig-1", ["f"]).keys == {"1": "f", "2": "space"}
    with pytest.raises(UserError, match=r"rig-1: no button of the response pad stands for j, k;"):
        pad_line(rig, "rig-1", ["f", "k", "j"])


@pytest.mark.parametrize("keys", [{}, {"ab": "f"}, {"€": "f"}, {"1": "enter"}, {"1": "z"}])
def test_a_button_sends_one_byte_and_stands_for_a_key_that_something_uses(keys):
    with pytest.raises(ValueError, match="keys"):
        PadSettings(port="COM3", keys=keys)


def test_the_doctor_tells_a_pad_that_works_from_one_that_does_not():
    states = [
        finding(PressResult(True)),
        finding(PressResult(False)),
        finding(None),
        no_pad("no port"),
    ]
    assert [state.status for state in states] == ["pass", "fail", "warn", "fail"]
    assert no_pad().status == "pass"
