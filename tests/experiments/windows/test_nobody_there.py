"""Sessions in real windows in which nobody answers: they wait, and practice is not enough."""

import sys

import pytest

from participants.journal import read_journal
from participants.session import UNATTENDED
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject_accuracy.sketch import SketchRates
from stimuli.studies.accept_reject_accuracy.sketch import sketch as labels
from stimuli.studies.progressive_reveal.sketch import sketch as rounds
from tests.experiments.windows.session_lab import SMALL, Lab
from tests.sealing import sealed

pytestmark = [
    pytest.mark.window(tolerance_ms=200),
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]
WAIT_AFTER = 2
PRACTICE = {"answered_share": 0.5, "right_share": 0.5, "repeats": 1, "then": "call_experimenter"}
LABELS = {
    "images": {"size_px": 64},
    "solutions": {
        "practice_trials": 2,
        "shares": {"S": 0.5, "E": 0.5, "wrong_label": 0.0, "no_solution": 0.0},
    },
    "trial": {"limit_s": 0.3, "cutoff_s": 0.3, "fixation_s": 0.05, "practice_feedback_s": 0.1},
    "session": {"wait_after_unanswered": WAIT_AFTER},
    "practice": PRACTICE,
}
ROUNDS = {
    "images": {"classes": 2, "images_per_class": 2, "size_px": 128},
    "reveal": {"steps": 3, "step_s": 0.1},
    "session": {
        "sittings": 1, "rounds_per_sitting": 4, "practice_rounds": 1, "catch_rounds": 0,
        "fixation_s": 0.05,
        "feedback_s": 0.1, "break_every_rounds": 4, "copy_typing_words": 0, "survey": False,
        "orders_per_rotation": 1, "wait_after_unanswered": WAIT_AFTER,
    },
    "practice": PRACTICE,
}  # fmt: skip


def accuracy():
    protocol = load_protocol("accept_reject_accuracy", None, LABELS)
    return labels(protocol, SketchRates(images=8)), "absent", 2


def reveal():
    protocol = load_protocol("progressive_reveal", None, ROUNDS)
    return rounds(protocol), "idle", 1


@pytest.fixture(scope="module", params=[accuracy, reveal], ids=["accuracy", "reveal"])
def ran(request, tmp_path_factory):
    """How a session of somebody who never answers went, its journal, and how many practise."""
    made, robot, practised = request.param()
    folder = tmp_path_factory.mktemp("nobody")
    lab = Lab(folder, sealed(made, folder / "pack"))
    done = lab.finish(lab.start("--robot", robot, *SMALL))
    return done, read_journal(lab.journal_path), practised


@pytest.mark.slow
def test_practice_comes_again_and_then_only_the_experimenter_lets_it_go_on(ran):
    done, journal, practised = ran
    assert done["complete"]
    shown = [page["name"] for page in journal.of("page")]
    assert shown.count("practice_again") == shown.count("call_experimenter") == 1
    assert shown.index("practice_again") < shown.index("call_experimenter")
    failed = [event for event in journal.of("check") if event["step"].startswith("practice")]
    assert [(check["attempt"], check["passed"]) for check in failed] == [(1, False), (2, False)]
    assert {check["answers"]["answered"] for check in failed} == {0}
    ends = journal.of("trial_end")
    assert [end["phase"] for end in ends] == ["practice"] * 2 * practised + ["main"] * 4
    assert len({end["trial"] for end in ends}) == len(ends)


def test_no_trial_begins_after_so_many_without_an_answer_before_a_key_was_pressed(ran):
    _, journal, _ = ran
    unanswered = 0
    for event in journal.of("page", "trial_start", "trial_end"):
        match event.event:
            case "page":
                unanswered = 0
            case "trial_start":
                assert unanswered < WAIT_AFTER
            case "trial_end":
                unanswered += 1
    assert UNATTENDED in [page["name"] for page in journal.of("page")]
