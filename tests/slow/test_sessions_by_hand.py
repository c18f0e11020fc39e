"""Whole sessions of every kind by a hand that has no hook in them, disturbed in all ways."""

import sys
import time

import pytest

from experiments.engine.virtual_display import virtual_display
from participants.folder import LabFolder
from participants.journal import read_journal
from participants.registry import Registry
from stimuli.pack import write_pack
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.sketch import sketch as plates_sketch
from stimuli.studies.progressive_reveal.sketch import sketch as rounds_sketch
from tests.experiments.conftest import CHANGES as PLATES
from tests.experiments.conftest import few_digits, few_tasks
from tests.experiments.windows.rounds import CHANGES as ROUNDS
from tests.experiments.windows.session_lab import PATIENCE_S, Lab
from tests.slow.hand import LETTERS, Hand, Session, by_keys, by_mouse

HERE = ("--display", "existing", "--checklist", "confirmed", "--override", "a test")
NOTE = "the phone rang"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


def typed_elsewhere(session):
    """Another window takes the focus, and everything that means something here is typed there."""
    with session.hand.at_another_window():
        for key in ("space", "1", "f", "j", "Return", "a"):
            session.hand.press(key)
    go_on(session, "continue")


def paused(session):
    session.hand.chord("p")
    go_on(session, "continue")


def noted(session):
    had = session.lab.events()["continue"]
    session.hand.chord("n")
    time.sleep(1)
    session.hand.type(NOTE)
    session.hand.press("Return")
    go_on(session, "continue", had)


def go_on(session, event, had=None):
    """Press Return until the journal has one event more than it had (now, if nobody says when)."""
    had = session.lab.events()[event] if had is None else had
    until = time.monotonic() + PATIENCE_S
    while session.lab.events()[event] == had:
        assert time.monotonic() < until, event
        time.sleep(0.5)
        session.hand.press("Return")


def killed(session):
    session.kill()
    session.start()


def a_second_session(session):
    other = Registry.open(LabFolder.open(session.lab.folder).registry_url)
    code = other.enrol("participant", purpose="pilot")
    second = session.lab.start("--participant", code, *HERE)
    out, err = second.communicate(timeout=PATIENCE_S)
    assert (second.returncode, out) == (2, "")
    session.lab.second = err.strip().splitlines()[-1]


def another_language(session):
    """Killed, asked to go on in another language, refused, and begun again as it was."""
    session.kill()
    again = session.lab.start(*session._arguments, "--language", "de")
    out, err = again.communicate(timeout=PATIENCE_S)
    assert (again.returncode, out) == (2, "")
    session.lab.other_language = err.strip().splitlines()[-1]
    session.start()


DISTURBANCES = (typed_elsewhere, paused, noted, a_second_session, killed, another_language)


def packed(folder, protocol, made):
    files = {path: made.asset(path) for path in made.manifest.files}
    write_pack(folder, protocol, "solutions", files, {"made": "sketch"})
    return folder


def plates(folder):
    usual = load_protocol("accept_reject").practice.model_dump()
    protocol = load_protocol("accept_reject", None, {**PLATES, "practice": usual})
    made = plates_sketch(protocol, places=[("deutan", 2)], digits=few_digits())
    return packed(folder, protocol, made)


def rounds(folder):
    session = {
        **ROUNDS["session"], "sittings": 1, "rounds_per_sitting": 8, "survey": True,
        "copy_typing_words": 0,
    }  # fmt: skip
    images = {**ROUNDS["images"], "images_per_class": 4}
    protocol = load_protocol(
        "progressive_reveal", None, {**ROUNDS, "images": images, "session": session}
    )
    return packed(folder, protocol, rounds_sketch(protocol))


def tasks(folder):
    return few_tasks(folder, plates=3)


KINDS = {
    "lead": (
        plates, "run", {"axis": "deutan", "rung": 2},
        by_keys("space", "Return", "f", "j", "1", "2"),
    ),
    "participant": (
        rounds, "run", {}, by_keys("space", "Return", "Down", "1", "BackSpace", *LETTERS),
    ),
    "expert": (tasks, "annotate", {}, by_mouse("space", "Return", *"123", "BackSpace")),
}  # fmt: skip


CHECKS = {
    "example_reject": "22121", "guidelines_again": "22121",
    "answering": "111", "instructions_again": "111",
}  # fmt: skip


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_session_by_hand_holds_whatever_happens(kind, tmp_path):
    make, verb, place, act = KINDS[kind]
    pack = make(tmp_path / "pack")
    (tmp_path / "lab").mkdir()
    lab = Lab(tmp_path / "lab", pack)
    registry = Registry.open(LabFolder.open(lab.folder).registry_url)
    code = registry.enrol(kind, purpose="pilot", **place)
    with virtual_display((1280, 720)) as shown:
        lab.environment["DISPLAY"] = shown.name
        shots = ("--screenshots", tmp_path / "screens")
        session = Session(
            lab, Hand(shown.name), ("--participant", code, *HERE, *shots), verb, CHECKS
        )
        session.start()
        # A few images are soon marked: all of it comes after the first one.
        some = DISTURBANCES if verb == "run" else DISTURBANCES[:3]
        after = [1 + n if verb == "run" else 1 for n in range(len(some))]
        said = session.to_the_end(act, list(zip(after, some, strict=True)))
    assert said["complete"]
    journal = read_journal(lab.journal_path)
    reasons = [event["reason"] for event in journal.of("pause")]
    assert "focus lost" in reasons
    assert "by key" in reasons
    assert [note["text"] for note in journal.of("note")] == [NOTE]
    ends = [end["trial"] for end in journal.of("trial_end")]
    assert len(ends) == len(set(ends))
    if verb == "run":
        assert "display: in use by a session" in lab.second
        assert "language" in lab.other_language
