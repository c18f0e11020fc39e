"""People's sessions in real windows: one a display, of one purpose, in one language."""

import json
import subprocess
import sys
import time
from contextlib import closing

import pytest

from experiments.engine.virtual_display import virtual_display
from participants.folder import LabFolder
from participants.journal import read_journal
from participants.registry import Registry
from tests.experiments.windows.session_lab import PATIENCE_S, SMALL_PX, Lab

HERE = ("--display", "existing", "--checklist", "confirmed", "--override", "a test")

pytestmark = [
    pytest.mark.window(tolerance_ms=200),
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


def press(name):
    """Press and release a key of the display, wherever the focus is."""
    from Xlib import XK, X, display
    from Xlib.ext import xtest

    screen = display.Display()
    key = screen.keysym_to_keycode(XK.string_to_keysym(name))
    for event in (X.KeyPress, X.KeyRelease):
        xtest.fake_input(screen, event, key)
        screen.sync()
        time.sleep(0.1)
    screen.close()


class Guarded(Lab):
    """A lab in which people take part."""

    def __init__(self, folder, pack):
        super().__init__(folder, pack)
        self.lab = LabFolder.open(folder)

    def enrol(self, **changes):
        with closing(Registry.open(self.lab.registry_url)) as registry:
            return registry.enrol(**{"role": "lead", "axis": "deutan", "rung": 2, **changes})

    def refused(self, *arguments, **ways):
        process = self.start(*arguments, **ways)
        try:
            out, err = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.kill(process)
            pytest.fail(f"was let in: {arguments}")
        assert (process.returncode, out) == (2, "")
        return err.strip().splitlines()[-1]

    def agree(self, process):
        """Turn the sheets of the consent, agree and confirm; keys count when it is up."""
        until = time.monotonic() + PATIENCE_S
        while not self.events()["consent"]:
            assert process.poll() is None
            assert time.monotonic() < until
            for key in ("space", "1", "Return"):
                press(key)


@pytest.fixture(scope="module")
def lab(tmp_path_factory, mini_pack, mini_tasks):
    """A pilot's session: others are started meanwhile, it is killed, and goes on."""
    lab = Guarded(tmp_path_factory.mktemp("lab"), mini_pack)
    pilot, other = lab.enrol(purpose="pilot"), lab.enrol(purpose="pilot")
    expert = lab.enrol(role="expert", axis=None, rung=None, purpose="pilot")
    with virtual_display(SMALL_PX) as shown:
        lab.environment["DISPLAY"] = shown.name
        first = lab.start("--participant", pilot, "--language", "de", *HERE)
        lab.wait_for("checklist", 1, first)
        lab.second = lab.refused("--participant", other, *HERE)
        lab.pack = mini_tasks
        lab.expert = lab.refused("--participant", expert, *HERE, verb="annotate")
        lab.pack = "--unattended"
        lab.doctor = examined(lab)
        lab.pack = mini_pack
        lab.agree(first)
        lab.kill(first)
        again = lab.start("--participant", pilot, *HERE)
        lab.wait_for("session", 2, again)
        lab.kill(again)
        person = ("--participant", pilot)
        lab.as_main = lab.refused(*person, "--purpose", "main", *HERE)
        lab.in_english = lab.refused(*person, "--language", "en", *HERE)
    return lab


def examined(lab):
    """Return what doctor says of the display."""
    out, _ = lab.start(verb="doctor").communicate(timeout=PATIENCE_S)
    return {check["check"]: check for check in json.loads(out)["checks"]}["display"]


@pytest.fixture(scope="module")
def journal(lab):
    return read_journal(lab.journal_path)


def test_a_second_session_at_a_display_is_refused(lab):
    for said in (lab.second, lab.expert):
        assert "display: in use by a session since " in said
    assert lab.doctor["status"] == "fail"
    assert "in use by a session" in lab.doctor["found"]
    assert len(list(lab.data.sessions())) == 1


def test_a_killed_session_frees_its_display_and_goes_on_there(journal):
    assert [begun["resumed"] for begun in journal.of("session")] == [False, True]


def test_a_pilot_goes_on_as_pilot_and_does_not_begin_as_main(lab, journal):
    assert {begun["purpose"] for begun in journal.of("session")} == {"pilot"}
    assert "is enrolled for purpose pilot, not main" in lab.as_main


def test_a_session_goes_on_in_its_language_and_in_no_other(lab, journal):
    """The lab's own language is another one."""
    assert lab.lab.settings.language == "en"
    assert {begun["language"] for begun in journal.of("session")} == {"de"}
    assert "began in language de and continues in it" in lab.in_english
