"""The page on accuracy, as a reader sees it."""

from analysis.report.writer import render
from analysis.studies.accept_reject_accuracy.figures import uncertainty_figure
from analysis.studies.accept_reject_accuracy.present import REPORT
from analysis.studies.accept_reject_accuracy.results import analyse_accuracy
from tests.analysis.studies.accept_reject_accuracy.tables_of import simulated
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import small_sketch


def test_titles_stay_within_the_figure():
    pairs = [{"given_by": given_by, "rate": 0.5} for given_by in ("S", "E")] * 20_000
    figure = uncertainty_figure({"pairs": pairs})
    figure.canvas.draw()
    for axes in figure.axes:
        drawn = axes._left_title.get_window_extent()
        assert axes.get_title(loc="left").endswith("n = 20\u202f000")
        assert drawn.x1 <= figure.bbox.x1


def test_headings_write_quantities_as_the_text_does(tmp_path):
    results = analyse_accuracy(simulated(tmp_path, small_sketch(), ["exact_labels"] * 2), None, ())
    page = render(REPORT.build(results), dict.fromkeys(REPORT.figures, ""))
    for heading in ("<i>p</i><sub>S</sub>", "<i>acc</i><sub>L</sub>"):
        assert f'<th scope="col" class="numeric">{heading}</th>' in page
