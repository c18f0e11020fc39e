"""Whether the words of a drawing can be read: within it, and apart from each other."""

from contextlib import contextmanager
from itertools import combinations
from unittest.mock import patch

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.legend import Legend

from analysis.report import style
from analysis.report.parts import Picture

SLACK_PX, APART_PX = 1.5, 3.0


@contextmanager
def widest_font():
    """Draw in the font that every PC has; the others of the style are narrower."""
    with patch.dict(style._RC, {"font.sans-serif": ["DejaVu Sans"]}):
        yield


def pictures_of(report):
    """Return the drawings of a report by their names."""
    parts = [part for section in report.sections for part in section.parts]
    return {part.name: part.drawing for part in parts if isinstance(part, Picture)}


def unreadable_in(report):
    """Return what can't be read by drawing, where there is something."""
    found = {name: unreadable(figure) for name, figure in pictures_of(report).items()}
    return {name: lists for name, lists in found.items() if any(lists)}


def unreadable(figure):
    """Return the texts that leave a figure, and pairs that touch each other.

    Those of legends may leave it, too. Pairs are of titles, axes' names and legends, or of ticks.
    """
    with style.figure_style():
        FigureCanvasAgg(figure)
        figure.draw_without_rendering()
        legends = _legends(figure)
        names = [*legends, *(part for axes in figure.axes for part in _names(axes))]
        texts = [*_texts(figure), *(text for legend in legends for text in legend.get_texts())]
        touching = _touching(_boxes(names), APART_PX)
        for axes in figure.axes:
            for axis in (axes.xaxis, axes.yaxis) if axes.axison else ():
                touching += _touching(_boxes(_ticks(axis)), 0.0)
        return _cut_off(figure, _boxes(texts)), touching


def _cut_off(figure, boxes):
    width, height = figure.bbox.width + SLACK_PX, figure.bbox.height + SLACK_PX
    return [
        text
        for text, box in boxes
        if box.x0 < -SLACK_PX or box.y0 < -SLACK_PX or box.x1 > width or box.y1 > height
    ]


def _touching(boxes, apart_px):
    return [
        (one, other)
        for (one, box), (other, beside) in combinations(boxes, 2)
        if box.padded(apart_px).overlaps(beside)
    ]


def _boxes(texts):
    """Return what each visible text says and where it lies."""
    return [
        (said, text.get_window_extent())
        for text in texts
        if text.get_visible() and (said := _said(text)).strip()
    ]


def _said(text):
    if isinstance(text, Legend):
        return f"legend: {', '.join(each.get_text() for each in text.get_texts())}"
    return text.get_text()


def _legends(figure):
    return [*figure.legends, *(legend for axes in figure.axes if (legend := axes.get_legend()))]


def _names(axes):
    if not axes.get_visible():
        return ()
    return (axes.title, axes._left_title, axes._right_title, axes.xaxis.label, axes.yaxis.label)


def _ticks(axis):
    return [part for tick in axis._update_ticks() for part in (tick.label1, tick.label2)]


def _texts(figure):
    """Return a figure's texts; of ticks the labels that lie within their axis."""
    found = list(figure.texts)
    for axes in figure.axes:
        found += [*axes.texts, *_names(axes)]
        for axis in (axes.xaxis, axes.yaxis) if axes.axison else ():
            found += _ticks(axis)
    return found
