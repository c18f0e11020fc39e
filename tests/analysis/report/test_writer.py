"""A report as it is written: its figures in the page."""

import re

import pytest

from analysis.report.parts import Picture, Report, Section
from analysis.report.style import WIDTH_IN, figure_style, subplots
from analysis.report.writer import write_report


@pytest.mark.parametrize(("part", "share"), [(1.0, []), (0.5, ["0.50"])])
def test_a_narrow_figure_is_not_stretched_to_the_pages_width(part, share, tmp_path):
    """Its letters would be larger than those of the others."""
    with figure_style():
        figure, _ = subplots(figsize=(part * WIDTH_IN, 2.0))
    picture = Picture("narrow", "A figure.", "A figure without data.", figure)
    report = Report("Title", "of a test", (), (), (Section("One", (picture,)),))
    page = write_report(tmp_path / "report", report, {}).read_text("utf-8")
    (tag,) = re.findall(r"<svg[^>]*>", page)
    assert re.findall(r"--share: ([\d.]+)", tag) == share
    assert "width=" not in tag
