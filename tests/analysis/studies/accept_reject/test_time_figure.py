"""The figure and the table of decision times, as a reader sees them."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.text import Annotation

from analysis.questions.question import TypedAnswers, Within
from analysis.studies.accept_reject.questions.times import _keys as keys
from analysis.studies.accept_reject.questions.times import draw_histograms
from analysis.studies.accept_reject.response_times import TimeHistogram, TimePanel

EDGES_S = np.geomspace(0.5, 8, 31)
AT_THE_CUTOFF = int(np.searchsorted(EDGES_S, 3.0))


def panel(solver, explained, tallest):
    """Return counts whose tallest bar begins where the cutoff's label stands."""
    rejected = np.ones(30, int)
    rejected[AT_THE_CUTOFF] = tallest
    return TimePanel(solver, explained, np.zeros(30, int).tolist(), rejected.tolist())


def test_each_kind_of_answer_has_a_mark_of_its_own():
    """Today both kinds of rejections have hollow circles."""
    looks = {(key.get_marker(), key.get_markerfacecolor()): key.get_label() for key in keys()}
    assert len(looks) == 4
    assert looks["D", "white"] == "rejected, without"


@pytest.mark.parametrize("tallest", [1, 7, 400])
def test_no_bar_crosses_the_cutoffs_label(tallest):
    panels = [panel(solver, explained, tallest) for solver in "SE" for explained in (False, True)]
    times = SimpleNamespace(histogram=TimeHistogram(EDGES_S.tolist(), tuple(panels), 0))
    sample = SimpleNamespace(cutoff_s=3.0, expert_origins=["people"])
    figure = draw_histograms(Within(times, TypedAnswers({"participants": sample})))
    figure.canvas.draw()
    labels = [
        (axes, text)
        for axes in figure.axes
        for text in axes.texts
        if isinstance(text, Annotation) and text.get_text() == "3 s"
    ]
    assert len(labels) == 2
    for axes, text in labels:
        bar_top_px = axes.transData.transform((3.0, tallest))[1]
        assert text.get_window_extent().y0 > bar_top_px
