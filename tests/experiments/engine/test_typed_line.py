"""A note's line: what a paste or an input method gives at once is cut to fit, between signs."""

import sys
from types import SimpleNamespace

import pytest

from experiments.engine.text import TypedLine

BACKSPACE = 65288
CODER = "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{PERSONAL COMPUTER}"


@pytest.fixture
def line(monkeypatch):
    """A line without a display, which pyglet's own module would open."""
    keys = SimpleNamespace(MOTION_BACKSPACE=BACKSPACE)
    monkeypatch.setitem(sys.modules, "pyglet.window", SimpleNamespace(key=keys))
    window = SimpleNamespace(handle=SimpleNamespace(winHandle=None))
    return TypedLine(window, 8)


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        (["0123", "456789"], "01234567"),
        (["pasted\r\n", "\x1b[2J"], "pasted[2"),
        (["ab", CODER, CODER], "ab" + CODER + CODER),
        (["abc", CODER, CODER], "abc" + CODER),
        (["\N{RIGHT-TO-LEFT OVERRIDE}abc"], "abc"),
    ],
)
def test_what_is_too_long_is_cut_and_what_shows_nothing_left_out(line, typed, text):
    for part in typed:
        line.handlers()["on_text"](part)
    assert line.text == text


def test_backspace_takes_back_what_a_reader_takes_for_one_sign(line):
    line.handlers()["on_text"]("a" + CODER)
    for text in ("a", "", ""):
        line.handlers()["on_text_motion"](BACKSPACE)
        assert line.text == text
