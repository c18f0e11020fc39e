"""Whole results of progressive_reveal, and their page without what is slow to draw."""

from collections.abc import Sequence
from typing import Any

from analysis.data.tables import Dataset
from analysis.questions.question import Whole
from analysis.report.writer import render
from analysis.studies.progressive_reveal.inquiry import REVEAL
from tests.analysis.formats import without_drawings


def analysed(dataset: Dataset, left_out: Sequence[str] = ()) -> dict[str, Any]:
    """Return every result of a dataset as JSON has it."""
    return REVEAL.analyse(dataset, None, left_out, lambda _: None)


def typed(results: dict[str, Any]) -> Whole:
    """Return results with each answer in its own type."""
    return REVEAL.read_results(results)


def words_of(results: dict[str, Any]) -> str:
    """Return the page without its drawings."""
    with without_drawings():
        return render(REVEAL.build(results), dict.fromkeys(REVEAL.figures, ""))
