"""A report of progressive_reveal without what is slow to draw."""

from analysis.report.writer import render
from analysis.studies.progressive_reveal.present import REPORT


def words_of(results):
    """Return the page without its drawings."""
    return render(REPORT.build(results), dict.fromkeys(REPORT.figures, ""))
