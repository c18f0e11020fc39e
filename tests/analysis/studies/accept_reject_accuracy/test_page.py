"""The page on accuracy, as a reader sees it."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from analysis.preregister.frozen import read_frozen
from analysis.read_results import read_results
from analysis.report.estimates import CountedShare
from analysis.report.parts import Section
from analysis.report.writer import render
from analysis.studies.accept_reject_accuracy.inquiry import LABELS
from analysis.studies.accept_reject_accuracy.questions.accuracy import ACCURACY
from analysis.studies.accept_reject_accuracy.questions.noticed import NOTICED
from analysis.studies.accept_reject_accuracy.questions.participants import PARTICIPANTS
from analysis.studies.accept_reject_accuracy.questions.uncertainty import UNCERTAINTY, draw
from tests.analysis.studies.accept_reject_accuracy.tables_of import simulated
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import small_sketch

GOLDEN = Path(__file__).parents[3] / "golden"
OLD_RESULTS = GOLDEN / "results_accept_reject_accuracy-1.0" / "results.json"
OLD_PREREGISTRATION = GOLDEN / "preregistration-1.1-accept_reject_accuracy"
ABSENT = {"missing", "published", "incidents"}
"""Tables that have no file where there is nothing to tell."""


def test_titles_stay_within_the_figure():
    found = read_results(OLD_RESULTS).of(UNCERTAINTY)
    pairs = tuple(replace(found.pairs[0], given_by=by, rate=0.5) for by in ("S", "E")) * 20_000
    figure = draw(replace(found, pairs=pairs))
    figure.canvas.draw()
    for axes in figure.axes:
        drawn = axes._left_title.get_window_extent()
        assert axes.get_title(loc="left").endswith("n = 20\u202f000")
        assert drawn.x1 <= figure.bbox.x1


def test_a_share_of_nothing_is_none():
    assert CountedShare.of(0, 0).words == "none"
    assert CountedShare.of(1, 4).words == "1 of 4 (25.0 %)"


def test_headings_write_quantities_as_the_text_does(tmp_path):
    dataset = simulated(tmp_path, small_sketch(), ["exact_labels"] * 2)
    report = LABELS.build(LABELS.analyse(dataset, None, (), lambda _: None))
    page = render(report, dict.fromkeys(LABELS.figures, ""))
    for heading in ("<i>p</i><sub>S</sub>", "<i>acc</i><sub>L</sub>"):
        assert f'<th scope="col" class="numeric">{heading}</th>' in page


def test_results_of_version_1_0_are_read_as_what_they_were():
    """Their study has the name of the tables; the protocol in them tells the assessment."""
    old = json.loads(OLD_RESULTS.read_text("utf-8"))
    found = read_results(OLD_RESULTS)
    assert asdict(found.of(ACCURACY).ratio) == old["accuracy"]
    assert [asdict(row) for row in found.of(UNCERTAINTY).pairs] == old["pairs"]
    assert [asdict(row) for row in found.of(NOTICED).answers] == old["answers"]
    assert [asdict(row) for row in found.of(PARTICIPANTS).leads] == old["participants"]
    assert found.of(PARTICIPANTS).cutoff_s == old["data"]["cutoff_s"]
    assert found.frame.headline == old["headline"]
    report = LABELS.build(LABELS.older(old))
    assert set(report.files) == {name for name in LABELS.tables if name not in ABSENT}
    assert old == json.loads(OLD_RESULTS.read_text("utf-8"))


@pytest.mark.parametrize("empty", [False, True])
def test_tables_without_rows_have_a_file_where_the_study_wants_them(empty):
    old = json.loads(OLD_RESULTS.read_text("utf-8"))
    nobody = old | {"exclusions": old["exclusions"] | {"by_rule": []}}
    report = replace(LABELS, empty_files=empty).build(LABELS.older(nobody))
    assert ("exclusions" in report.files) == empty
    assert "missing" not in report.files


def test_sections_are_those_of_an_older_preregistration():
    """It names them by ids that were made of their titles."""
    sections = [Section(one.title, (), one.id) for one in LABELS.questions]
    planned = read_frozen(OLD_PREREGISTRATION).sections
    found = [section.id for one in planned for section in sections if one.is_of(section)]
    assert found == ["accuracy", "uncertainty", "controls", "sensitivity"]
