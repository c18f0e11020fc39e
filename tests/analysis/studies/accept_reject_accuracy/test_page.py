"""The page on accuracy, as a reader sees it."""

from dataclasses import replace

import pytest

from analysis.questions.estimates import EstimateRow
from analysis.studies.accept_reject_accuracy.inquiry import LABELS
from analysis.studies.accept_reject_accuracy.questions.uncertainty import UNCERTAINTY, counted, draw
from tests.analysis.studies.accept_reject_accuracy.tables_of import simulated
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import small_sketch


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    dataset = simulated(tmp_path_factory.mktemp("data"), small_sketch(), ["exact_labels"] * 2)
    return LABELS.analyse(dataset, None, (), lambda _: None)


def test_titles_stay_within_the_figure(results):
    found = LABELS.read_results(results).of(UNCERTAINTY)
    pairs = tuple(replace(found.pairs[0], given_by=by, rate=0.5) for by in ("S", "E")) * 20_000
    figure = draw(replace(found, pairs=pairs))
    figure.canvas.draw()
    for axes in figure.axes:
        drawn = axes._left_title.get_window_extent()
        assert axes.get_title(loc="left").endswith("n = 20\u202f000")
        assert drawn.x1 <= figure.bbox.x1


@pytest.mark.parametrize(("share", "n", "words"), [(None, 0, "none"), (0.25, 4, "1 of 4 (25.0 %)")])
def test_a_share_of_nothing_is_none(share, n, words):
    assert counted(EstimateRow(quantity="disputed", estimate=share, n=n)) == words


@pytest.mark.parametrize("empty", [False, True])
def test_tables_without_rows_have_a_file_where_the_study_wants_them(empty, results):
    nobody = results | {"participants": results["participants"] | {"by_rule": []}}
    report = replace(LABELS, empty_files=empty).build(nobody)
    assert ("exclusions" in report.files) == empty
    assert "missing" not in report.files
