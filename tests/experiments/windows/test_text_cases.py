"""Labels of texts accepted and rejected in a real window by real keys."""

import sys
from collections import Counter

import pytest

from participants.dataset.table_files import read_table
from participants.journal import read_journal
from stimuli.cases import texts_in
from stimuli.io.canonical import sha256_hex
from stimuli.pack import open_pack, write_pack
from stimuli.studies.accept_reject_accuracy.compose import compose_solutions
from tests.experiments.windows.session_lab import HASTY, SMALL, Lab
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import protocol_of, text_tasks_of

CHANGES = {
    "cases": "texts",
    "solutions": {"most_trials": 6, "practice_trials": 4},
    "trial": {"fixation_s": 0.05, "practice_feedback_s": 0.2},
}

pytestmark = [
    pytest.mark.window,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """One session of a robot that accepts exactly the data set's labels."""
    protocol, folder = protocol_of(**CHANGES), tmp_path_factory.mktemp("packs") / "texts"
    files = compose_solutions(protocol, text_tasks_of(12))
    write_pack(folder, protocol, "solutions", files, {"made": "a test"})
    lab = Lab(tmp_path_factory.mktemp("lab"), folder)
    here = ("--robot", "exact_labels", "--display", "virtual", *SMALL)
    shots = ("--screenshots", lab.folder / "screens")
    assert lab.finish(lab.start(*here, *shots, door=HASTY))["complete"]
    return lab


def test_each_trial_showed_its_text_and_was_answered_by_a_key(lab):
    journal, shown = read_journal(lab.journal_path), texts_in(open_pack(lab.pack), "en")
    starts = journal.of("trial_start")
    assert len(starts) >= 6
    for start in starts:
        assert start["plate_sha256"] == sha256_hex(shown[start["presentation"]].encode("utf-8"))
    flips = Counter(event["what"] for event in journal.of("flip") if "trial" in event.fields)
    assert flips["plate_on"] == len(starts)
    assert {event["device"] for event in journal.of("response")} == {"keyboard"}


def test_the_table_has_the_robots_decisions(lab):
    rows = read_table(lab.data, "accept_reject", "trials")
    assert {row["solver"] for row in rows} >= {"S", "E"}
    for row in rows:
        right = row["shown_label"] == row["true_label"]
        assert row["decision"] == ("accept" if right else "reject")


def test_screens_of_texts_are_among_those_that_are_saved(lab):
    names = {path.stem[4:] for path in (lab.folder / "screens").glob("*.png")}
    assert {"instructions_texts", "trial-without", "debrief_texts", "end"} <= {
        name.removesuffix("-1") for name in names
    }
