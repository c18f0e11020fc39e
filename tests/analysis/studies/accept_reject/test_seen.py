"""The figure of explained plates, from the pack."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from analysis.cli import main
from analysis.questions.question import Pictured, TypedAnswers
from analysis.studies.accept_reject import questions
from analysis.studies.accept_reject.questions.seen import (
    SEEN,
    Seen,
    draw_examples,
    pictures,
    seen_plates,
)
from participants.cli import main as participants_main
from participants.studies.accept_reject.shown import stimulus_of
from stimuli.colour.display import SRGB
from stimuli.maps.origin import RESPONSE_MODEL
from stimuli.pack import open_pack
from stimuli.plates.plate import plate_from_bytes
from stimuli.plates.render import render
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.sketch import sketch
from stimuli.studies.accept_reject.tables import ITEMS, KEY
from stimuli.studies.accept_reject.tasks import plate_spec
from tests.analysis.asking import analysing
from tests.analysis.formats import formats_of
from tests.analysis.packs_on_disk import written
from tests.analysis.report.drawings import unreadable, widest_font
from tests.analysis.studies.accept_reject.odd_tables import small
from tests.analysis.studies.accept_reject.whole import alone, results_of, said_of

FIGURES = {"explained_plates"}
SIDE_PX = 420
LEFT_OUT = "figures of what was shown are left out"
SMALL = {
    "solutions": {"trials_per_run": 20, "practice_trials": 4, "lists": 2},
    "analysis": {"replicates": 100},
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seen")
    protocol = load_protocol("accept_reject", None, SMALL)
    written(sketch(protocol, [("deutan", 2)]), folder / "pack")
    return folder


@pytest.fixture(scope="module")
def pack(place):
    return open_pack(place / "pack", "solutions")


def test_examples_are_explained_plates_of_each_digit(pack):
    rows = seen_plates(pack)
    key = {row["presentation"]: row for row in pack.table(KEY)}
    assert len({(row.digit, row.solver, row.method) for row in rows}) == len(rows)
    for row in rows:
        truth = key[row.presentation]
        assert (truth["true_label"], truth["solver"]) == (row.digit, row.solver)
        assert truth["explained"]
    assert {row.solver for row in rows} == {"S", "E"}


def test_words_keep_within_the_drawing_whoever_e_was(pack, monkeypatch):
    """Ten digits go on in a second block, and a simulated expert's name is the longest."""
    monkeypatch.setattr(questions.seen, "SIDE_PX", 40)
    seen = Seen(seen_plates(pack))
    sample = SimpleNamespace(expert_origins=[RESPONSE_MODEL])
    found = TypedAnswers({"participants": sample})
    with widest_font():
        figure = draw_examples(Pictured(seen, pictures(pack, seen), pack.protocol, found))
        assert unreadable(figure) == ([], [])


def test_a_picture_is_the_plate_with_a_contour_of_black_and_white(pack, monkeypatch):
    monkeypatch.setattr(questions.seen, "SIDE_PX", SIDE_PX)
    seen = Seen(seen_plates(pack))
    explained = pictures(pack, seen)[seen.plates[0].presentation]
    shown = {row["presentation"]: row for row in pack.table(ITEMS)}
    plain = dict(shown[seen.plates[0].presentation], region_file=None, method=None)
    stimulus = stimulus_of(plain, pack.protocol)
    plate = plate_from_bytes(pack.asset(stimulus.plate_file))
    spec = plate_spec(pack.protocol.plates)
    without = render(plate, stimulus.axis, stimulus.contrast, SIDE_PX, SRGB, spec)
    assert without.shape == explained.shape == (SIDE_PX, SIDE_PX, 3)
    changed = (without != explained).any(axis=2)
    assert 0.005 < changed.mean() < 0.2
    colour = [np.median(np.ptp(one[changed].astype(int), axis=1)) for one in (explained, without)]
    # What a contour changes loses its colour.
    assert colour[0] < colour[1]


@pytest.mark.slow
def test_the_report_shows_them_with_the_pack(place, pack):
    arguments = ["--participants", "2", "--pack", place / "pack", "--out", place / "data"]
    assert participants_main(["simulate", "accept_reject", *map(str, arguments)]) == 0
    words = ["--data", place / "data", "--out", place / "whole", "--pack", place / "pack"]
    with analysing(alone(SEEN)):
        assert main(["analyse", "accept_reject", *map(str, words)]) == 0
    assert formats_of(place / "whole" / "figures")[".svg"] >= FIGURES
    assert LEFT_OUT not in (place / "whole" / "report.html").read_text("utf-8")
    results = json.loads((place / "whole" / "results.json").read_text("utf-8"))
    assert results["seen"]["plates"]


def test_the_report_of_the_data_alone_says_that_they_are_left_out():
    results = results_of(small(), only=[SEEN])
    assert results["seen"]["plates"] is None
    assert LEFT_OUT in said_of(results, SEEN)
