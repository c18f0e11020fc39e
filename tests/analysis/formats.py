"""The formats of figures. PNG and PDF take three quarters of the time of a figure."""

from collections import defaultdict
from contextlib import contextmanager
from dataclasses import replace

import pytest
from matplotlib.figure import Figure

from analysis.report import writer
from analysis.report.declared import ReportFigure

EVERY_FORMAT = ("svg", "png", "pdf")
_PARTS = ReportFigure.parts


def every_format():
    """Write reports as users get them."""
    return _formats(EVERY_FORMAT)


def page_alone():
    """Write reports with the page's drawings alone."""
    return _formats(("svg",))


@contextmanager
def without_drawings():
    """Make reports whose figures are empty, and write none, where no one looks at these."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "_save_figures", lambda *_: defaultdict(str))
        patch.setattr(ReportFigure, "parts", _empty)
        yield


def _empty(figure, results):
    return _PARTS(replace(figure, draw=lambda _: Figure()), results)


@contextmanager
def _formats(kinds):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "FORMATS", kinds)
        yield


def formats_of(folder):
    """Return the names of the figures in a folder by format, such as ``{".svg": {"flow"}}``."""
    return {f".{kind}": {path.stem for path in folder.glob(f"*.{kind}")} for kind in EVERY_FORMAT}
