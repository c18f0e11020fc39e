"""Triggers: every code out in order, whatever a device does nothing is held up or forgotten."""

import os
import re
import select
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from experiments.engine.triggers import CODES, TriggerLine, TriggerPlace, open_triggers, parse_place
from stimuli.errors import UserError

MARKS = ("block", "onset", "step", "response", "offset")
posix = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX's")


class Kept:
    """A device that keeps what it was given, until it breaks."""

    name, rests = "kept", True

    def __init__(self, breaks_after=100):
        self.codes, self.left, self.open = [], breaks_after, True

    def write(self, code):
        if len(self.codes) >= self.left:
            raise OSError("unplugged")
        self.codes.append(code)

    def close(self):
        self.open = False


@contextmanager
def pseudo_terminal():
    import tty

    ours, theirs = os.openpty()
    tty.setraw(ours)
    try:
        yield ours, os.ttyname(theirs)
    finally:
        for end in (ours, theirs):
            with suppress(OSError):
                os.close(end)


def read_from(end, count):
    """Return so many bytes; a pseudo-terminal hands them on by and by."""
    heard = b""
    while len(heard) < count and select.select([end], [], [], 5)[0]:
        heard += os.read(end, 100)
    return list(heard)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("none", TriggerPlace("none")),
        ("serial:/dev/ttyUSB0", TriggerPlace("serial", "/dev/ttyUSB0", 115200)),
        ("serial:COM3@57600", TriggerPlace("serial", "COM3", 57600)),
        ("parallel:0x378", TriggerPlace("parallel", "0x378")),
        ("lsl", TriggerPlace("lsl", "Plainsight")),
        ("lsl:My study", TriggerPlace("lsl", "My study")),
    ],
)
def test_a_place_is_read_as_it_is_spelled(text, place):
    assert parse_place(text) == place


@pytest.mark.parametrize(
    "text",
    ["", "serial", "serial:", "serial:COM3@fast", "serial:@9600", "usb:1", "none:x", "parallel"],
)
def test_a_place_that_names_nothing_is_one_line(text):
    with pytest.raises(UserError, match=r"^trigger '") as refused:
        parse_place(text)
    assert "\n" not in str(refused.value)


def test_the_documented_codes_are_those_that_are_sent():
    page = (Path(__file__).parents[3] / "docs" / "triggers.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", page, re.MULTILINE)
    assert {name: int(code) for code, name in rows} == dict(CODES)
    assert len(set(CODES.values())) == len(CODES)
    assert all(0 < code < 256 for code in CODES.values())


def test_a_code_is_taken_back_once_a_frame_later():
    device = Kept()
    line = TriggerLine(device)
    for mark in MARKS:
        line.send(mark)
        line.rest()
        line.rest()
    assert device.codes == [code for mark in MARKS for code in (CODES[mark], 0)]


def test_a_code_that_follows_at_once_is_not_kept_from_rising_by_the_one_before():
    device = Kept()
    line = TriggerLine(device)
    line.send("onset")
    line.send("offset")
    line.close()
    assert device.codes == [1, 2, 0]
    assert not device.open


def test_what_was_sent_is_told_once_with_its_time():
    line = TriggerLine(Kept())
    before_s = time.perf_counter()
    line.send("onset")
    (sent,) = line.take_sent()
    assert (sent.what, sent.code, sent.reason) == ("onset", 1, "")
    assert before_s <= sent.t_s <= sent.t_s + sent.took_s <= time.perf_counter()
    assert line.take_sent() == ()


def test_a_device_that_breaks_stops_nothing_and_every_loss_is_told():
    line = TriggerLine(Kept(breaks_after=2))
    for mark in MARKS:
        line.send(mark)
    line.close()
    reasons = [sent.reason for sent in line.take_sent()]
    assert reasons == ["", "", *["OSError: unplugged"] * 3]


def test_a_code_that_was_not_taken_leaves_the_one_before_to_be_taken_back():
    device = Kept(breaks_after=1)
    line = TriggerLine(device)
    line.send("onset")
    line.send("response")
    device.left = 100
    line.rest()
    assert device.codes == [CODES["onset"], 0]


def test_without_a_device_nothing_is_sent_or_kept():
    with open_triggers(TriggerPlace("none")) as line:
        line.send("onset")
        line.rest()
        assert (line.name, line.take_sent()) == ("none", ())


