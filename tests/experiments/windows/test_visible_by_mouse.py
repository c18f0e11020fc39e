"""A session answered by mouse under the visible cutoff: plates leave on their frame."""

import sys

import pytest

from participants.dataset.table_files import read_table
from participants.journal import read_journal
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.sketch import sketch
from tests.experiments.conftest import CHANGES, few_digits
from tests.experiments.windows.lab import REFRESH_HZ
from tests.experiments.windows.session_lab import SMALL, Lab
from tests.experiments.windows.stamps import assert_counts_agree
from tests.sealing import sealed

EXPOSURE_S = 0.5
FRAMES = 10

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    trial = {**CHANGES["trial"], "cutoff_mode": "visible", "cutoff_s": EXPOSURE_S}
    session = {**CHANGES["session"], "device": "mouse"}
    changes = {**CHANGES, "trial": trial, "session": session}
    protocol = load_protocol("accept_reject", None, changes)
    made = sketch(protocol, places=[("deutan", 2)], digits=few_digits())
    folder = tmp_path_factory.mktemp("visible")
    lab = Lab(folder, sealed(made, folder / "pack"))
    seen = ("--screenshots", folder / "seen")
    lab.done = lab.finish(lab.start("--robot", "random", *SMALL, *seen))
    return lab


def test_a_plate_leaves_on_its_exact_frame_and_the_answer_follows(lab):
    """Planned, counted and flip times agree; a dropped frame would be recorded.

    Frames are counted by the pacing, trial by trial, without regard to the flips' times.
    """
    journal = read_journal(lab.journal_path)
    stayed = [end for end in journal.of("trial_end") if end["frames_planned"] is not None]
    assert len(stayed) > 5
    errors_s = []
    for end in stayed:
        flips = {e["what"]: e for e in journal.of("flip") if e["trial"] == end["trial"]}
        lasted_s = flips["plate_off"].t_monotonic_s - flips["plate_on"].t_monotonic_s
        assert end["frames_planned"] == FRAMES
        assert end["frames_shown"] == FRAMES or end["frames_dropped"] > 0
        assert flips["plate_off"]["frame"] == end["frames_shown"]
        errors_s.append(lasted_s - end["frames_shown"] / REFRESH_HZ)
        # A press is handed on a little later: one of the last frames may find the plate leaving.
        found_late_s = (2 + end["frames_dropped"]) / REFRESH_HZ
        assert end["rt_s"] is None or end["rt_s"] > EXPOSURE_S - found_late_s
    assert_counts_agree(errors_s)


def test_decisions_are_made_with_mouse_buttons(lab):
    journal = read_journal(lab.journal_path)
    assert {event["device"] for event in journal.of("response")} == {"mouse"}
    assert {event["key"] for event in journal.of("response")} == {"left", "right"}
    header = journal.header
    ends = {end["trial"]: end["decision"] for end in journal.of("trial_end")}
    for event in journal.of("response"):
        accepts = event["key"] == header["accept_key"]
        assert ends[event["trial"]] == ("accept" if accepts else "reject")


@pytest.mark.slow
def test_an_acceptance_counts_whenever_it_was_given(lab):
    rows = read_table(lab.data, "accept_reject", "trials")
    late = [row for row in rows if row["rt_s"] is not None and row["rt_s"] > EXPOSURE_S]
    assert late
    for row in rows:
        assert row["accepted"] is (row["decision"] == "accept")
        assert row["cutoff_mode"] == "visible"


def test_what_stays_on_screen_is_the_solution_without_the_plate(lab):
    from PIL import Image

    seen = {path.stem[4:]: path for path in (lab.folder / "seen").glob("*.png")}
    gone = Image.open(seen["trial-plate-gone"]).convert("L")
    plate = Image.open(seen["trial-without"]).convert("L")
    width, height = gone.size
    middle = (width // 2 - 60, height // 2 - 60, width // 2 + 60, height // 2 + 60)
    assert len(set(gone.crop(middle).getdata())) == 1
    assert len(set(plate.crop(middle).getdata())) > 20
    beside = (round(0.75 * width), round(0.3 * height), width, round(0.6 * height))
    assert len(set(gone.crop(beside).getdata())) > 1
    assert any(name.startswith("exposure") for name in seen)
