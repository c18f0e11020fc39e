"""How figures look: grey-proof, safe for colour-vision deficiency, at home in a journal."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap
from typing import Any, Literal

import matplotlib as mpl
from fontTools import subset
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager
from matplotlib.ticker import FuncFormatter

from analysis.report.parts import Row, cell
from analysis.report.wording import points
from stimuli.font_parts import true_type
from stimuli.typeface import FAMILY, missing_signs, signs_of_font

WIDTH_IN = 7.0
INK, SOFT, FAINT = "#1c1c1c", "#6b6b6b", "#d9d9d9"

# Lightness L* 33, 65, 51: apart in grey, and for every common colour-vision deficiency.
BLUE, ORANGE, GREY = "#0b4f8a", "#e08a1e", "#7a7a7a"

HALF_FILLED: Mapping[str, Any] = {"fillstyle": "left", "markerfacecoloralt": "white"}
"""Looks of a mark that is neither filled nor hollow."""

BOLD = 700
OTHER = "Other signs"
"""Families of matplotlib's fonts that `drawn_with` added begin with it."""
LAYOUT_TABLES = ("GDEF", "GPOS", "GSUB", "kern")
_RC: Any = {
    "font.sans-serif": ["Helvetica Neue", "Arial", "Liberation Sans", "DejaVu Sans"],
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 8.5,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "xtick.major.size": 3,
    "ytick.major.size": 3,
    "xtick.minor.size": 0,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "figure.dpi": 100,
    "savefig.dpi": 300,
    "svg.fonttype": "path",
    "svg.hashsalt": "plainsight",
    "pdf.fonttype": 42,
    "text.parse_math": False,
}


Layout = Literal["constrained", "compressed", "tight"]


@contextmanager
def figure_style() -> Iterator[None]:
    """Draw in the reports' style; each sign comes from the first font that has it."""
    others = [font.name for font in fontManager.ttflist if font.name.startswith(OTHER)]
    with mpl.rc_context({**_RC, "font.family": ["sans-serif", FAMILY, *others]}):
        yield


@contextmanager
def outlines_alone() -> Iterator[None]:
    """Put only the outlines of letters into PDFs, not the tables of fonts that place letters.

    matplotlib has placed them by then, and counts letters without their names. To read and cut
    down the tables takes longer than to draw the figure.
    """
    usual = subset.load_font

    def load(file: Any, options: subset.Options) -> Any:
        font: Any = usual(file, options, dontLoadGlyphNames=True)
        for table in LAYOUT_TABLES:
            if table in font:
                del font[table]
        return font

    subset.load_font = load
    try:
        yield
    finally:
        subset.load_font = usual


@contextmanager
def drawn_with(fonts: Sequence[bytes], text: str) -> Iterator[None]:
    """Let figures take the signs of a text that the usual fonts lack from a pack's fonts.

    Figures have to be made and saved within. matplotlib doesn't join letters, nor turn their
    direction.

    Parameters
    ----------
    fonts
        Font files, by preference.
    text
        All that figures may show.
    """
    left, added = missing_signs(text), []
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for place, data in enumerate(fonts):
            signs = [sign for sign in left if sign in signs_of_font(data)]
            left = "".join(sign for sign in left if sign not in signs)
            if signs:
                path = Path(folder, f"{place}.ttf")
                path.write_bytes(true_type(data, signs, f"{OTHER} {place}"))
                fontManager.addfont(path)
                regular = fontManager.ttflist[-1]
                bold = replace(regular, weight=BOLD)  # titles take it, too
                fontManager.ttflist.append(bold)
                added += [regular, bold]
        try:
            yield
        finally:
            for entry in added:
                fontManager.ttflist.remove(entry)


def subplots(
    rows: int = 1, columns: int = 1, *, figsize: tuple[float, float], layout: Layout | None = None,
    **shared: Any,
) -> tuple[Figure, Any]:  # fmt: skip
    """Return a new figure and its panels, as pyplot's function of that name does.

    Pyplot would keep every figure until it is closed; this one belongs to the caller.

    Parameters
    ----------
    rows, columns
        How many panels.
    figsize
        Width and height, inches.
    layout
        As in a `matplotlib.figure.Figure`.
    **shared
        As in its `subplots`.
    """
    figure = Figure(figsize=figsize, layout=layout)
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, **shared)


def panel_grid(
    count: int, most: int, *, head_in: float, panel_in: float, **shared: bool
) -> tuple[Figure, list[Axes]]:
    """Return a figure as wide as the text with some panels, in rows of equally many.

    Parameters
    ----------
    count, most
        How many panels, and the most of them in a row.
    head_in, panel_in
        Height of what stands around the panels, and of a row of them, inches.
    **shared
        ``sharex`` and ``sharey``, as in `subplots`.
    """
    across = min(count, most)
    down = -(-count // across)
    figure, grid = subplots(
        down, across, figsize=(WIDTH_IN, head_in + panel_in * down), layout="constrained",
        squeeze=False, **shared,
    )  # fmt: skip
    for axes in grid.flat[count:]:
        axes.set_visible(False)
    return figure, list(grid.flat[:count])


def text_width_in(text: str, size_pt: float) -> float:
    """Return how wide a line of text is in the reports' style, inches.

    Fonts differ from PC to PC; the width is that of the font found on this one.
    """
    with figure_style():
        # At a screen's resolution hinting widens a line most: what fits then fits at finer ones,
        # too.
        renderer = RendererAgg(1, 1, mpl.rcParams["figure.dpi"])
        font = FontProperties(size=size_pt)
        width_px, _, _ = renderer.get_text_width_height_descent(text, font, ismath=False)
        return width_px / renderer.dpi


def in_lines(name: str, most: int = 16) -> str:
    """Return a name in lines of at most so many letters, for a narrow panel's title."""
    return "\n".join(wrap(name.replace("_", " "), most))


def decision_time_axis(axes: Axes, low: float, high: float, ticks_s: Sequence[float]) -> None:
    """Make an x axis one of decision times, logarithmic, with those ticks that lie on it."""
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.set_xticks([t for t in ticks_s if low <= t <= high])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.minorticks_off()
    axes.set_xlabel("decision time (s)")


def mark_time(axes: Axes, time_s: float, label: bool = True) -> None:
    """Draw a time of interest, in seconds, as a dotted vertical line."""
    axes.axvline(time_s, color=INK, linewidth=0.8, linestyle=(0, (1, 1.5)), zorder=1)
    if label:
        axes.annotate(
            f"{time_s:g} s",
            (time_s, 1),
            xycoords=("data", "axes fraction"),
            xytext=(3, -2),
            textcoords="offset points",
            va="top",
            color=SOFT,
            fontsize=7.5,
        )


def points_axis(axis: Axis) -> None:
    """Write an axis of differences in percentage points with their signs."""
    axis.set_major_formatter(
        FuncFormatter(lambda value, _: "0" if abs(value) < 1e-9 else points(value))
    )


def draw_estimate(
    axes: Axes, part: Row, y: float, colour: str, marker: str, hollow: bool = False
) -> None:
    """Draw an estimate as a mark on its 95 % interval, if they are known."""
    estimate, low, high = (cell(part, name) for name in ("estimate", "ci_low", "ci_high"))
    if estimate is None:
        return
    if low is not None:
        axes.plot(
            [low, high],
            [y, y],
            color=colour,
            linewidth=1.1,
            solid_capstyle="butt",
            zorder=2,
        )
    axes.plot(
        estimate,
        y,
        marker,
        color=colour,
        markersize=4.6,
        markerfacecolor="white" if hollow else colour,
        markeredgewidth=1.1,
        zorder=3,
    )
