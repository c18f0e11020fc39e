"""Whether the words of a drawing can be read: within it, and apart from each other."""

from contextlib import contextmanager
from itertools import combinations
from unittest.mock import patch

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.legend import Legend

from analysis.report import style

SLACK_PX, APART_PX = 1.5, 3.0


@contextmanager
def widest_font():
    """Draw in the font that every PC has; the others of the style are narrower."""
    with patch.dict(style._RC, {"font.sans-serif": ["DejaVu Sans"]}):
        yield


def cut_off(figure):
    """Return the texts of a figure that leave it, those of legends, too."""
    width, height = figure.bbox.width + SLACK_PX, figure.bbox.height + SLACK_PX
    in_legends = [text for legend in _legends(figure) for text in legend.get_texts()]
    (boxes,) = _boxes(figure, [*_texts(figure), *in_legends])
    return [
        text
        for text, box in boxes
        if box.x0 < -SLACK_PX or box.y0 < -SLACK_PX or box.x1 > width or box.y1 > height
    ]


def collisions(figure):
    """Return pairs that touch each other: of titles, axes' names and legends, or of ticks."""
    named = [*_legends(figure), *(part for axes in figure.axes for part in _names(axes))]
    ticks = [
        _ticks(axis) for axes in figure.axes if axes.axison for axis in (axes.xaxis, axes.yaxis)
    ]
    of_names, *of_ticks = _boxes(figure, named, *ticks)
    return [
        (one, other)
        for apart_px, boxes in ((APART_PX, of_names), *((0.0, own) for own in of_ticks))
        for (one, box), (other, beside) in combinations(boxes, 2)
        if box.padded(apart_px).overlaps(beside)
    ]


def _boxes(figure, *groups):
    """Return by group what each visible text says and where it lies, drawn as reports draw it."""
    with style.figure_style():
        FigureCanvasAgg(figure).draw()
        return [
            [
                (said, text.get_window_extent())
                for text in texts
                if text.get_visible() and (said := _said(text)).strip()
            ]
            for texts in groups
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
