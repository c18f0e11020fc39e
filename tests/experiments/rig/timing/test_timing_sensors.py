"""Sensors of a real rig: a device behind a pseudo-terminal, a stream, PsychoPy's own class."""

import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.engine.clock import StimulusClock
from experiments.rig.timing.sensors import open_sensor, serial_sensor
from experiments.rig.timing.sensors.lsl_sensor import signal_edges
from experiments.rig.timing.sensors.psychopy_sensor import PsychopySensor
from experiments.rig.timing.sensors.serial_sensor import MICROS_WRAP, Micros, Reading, fit_clock
from stimuli.errors import UserError

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
NEAR_S = 0.01


@pytest.fixture
def device():
    from tests.experiments.rig.timing.sensor_device import Device

    plugged = Device()
    yield plugged
    plugged.unplug()


@POSIX
def test_a_device_tells_light_and_presses_on_a_clock_of_its_own(device):
    with open_sensor(f"serial:{device.port}") as sensor:
        told = []
        for number in range(8):
            time.sleep(0.15)
            now_s = time.perf_counter()
            told.append(now_s)
            device.tell("L" if number % 2 == 0 else "D", now_s)
            device.tell("K", now_s + 0.001, "f")
            device.tell("B", now_s + 0.002, "left")
        device.say("hello")
        device.say("L dim 12")
        time.sleep(0.1)
    edges, pressed = sensor.edges(), sensor.injected()
    assert [edge.light for edge in edges] == [True, False] * 4
    assert [edge.t_s for edge in edges] == pytest.approx(told, abs=NEAR_S)
    assert [(press.device, press.key) for press in pressed] == [
        ("keyboard", "f"),
        ("mouse", "left"),
    ] * 8
    assert pressed[-1].t_s - edges[-1].t_s == pytest.approx(0.002, abs=1e-5)
    assert sensor.unread == 2


@POSIX
def test_an_answer_that_comes_late_is_not_taken_for_that_to_a_later_question(monkeypatch):
    """It would be a short reading, and a wrong one."""
    from tests.experiments.rig.timing.sensor_device import Device

    monkeypatch.setattr(serial_sensor, "LOST_AFTER_S", 30.0)
    monkeypatch.setattr(serial_sensor, "ANSWERS_WITHIN_S", 30.0)
    slow = Device(thinks_s=0.35)
    with open_sensor(f"serial:{slow.port}") as sensor:
        while len(sensor._readings) < 3:
            time.sleep(0.05)
    assert min(reading.heard_s - reading.asked_s for reading in sensor._readings) >= 0.35
    slow.unplug()


@POSIX
def test_what_was_said_before_the_end_is_heard(device):
    with open_sensor(f"serial:{device.port}") as sensor:
        for _ in range(200):
            device.tell("L", time.perf_counter())
    assert len(sensor.edges()) == 200


@POSIX
def test_a_device_that_tells_no_time_is_one_line(monkeypatch):
    from tests.experiments.rig.timing.sensor_device import Device

    monkeypatch.setattr(serial_sensor, "ANSWERS_WITHIN_S", 0.4)

    dumb = Device(answers=False)
    with pytest.raises(UserError, match="it doesn't tell the time; its program must answer"):  # noqa: SIM117
        with open_sensor(f"serial:{dumb.port}@9600"):
            pass
    dumb.unplug()


@POSIX
def test_a_device_that_is_unplugged_is_one_line(device):
    with open_sensor(f"serial:{device.port}") as sensor:
        device.unplug()
        time.sleep(0.3)
    with pytest.raises(UserError, match="the port broke off"):
        sensor.edges()


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("serial:/no/such/port", "can't be opened"),
        ("serial:COM3@fast", "the baud rate after @ must be a number"),
        ("serial:", "must be like serial:PORT"),
        ("usb", "must be like serial:PORT"),
    ],
)
def test_a_place_where_nothing_is_is_one_line(place, said):
    with pytest.raises(UserError, match=said):  # noqa: SIM117
        with open_sensor(place):
            pass


@given(
    rate=st.floats(0.9998, 1.0002),
    zero_s=st.floats(-1e4, 1e4),
    spans=st.lists(st.floats(0.0002, 0.02), min_size=4, max_size=30),
)
def test_a_clocks_rate_and_offset_come_out_whatever_they_are(rate, zero_s, spans):
    """Answers half way between question and hearing: the line is then exact."""
    readings = [
        Reading(number - span_s / 2, number + span_s / 2, (number - zero_s) * rate)
        for number, span_s in enumerate(spans)
    ]
    clock = fit_clock(readings)
    assert clock.to_monotonic((7.25 - zero_s) * rate) == pytest.approx(7.25, abs=1e-6)


def test_slow_answers_do_not_bend_the_clock():
    quick = [Reading(at_s, at_s + 0.0002, at_s + 0.0001) for at_s in range(6)]
    slow = [Reading(at_s, at_s + 0.5, at_s + 0.0001) for at_s in range(5)]
    assert fit_clock([*quick, *slow]).to_monotonic(2.5) == pytest.approx(2.5, abs=1e-6)


@given(st.lists(st.integers(1, 2**30), min_size=1, max_size=20))
def test_a_count_that_begins_anew_goes_on(steps):
    micros, total, told = Micros(), 0, []
    for step in steps:
        total += step
        told.append(micros.seconds(total % MICROS_WRAP))
    assert told == pytest.approx(np.cumsum(steps) / 1e6)


