"""Sessions of every study from the start window and back, by real keys, under a window manager."""

import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest

from experiments.engine.virtual_display import virtual_display
from experiments.launch.packs import enrol_here, enrolment_for, found_packs
from participants.folder import LabFolder
from participants.journal import read_journal
from participants.new_person import NewPerson
from stimuli.studies import STUDIES
from tests.experiments.windows.conftest import MANAGER
from tests.experiments.windows.hand import experimenters_hand, press_chord
from tests.experiments.windows.launched import (
    AFTER,
    READY,
    WHO,
    Launched,
    front_window,
    is_managed,
    title,
)
from tests.experiments.windows.test_launch import SKETCHES
from tests.experiments.windows.test_leaving import hold_until
from tests.sealing import sealed

SESSION = "Plates"
"""What the session of plates calls its window."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.window(tolerance_ms=200),
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
    pytest.mark.skipif(
        shutil.which(MANAGER) is None,
        reason=f"needs the window manager {MANAGER} (Debian: apt-get install {MANAGER})",
    ),
]


@contextmanager
def window(lab):
    """Give a hand at the start window, on a display with a window manager."""
    with virtual_display((1280, 720)) as shown:
        manager = subprocess.Popen([MANAGER], env=lab.environment | {"DISPLAY": shown.name})
        try:
            with lab.window_on(shown) as hand:
                hand.until(managed)
                yield hand
        finally:
            manager.terminate()
            manager.wait()


def managed():
    with front_window() as (screen, _, _):
        return is_managed(screen)


def launched(folder, study, mini_pack):
    """Return a lab folder before which the window stands, with a short pack of a study."""
    (folder / "lab").mkdir()
    if study not in SKETCHES:
        return Launched(folder / "lab", mini_pack, "lazy")
    robot, sketch = SKETCHES[study]
    return Launched(folder / "lab", sealed(sketch(), folder / "pack"), robot)


def enrolled(lab, purpose):
    """Enrol somebody as the window offers it first, and return the code."""
    place = LabFolder.open(lab.folder)
    (pack,) = found_packs(place, (lab.pack,))
    can = enrolment_for(pack, robots=True)
    axis, rung = can.places[0] if can.places else (None, None)
    return enrol_here(place, pack, NewPerson(can.roles[0], axis, rung, purpose))


@pytest.mark.parametrize("study", STUDIES)
def test_a_session_goes_from_the_window_to_its_end_and_back(study, tmp_path, mini_pack):
    lab = launched(tmp_path, study, mini_pack)
    code = enrolled(lab, "robot")
    with window(lab) as hand:
        lab.scan(hand, code)
        lab.run(hand)
        hand.until(lab.notes, [(AFTER, [("Alt_L", "n"), ("o",), ("Alt_L", "k")])])
        hand.until(lambda: WHO in title(), [(AFTER, [("Alt_L", "p")])])
    journal = read_journal(lab.journal_path)
    assert (journal.header["participant"], journal.complete) == (code, True)
    assert [person.complete for person in lab.people()] == [1]
    # The window that started it took no key and no focus from the session.
    assert not journal.of("pause")


def test_a_person_begins_once_the_checklist_is_ticked_and_can_go_on_after_a_stop(
    tmp_path, mini_pack
):
    lab = launched(tmp_path, "accept_reject", mini_pack)
    lab.robot = None
    code = enrolled(lab, "pilot")
    begin = [("Alt_L", "a"), ("Alt_L", "w"), ("o",), ("Control_L", "Return")]
    agree = [("space",), ("1",), ("Return",)]
    with window(lab) as hand:
        lab.scan(hand, code)
        hand.until(lambda: lab.events()["checklist"], [(READY, begin)])
        hand.until(lambda: lab.events()["consent"], [(SESSION, agree)])
        with experimenters_hand() as experimenter:
            press_chord(experimenter, "x")
            hold_until(experimenter, lab, "return", "abort")
        leave = [("Control_L", "Shift_L", "Return")]
        hand.until(lambda: READY in title(), [(SESSION, leave), (AFTER, [("Alt_L", "g")])])
    journal = read_journal(lab.journal_path)
    (checklist,) = journal.of("checklist")
    assert set(checklist["holds"].values()) == {True}
    assert not journal.complete
