"""A report as it is written: its figures in the page."""

import io
import re

import numpy as np
import pytest
from matplotlib.figure import Figure

from analysis.report.parts import Picture, Report, Section
from analysis.report.style import WIDTH_IN, figure_style, subplots
from analysis.report.writer import numbered, write_report


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


def test_a_figure_laid_out_again_is_the_same_though_its_last_bits_differ():
    """A clip's id hangs on its coordinates to the last bit; what is drawn has six decimals."""

    def drawn(left):
        figure = Figure()
        for bottom in (0.1, 0.6):
            figure.add_axes((left, bottom, 0.8, 0.3)).plot([0, 1, 4])
        stream = io.BytesIO()
        with figure_style():
            figure.savefig(stream, format="svg", metadata={"Date": None})
        return stream.getvalue()

    first, again, moved = drawn(0.1), drawn(np.nextafter(0.1, 1)), drawn(0.2)
    assert first != again
    assert numbered(first) == numbered(again)
    assert numbered(first) != numbered(moved)
    assert numbered(first).count(b'<clipPath id="clip') == 2
    for clip in (b"clip1", b"clip2"):
        assert numbered(first).count(b'"' + clip + b'"') == 1
        assert b"url(#" + clip + b")" in numbered(first)
