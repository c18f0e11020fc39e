"""The virtual rig's two programs: what they see and press, and what they say where they can't."""

import struct
import time

import pytest

from experiments.engine.virtual_display import virtual_display
from experiments.rig.timing import instruments
from experiments.rig.timing.bench import require_rig
from experiments.rig.timing.instruments import button_box, photodiode
from experiments.robot_input.input_events import Stroke
from stimuli.errors import UserError
from stimuli.places import cache_dir

LINUX = pytest.mark.skipif("sys.platform != 'linux'", reason="the virtual rig is Linux's")
pytestmark = [LINUX]

WIDTH, HEIGHT, COLORS, NAME_BYTES = 80, 70, 3, 7
PADDING_BYTES = 16


class Dump:
    """An X window dump as XWDFile.h defines it, with lines longer than their pixels."""

    def __init__(self, path, bits=32):
        self.line = WIDTH * 4 + PADDING_BYTES
        header_size = 25 * 4 + NAME_BYTES
        words = [header_size, 7, 2, 24, WIDTH, HEIGHT, 0, 0, 32, 0, 32, bits, self.line]
        words += [4, 0xFF0000, 0xFF00, 0xFF, 8, 256, COLORS, WIDTH, HEIGHT, 0, 0, 0]
        self.start = header_size + COLORS * 12
        self.path = path
        colors = b"\xff" * (COLORS * 12)
        head = struct.pack(">25I", *words) + b"screen\0" + colors
        path.write_bytes(head + bytes(self.line * HEIGHT))

    def paint(self, x, y, level):
        with self.path.open("r+b", buffering=0) as file:
            file.seek(self.start + y * self.line + x * 4)
            file.write(bytes((level, level, level, 0)))


def _wait_for(found, count):
    until_s = time.perf_counter() + 30
    while len(found()) < count and time.perf_counter() < until_s:
        time.sleep(0.005)
    time.sleep(0.02)
    return found()


def test_the_photodiode_finds_the_patch_in_a_dump_and_sees_each_change_once(tmp_path):
    dump = Dump(tmp_path / "screen")
    with photodiode(dump.path) as diode:
        painted_s = []
        for number in range(6):
            painted_s.append(time.perf_counter())
            dump.paint(32, 32, 255 if number % 2 == 0 else 0)
            _wait_for(lambda: diode.edges, number + 1)
        edges = diode.edges
    assert [edge.light for edge in edges] == [True, False] * 3
    for edge, before_s in zip(edges, painted_s, strict=True):
        assert edge.seen_s > before_s
        assert edge.seen_s - edge.gap_s < edge.t_s < edge.seen_s


def test_the_photodiode_heeds_nothing_but_the_patch(tmp_path):
    dump = Dump(tmp_path / "screen")
    with photodiode(dump.path) as diode:
        for x, y in ((64, 32), (32, 64), (31, 33), (33, 31), (70, 69)):
            dump.paint(x, y, 255)
        dump.paint(32, 32, 90)
        time.sleep(0.02)
        assert diode.edges == ()


@pytest.mark.parametrize("damage", ["not there", "too short", "other depth"])
def test_what_is_no_framebuffer_is_said_in_one_line(tmp_path, damage):
    path = tmp_path / "screen"
    if damage == "too short":
        path.write_bytes(b"\0" * 60)
    elif damage == "other depth":
        Dump(path, bits=8)
    with pytest.raises(UserError, match="the photodiode can't see: no 32-bit X window dump"):  # noqa: SIM117
        with photodiode(path):
            pass


def test_without_a_compiler_one_line_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match=r"no C compiler \(cc\); install one"):
        instruments.program("photodiode")


def test_without_an_x_server_one_line_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match=r"timing: Xvfb is not installed \(Debian: apt-get"):
        require_rig()


def test_elsewhere_than_on_linux_one_line_names_the_other_way(monkeypatch):
    monkeypatch.setattr("sys.platform", "win32")
    with pytest.raises(UserError, match=r"on Linux only; .*photodiode \(--sensor\)"):
        require_rig()


def test_a_program_is_built_once_and_anew_when_its_source_changes(monkeypatch, tmp_path):
    first = instruments.program("photodiode")
    assert first.is_relative_to(cache_dir())
    assert instruments.program("photodiode") == first
    for file in (*instruments.HERE.glob("*.c"), *instruments.HERE.glob("*.h")):
        text = file.read_text(encoding="utf-8")
        (tmp_path / file.name).write_text(f"{text}\n/* changed */\n", encoding="utf-8")
    monkeypatch.setattr(instruments, "HERE", tmp_path)
    assert instruments.program("photodiode") != first


@pytest.mark.window
def test_the_button_box_presses_what_was_asked_when_it_was_asked():
    from Xlib import X, display

    with virtual_display((200, 200)), button_box() as box:
        screen = display.Display()
        root = screen.screen().root
        window = root.create_window(0, 0, 200, 200, 0, screen.screen().root_depth)
        events = X.KeyPressMask | X.KeyReleaseMask | X.ButtonPressMask | X.ButtonReleaseMask
        window.change_attributes(event_mask=events)
        window.map()
        screen.sync()
        window.set_input_focus(X.RevertToParent, X.CurrentTime)
        screen.sync()
        start_s = time.perf_counter() + 0.05
        strokes = [
            Stroke("f", start_s, 0.002),
            Stroke("j", start_s + 0.001, 0.03),
            Stroke("right", start_s + 0.010, 0.002, device="mouse"),
            Stroke("space", start_s + 0.040, 0.002),
        ]
        box.press(strokes)
        box.finish(60)
        screen.sync()
        happened = [screen.next_event() for _ in range(screen.pending_events())]
        keys = {screen.keysym_to_keycode(ord(letter)): name for letter, name in zip(
            "fj ", ("f", "j", "space"), strict=True
        )}  # fmt: skip
        screen.close()
    kinds = [
        (event.type, keys.get(event.detail, event.detail))
        for event in happened
        if event.type in (X.KeyPress, X.KeyRelease, X.ButtonPress, X.ButtonRelease)
    ]
    assert kinds == [
        (X.KeyPress, "f"), (X.KeyPress, "j"), (X.KeyRelease, "f"),
        (X.ButtonPress, 3), (X.ButtonRelease, 3), (X.KeyRelease, "j"),
        (X.KeyPress, "space"), (X.KeyRelease, "space"),
    ]  # fmt: skip
    assert [(sent.device, sent.key) for sent in box.injected] == [
        ("keyboard", "f"), ("keyboard", "j"), ("mouse", "right"), ("keyboard", "space"),
    ]  # fmt: skip
    for stroke, sent in zip(strokes, box.injected, strict=True):
        assert sent.t_s >= stroke.at_s
        assert sent.span_s > 0


@pytest.mark.window
def test_a_display_that_does_not_answer_is_said_in_one_line(monkeypatch):
    monkeypatch.setenv("DISPLAY", ":9999")
    with pytest.raises(UserError, match="the button box can't press: the display doesn't answer"):  # noqa: SIM117
        with button_box():
            pass
