"""From the start window to the end of a session and back, by real keys."""

import subprocess
import sys
import time
from contextlib import closing, contextmanager

import pytest

from experiments.engine.virtual_display import virtual_display
from participants.folder import LabFolder
from participants.journal import read_journal
from participants.overview.notes import notes_of
from participants.registry import Registry
from stimuli.pack import write_pack
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject_accuracy.sketch import SketchRates
from stimuli.studies.accept_reject_accuracy.sketch import sketch as labelled_sketch
from stimuli.studies.human_ai_team.sketch import sketch as team_sketch
from stimuli.studies.progressive_reveal.sketch import sketch as reveal_sketch
from stimuli.studies.simulatability.sketch import sketch as cases_sketch
from tests.experiments.windows import test_cases_session, test_reveal_session, test_team_session
from tests.experiments.windows.session_lab import LAB, PATIENCE_S, Lab
from tests.stimuli.studies.accept_reject_accuracy import labelled_sets
from tests.stimuli.studies.human_ai_team import small as team
from tests.stimuli.studies.simulatability import small as cases

pytestmark = [
    pytest.mark.window(tolerance_ms=200),
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]
WAIT_S = 3.0
"""So long a key may take to have its effect before it is pressed again."""
ENROL, WHO, READY, AFTER = "Enrol somebody new", ": 1 ", ": 2 ", ": 3 "
"""What tells the titles of the dialog and of the pages."""
ONE_SITTING = {
    **test_reveal_session.CHANGES,
    "session": {**test_reveal_session.CHANGES["session"], "sittings": 1, "rounds_per_sitting": 4},
}


@contextmanager
def front_window():
    """Give the display and the uppermost window that is shown, or None."""
    from Xlib import X, display

    screen = display.Display()
    windows = screen.screen().root.query_tree().children
    shown = [one for one in windows if one.get_attributes().map_state == X.IsViewable]
    yield screen, shown[-1] if shown else None
    screen.close()


def title():
    """Return the title of the uppermost window; empty if there is none."""
    with front_window() as (_, window):
        return "" if window is None else window.get_wm_name() or ""


def press(*names):
    """Focus the uppermost window, as a window manager does, and press keys together in it."""
    from Xlib import XK, X
    from Xlib.ext import xtest

    with front_window() as (screen, window):
        if window is None:
            return
        window.set_input_focus(X.RevertToParent, X.CurrentTime)
        screen.sync()
        codes = [screen.keysym_to_keycode(XK.string_to_keysym(name)) for name in names]
        strokes = [(X.KeyPress, code) for code in codes]
        strokes += [(X.KeyRelease, code) for code in reversed(codes)]
        for event, code in strokes:
            xtest.fake_input(screen, event, code)
            screen.sync()
            time.sleep(0.03)


class Hand:
    """Presses keys in the start window: each until its effect is seen.

    Parameters
    ----------
    process
        The window's.
    """

    def __init__(self, process):
        self._process = process

    def until(self, done, keys=()):
        """Press what belongs to the window that is in front, until something is done.

        ``keys`` pairs parts of titles with the keys (or chords) that are pressed there, one after
        the other. In a window of another title nothing is pressed.
        """
        until = time.monotonic() + PATIENCE_S
        while not done():
            assert self._process.poll() is None
            assert time.monotonic() < until, f"{title()} didn't do it"
            here = title()
            for chord in next((chords for part, chords in keys if part in here), ()):
                press(*chord)
            again = time.monotonic() + (WAIT_S if here else 0.2)
            while not done() and title() == here and time.monotonic() < again:
                time.sleep(0.1)


class Launched(Lab):
    """A lab folder with the start window before it."""

    def __init__(self, folder, pack, robot):
        super().__init__(folder, pack)
        self._place, self._robot = LabFolder.open(folder), robot

    def people(self):
        with closing(Registry.open(self._place.registry_url)) as registry:
            return registry.list()

    def notes(self):
        with closing(Registry.open(self._place.registry_url)) as registry:
            found = notes_of(registry, self._place.data)
        return [row["text"] for row in found if not row["session"]]

    def complete(self):
        return any(self.data.sessions()) and read_journal(self.journal_path).complete

    @contextmanager
    def window(self):
        words = ("launch", "--pack", self.pack, "--robot", self._robot, "--display", "existing")
        with virtual_display((1280, 720)) as shown:
            process = subprocess.Popen(
                [sys.executable, LAB, *map(str, words)],
                env={**self.environment, "DISPLAY": shown.name},
            )
            try:
                yield Hand(process)
            finally:
                process.terminate()
                process.wait(timeout=PATIENCE_S)

    def enrol_and_run(self, hand):
        """Enrol somebody and run their session to its end."""
        hand.until(self.people, [(ENROL, [("Alt_L", "e")]), (WHO, [("Alt_L", "e")])])
        hand.until(
            lambda: READY in title(), [(ENROL, [("Escape",)]), (WHO, [("Alt_L", "c"), ("Return",)])]
        )
        # On a busy PC the session's own checks refuse it: then a reason is given.
        begin = [("Alt_L", "w"), ("o",), ("Alt_L", "s")]
        hand.until(lambda: any(self.data.sessions()), [(READY, begin), (AFTER, [("Alt_L", "g")])])
        hand.until(self.complete)
        hand.until(lambda: AFTER in title())


def test_a_person_is_enrolled_runs_and_gets_a_note_by_keys_alone(tmp_path, mini_pack):
    lab = Launched(tmp_path, mini_pack, "lazy")
    with lab.window() as hand:
        lab.enrol_and_run(hand)
        hand.until(lab.notes, [(AFTER, [("Alt_L", "n"), ("o",), ("k",), ("Alt_L", "k")])])
        hand.until(lambda: WHO in title(), [(AFTER, [("Alt_L", "p")])])
    (person,) = lab.people()
    assert (person.purpose, person.complete) == ("robot", 1)
    assert read_journal(lab.journal_path).header["participant"] == person.code
    assert set(lab.notes()[0]) <= {"o", "k"}


def labelled():
    protocol = labelled_sets.protocol_of(
        solutions={"most_trials": 4, "practice_trials": 2},
        session={"break_every_trials": 4, "comprehension_attempts": 1},
        practice={"answered_share": 0.0, "right_share": 0.0},
    )
    return labelled_sketch(protocol, SketchRates(images=12, system_error=0.25))


SKETCHES = {
    "accept_reject_accuracy": ("exact_labels", labelled),
    "human_ai_team": (
        "guided_by_help",
        lambda: team_sketch(team.protocol_of(**test_team_session.CHANGES)),
    ),
    "progressive_reveal": (
        "viewer",
        lambda: reveal_sketch(load_protocol("progressive_reveal", None, ONE_SITTING)),
    ),
    "simulatability": (
        "reader",
        lambda: cases_sketch(cases.protocol_of(**test_cases_session.CHANGES)),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("study", SKETCHES)
def test_each_other_study_goes_from_the_window_to_its_end(study, tmp_path):
    robot, sketch = SKETCHES[study]
    made = sketch()
    files = {path: made.asset(path) for path in made.manifest.files}
    write_pack(tmp_path / "pack", made.protocol, "solutions", files, {"made": "sketch"})
    lab = Launched(tmp_path, tmp_path / "pack", robot)
    with lab.window() as hand:
        lab.enrol_and_run(hand)
    (person,) = lab.people()
    assert (person.purpose, person.complete) == ("robot", 1)