@posix
def test_bytes_come_out_of_a_serial_port_in_their_order():
    with pseudo_terminal() as (ours, port):
        with open_triggers(parse_place(f"serial:{port}@9600")) as line:
            assert line.name == f"serial:{port}@9600"
            for mark in MARKS:
                line.send(mark)
                line.rest()
        assert all(not sent.reason for sent in line.take_sent())
        wanted = [code for mark in MARKS for code in (CODES[mark], 0)]
        assert read_from(ours, len(wanted)) == wanted


@posix
def test_a_serial_port_that_nobody_empties_holds_nothing_up():
    """Its buffer is full after some ten thousand bytes; then each loss is told at once."""
    with pseudo_terminal() as (_, port), open_triggers(parse_place(f"serial:{port}")) as line:
        for _ in range(200_000):
            line.send("onset")
            if line.take_sent()[0].reason:
                break
        else:
            pytest.fail("the buffer took everything")
        for _ in range(50):
            line.send("onset")
        sent = line.take_sent()
        assert all(one.reason for one in sent)
        assert min(one.took_s for one in sent) < 0.001


@posix
def test_a_serial_port_that_goes_away_is_told_and_stops_nothing():
    with pseudo_terminal() as (ours, port), open_triggers(parse_place(f"serial:{port}")) as line:
        line.send("onset")
        os.close(ours)
        line.send("offset")
    first, second = line.take_sent()
    assert first.reason == ""
    assert second.reason


def test_a_parallel_port_gets_the_code_and_then_its_rest(monkeypatch):
    """The driver is made up: this says what it is asked to do, not that a port does it."""
    pins = []

    class Port:
        def __init__(self, address):
            pins.append(address)

        def setData(self, code):
            pins.append(code)

    psychopy = pytest.importorskip("psychopy.parallel")
    monkeypatch.setattr(psychopy, "ParallelPort", Port)
    with open_triggers(parse_place("parallel:0x378")) as line:
        line.send("response")
        line.rest()
    assert pins == [0x378, 4, 0]


@pytest.mark.parametrize(
    ("place", "missing", "line"),
    [
        ("serial:no-such-port", None, "trigger: the serial port no-such-port can't be"),
        ("parallel:0x378", "driver", "no driver: install inpout32, inpoutx64 or dlportio"),
        # PsychoPy opens one there, which fails at every code.
        ("parallel:0x378", "system", "macOS has no parallel port"),
        ("parallel:/dev/no-such-port", None, "the parallel port /dev/no-such-port can't be opened"),
        ("lsl", "library", r"trigger: LSL can't be loaded .*pip install pylsl"),
    ],
)
def test_what_is_not_there_is_one_line_at_the_start(monkeypatch, place, missing, line):
    if missing == "driver":
        # PsychoPy has None in place of the port where it finds no driver.
        monkeypatch.setattr(pytest.importorskip("psychopy.parallel"), "ParallelPort", None)
    elif missing == "system":
        monkeypatch.setattr(sys, "platform", "darwin")
    elif missing == "library":
        monkeypatch.setitem(sys.modules, "pylsl", None)
    with pytest.raises(UserError, match=line) as refused, open_triggers(parse_place(place)):
        pass
    assert "\n" not in str(refused.value)


def test_a_local_inlet_receives_the_codes_with_their_times():
    pylsl = pytest.importorskip("pylsl")
    stream = f"Plainsight test {os.getpid()}"
    with open_triggers(parse_place(f"lsl:{stream}")) as line:
        found = pylsl.resolve_byprop("name", stream, 1, 10)
        if not found:
            pytest.skip("this machine's network lets no stream be found")
        inlet = pylsl.StreamInlet(found[0])
        inlet.open_stream(10)
        for mark in MARKS:
            line.send(mark)
            line.rest()
        samples = [inlet.pull_sample(5) for _ in MARKS]
        inlet.close_stream()
    sent = line.take_sent()
    assert [int(values[0]) for values, _ in samples] == [CODES[mark] for mark in MARKS]
    to_lsl_s = pylsl.local_clock() - time.perf_counter()
    for (_, stamp_s), one in zip(samples, sent, strict=True):
        assert stamp_s == pytest.approx(one.t_s + to_lsl_s, abs=0.005)


def test_a_device_that_cannot_be_closed_any_more_ends_nothing():
    class Unplugged(Kept):
        def close(self):
            raise OSError("unplugged")

    TriggerLine(Unplugged()).close()
