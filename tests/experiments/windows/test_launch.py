"""From the start window to the end of a session and back, by real keys."""

import subprocess
import sys
import time
from contextlib import closing

import pytest

from experiments.engine.virtual_display import virtual_display
from participants.folder import LabFolder
from participants.journal import read_journal
from participants.overview.notes import notes_of
from participants.registry import Registry
from tests.experiments.windows.session_lab import LAB, PATIENCE_S, Lab

pytestmark = [
    pytest.mark.window(tolerance_ms=200),
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]
EVERY_S = 1.0


def press(name, modifier=None):
    """Focus the uppermost window, as a window manager does, and press a key in it."""
    from Xlib import XK, X, display
    from Xlib.ext import xtest

    screen = display.Display()
    windows = screen.screen().root.query_tree().children
    shown = [one for one in windows if one.get_attributes().map_state == X.IsViewable]
    if not shown:
        screen.close()
        return
    shown[-1].set_input_focus(X.RevertToParent, X.CurrentTime)
    screen.sync()
    time.sleep(0.1)
    names = [modifier, name] if modifier else [name]
    codes = [screen.keysym_to_keycode(XK.string_to_keysym(one)) for one in names]
    strokes = [(X.KeyPress, code) for code in codes]
    strokes += [(X.KeyRelease, code) for code in reversed(codes)]
    for event, code in strokes:
        xtest.fake_input(screen, event, code)
        screen.sync()
        time.sleep(0.03)
    screen.close()


def repeat_until(done, process, *keys):
    """Press keys until something is done: on a busy PC the window may not be there yet."""
    until = time.monotonic() + PATIENCE_S
    while not done():
        assert process.poll() is None
        assert time.monotonic() < until, "the window didn't do it"
        for key in keys:
            press(*key)
        time.sleep(EVERY_S)


def test_a_person_is_enrolled_runs_and_gets_a_note_by_keys_alone(tmp_path, mini_pack):
    lab = Lab(tmp_path, mini_pack)
    place = LabFolder.open(tmp_path)

    def people():
        with closing(Registry.open(place.registry_url)) as registry:
            return registry.list()

    def notes():
        with closing(Registry.open(place.registry_url)) as registry:
            return [row["text"] for row in notes_of(registry, place.data) if not row["session"]]

    with virtual_display((1280, 720)) as shown:
        words = ("launch", "--pack", mini_pack, "--robot", "lazy", "--display", "existing")
        window = subprocess.Popen(
            [sys.executable, LAB, *map(str, words)],
            env={**lab.environment, "DISPLAY": shown.name},
        )
        try:
            # Alt+E asks as what somebody is enrolled, and does it in the dialog.
            repeat_until(people, window, ("e", "Alt_L"))
            begun = lambda: any(place.data.sessions())  # noqa: E731
            # Where the checks of the session's window refuse it, Alt+G goes on with the person.
            repeat_until(begun, window, ("Return",), ("s", "Alt_L"), ("g", "Alt_L"))
            journal = lambda: read_journal(lab.journal_path)  # noqa: E731
            repeat_until(lambda: journal().complete, window)
            repeat_until(notes, window, ("n", "Alt_L"), ("o",), ("k",), ("k", "Alt_L"))
        finally:
            window.terminate()
            window.wait(timeout=PATIENCE_S)
    (person,) = people()
    assert (person.purpose, person.complete) == ("robot", 1)
    assert journal().header["participant"] == person.code
    assert set(notes()[0]) <= {"o", "k"}