def _square(rng, edges_s, lasting_s, hz, noise):
    stamps_s = np.arange(round(lasting_s * hz)) / hz + 100.0
    lit = np.searchsorted(edges_s, stamps_s, side="right") % 2 == 1
    return stamps_s, np.where(lit, 3.2, 0.4) + rng.normal(0, noise, len(stamps_s))


def test_a_noisy_signals_edges_are_found_once_each_and_within_a_sample():
    rng = np.random.Generator(np.random.PCG64(1))
    edges_s = 100.2 + np.cumsum(rng.uniform(0.05, 0.3, 40))
    stamps_s, values = _square(rng, edges_s, 10.0, 1000, 0.15)
    inside = edges_s[edges_s < stamps_s[-1]]
    found = signal_edges(stamps_s, values)
    assert [light for _, light in found] == [number % 2 == 0 for number in range(len(inside))]
    assert np.abs(np.array([at_s for at_s, _ in found]) - inside).max() < 0.002


def test_an_edge_lies_where_a_slow_signal_passes_its_middle():
    stamps_s = np.arange(100) / 1000
    ramp = np.clip((stamps_s - 0.04) / 0.02, 0, 1)
    assert signal_edges(stamps_s, ramp) == [(pytest.approx(0.05, abs=1e-9), True)]
    assert signal_edges(stamps_s, ramp * 0 + 1) == []


def test_a_streams_light_comes_on_this_clock():
    pylsl = pytest.importorskip("pylsl")
    hz, name = 1000, "plainsight-test-light"
    outlet = pylsl.StreamOutlet(pylsl.StreamInfo(name, "Light", 1, hz, pylsl.cf_float32, name))
    edges_s = []

    def play():
        outlet.wait_for_consumers(5)
        start_s = time.perf_counter() + 0.05
        edges_s.extend(start_s + at_s for at_s in (0.1, 0.3, 0.4))
        for number in range(600):
            at_s = start_s + number / hz
            time.sleep(max(0.0, at_s - time.perf_counter()))
            lit = sum(at_s >= edge_s for edge_s in edges_s) % 2
            stamp_s = pylsl.local_clock() + at_s - time.perf_counter()
            outlet.push_sample([0.2 + 0.7 * lit], stamp_s)

    player = threading.Thread(target=play)
    player.start()
    with open_sensor(f"lsl:{name}") as sensor:
        player.join()
        time.sleep(0.2)
    assert [edge.light for edge in sensor.edges()] == [True, False, True]
    assert [edge.t_s for edge in sensor.edges()] == pytest.approx(edges_s, abs=0.003)


class _BrokenStream:
    """A stream that is found and heard no more; pylsl as far as it is asked."""

    def __init__(self, opens):
        self.opens = opens

    def resolve_byprop(self, *_):
        return [self]

    def nominal_srate(self):
        return 1000.0

    def StreamInlet(self, *_, **__):
        return self

    def open_stream(self, _):
        if not self.opens:
            raise RuntimeError("timed out")

    def time_correction(self, _):
        raise RuntimeError("lost")


def test_a_stream_that_does_not_open_or_breaks_off_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "pylsl", _BrokenStream(opens=False))
    with pytest.raises(UserError, match=r"the stream doesn't open \(timed out\)"):  # noqa: SIM117
        with open_sensor("lsl:light"):
            pass
    monkeypatch.setitem(sys.modules, "pylsl", _BrokenStream(opens=True))
    with open_sensor("lsl:light") as sensor:
        pass
    with pytest.raises(UserError, match=r"the stream broke off \(lost\)"):
        sensor.edges()


def test_without_pylsl_a_stream_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "pylsl", None)
    with pytest.raises(UserError, match=r"LSL can't be loaded .*pip install pylsl"):  # noqa: SIM117
        with open_sensor("lsl:light"):
            pass


def test_a_light_sensor_of_psychopys_own_class_is_read_and_put_on_this_clock():
    lightsensor = pytest.importorskip("psychopy.hardware.lightsensor")

    class Lamp(lightsensor.BaseLightSensorGroup):
        waiting = ()

        def dispatchMessages(self):
            waiting, self.waiting = self.waiting, ()
            for message in waiting:
                self.receiveMessage(message)

        def _setThreshold(self, threshold, channel=None):
            pass

    lamp = Lamp()
    ours_minus_theirs_s, zero_s = 50.0, 3.0
    clock = StimulusClock(lambda: time.perf_counter() - ours_minus_theirs_s, "lamp's")
    sensor = PsychopySensor(lamp, "lamp", lambda: zero_s, clock)
    now_s = time.perf_counter()
    stamp_s = now_s - ours_minus_theirs_s - zero_s
    lamp.waiting = [
        lightsensor.LightSensorResponse(t=stamp_s + 0.1 * number, value=number == 0, channel=0)
        for number in range(2)
    ]
    sensor.close()
    assert [edge.light for edge in sensor.edges()] == [True, False]
    assert [edge.t_s for edge in sensor.edges()] == pytest.approx([now_s, now_s + 0.1], abs=1e-3)


def test_a_light_sensor_that_is_unplugged_is_one_line():
    class Gone:
        def getResponses(self, clear):
            raise OSError("unplugged")

    sensor = PsychopySensor(Gone(), "lamp", lambda: 0.0, StimulusClock(time.perf_counter, "own"))
    sensor.close()
    with pytest.raises(UserError, match=r"psychopy:lamp: the device broke off .*unplugged"):
        sensor.edges()
