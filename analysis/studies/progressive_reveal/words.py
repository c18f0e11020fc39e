"""Names, colours, table columns and drawing functions that the questions share.

Figures share lines, bands, axes of shares and one legend.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from analysis.questions.estimates import EstimateRow, Quantity
from analysis.questions.pivot import adjusted_limits_of, adjusted_p_of, limits_of, value_of
from analysis.report.methods import TWO_TESTS
from analysis.report.parts import Column, cell
from analysis.report.style import BLUE, INK, ORANGE, in_lines
from stimuli.names import method_name
from stimuli.studies.progressive_reveal.protocol import HUMAN

DESIGN: Final = "Dawoud et al. 2023"
PRODUCT_LIMIT: Final = "Kaplan & Meier 1958"
INTERVALS: Final = "Turnbull 1976"
RESAMPLING: Final = "Owen 2007"
PSEUDO_VALUES: Final = "Andersen, Klein & Rosthøj 2003"
SOURCES: Final[Mapping[str, str]] = {
    "design": DESIGN,
    "product_limit": PRODUCT_LIMIT,
    "intervals": INTERVALS,
    "resampling": RESAMPLING,
    "pseudo_values": PSEUDO_VALUES,
    "equivalence": TWO_TESTS,
}
"""Sources of the methods, as cited."""
READING_WORDS: Final[Mapping[str, str]] = {
    "recognised": "recognised\u00a0rounds",
    "all_last_step": "all\u00a0rounds",
}

# Lightness L* 10, 33, 65, 50: apart in grey; line style and marker differ, too.
_LOOKS: Final = (
    (INK, "-", "o"),
    (BLUE, (0, (5, 2)), "s"),
    (ORANGE, (0, (4, 1.5, 1, 1.5)), "D"),
    ("#a8508a", (0, (1.5, 1.2)), "^"),
    ("#4f8f7a", (0, (7, 1.5, 1, 1.5, 1, 1.5)), "v"),
    ("#7a7a7a", (0, (3, 3)), "P"),
)


@dataclass(frozen=True, slots=True)
class Methods:
    """The methods that were seen, as the page calls and draws them.

    Attributes
    ----------
    all
        The methods, the reference first.
    simulated
        The methods whose maps response models made.
    """

    all: tuple[str, ...]
    simulated: frozenset[str] = frozenset()

    @property
    def reference(self) -> str:
        """The method that others are compared with."""
        return self.all[0]

    @property
    def others(self) -> tuple[str, ...]:
        """All methods but the reference."""
        return self.all[1:]

    def name(self, method: str) -> str:
        """Return what a method is called; "simulated" is added if robots made its maps."""
        name = method_name(method)
        return f"simulated {name}" if method in self.simulated else name

    def panel_name(self, method: str) -> str:
        """Return its name as a narrow panel's title or a row's label: broken if it's long."""
        return "\n".join(map(in_lines, self.name(method).replace("_", " ").split(" ", 1)))

    @property
    def human_map(self) -> str:
        """What a map of the method ``human`` is called."""
        return "simulated human map" if HUMAN in self.simulated else "human map"

    def look(self, method: str) -> tuple[str, Any, str]:
        """Return a method's colour, line style and marker."""
        return look(self.all, method)


def look(methods: Sequence[str], method: str) -> tuple[str, Any, str]:
    """Return a method's colour, line style and marker."""
    return _LOOKS[list(methods).index(method) % len(_LOOKS)]


METHOD_COLUMN: Final = Column("Method", "method")
"""Stands for the column of methods' names; `named` puts it in."""


def named(*columns: Column, breaks: bool = False) -> Callable[[Any], tuple[Column, ...]]:
    """Return a table's columns, with the methods' names used here in place of `METHOD_COLUMN`.

    If `breaks` is True, a name may break over lines, in a table that would be too wide.
    """

    def columns_of(here: Any) -> tuple[Column, ...]:
        def name(row: Any) -> str:
            name = here.methods.name(cell(row, "method"))
            return name if breaks else name.replace(" ", "\u00a0")

        return tuple(
            Column("Method", name) if column is METHOD_COLUMN else column for column in columns
        )

    return columns_of


def between(quantity: Quantity, level: str = "") -> Column:
    """Return the column of the 95 % interval of an estimate, with all digits of the quantity."""
    return replace(limits_of(quantity, level), bounds=None)


def less_columns(quantity: Quantity, unit: str) -> tuple[Column, ...]:
    """Return the columns of a difference to the reference, which the reference lacks.

    Limits and p are corrected over all pairs of methods, as in the headline.
    """
    return (
        value_of(replace(quantity, unit=unit), heading="Less the reference"),
        replace(adjusted_limits_of(quantity), bounds=None),
        adjusted_p_of(quantity),
    )


def levels_of(factor: str, rows: Sequence[EstimateRow]) -> list[float]:
    """Return the levels of a factor as numbers, row by row."""
    return [float(row.of[factor]) for row in rows]


def estimates_of(rows: Sequence[EstimateRow]) -> list[float]:
    """Return estimates, NaN for those that aren't known."""
    return [row.interval.estimate for row in rows]


def floats(values: Sequence[float | None]) -> list[float]:
    """Return numbers with NaN for those that aren't known."""
    return [float("nan") if value is None else value for value in values]


def percent_axis(axis: Axis, most: int = 6) -> None:
    """Label an axis of shares in per cent, with few round numbers, so that they don't overlap."""
    axis.set_major_locator(MaxNLocator(nbins=most, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.4g} %"))


def draw_line(axes: Axes, methods: Methods, method: str, x: Any, y: Any) -> None:
    """Draw a method's line, with its name for the legend."""
    colour, style, _ = methods.look(method)
    axes.plot(x, y, color=colour, linestyle=style, label=methods.name(method))


def draw_band(
    axes: Axes, colour: str, factor: str, rows: Sequence[EstimateRow], alpha: float
) -> None:
    """Draw the band of the limits of estimates over the levels of a factor."""
    low, high = ([getattr(row, end) for row in rows] for end in ("ci_low", "ci_high"))
    x = levels_of(factor, rows)
    axes.fill_between(x, floats(low), floats(high), color=colour, alpha=alpha, linewidth=0)


def draw_legend(figure: Figure, axes: Axes) -> None:
    """Put one legend above all panels."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper left", ncols=len(labels), fontsize=8, handlelength=3
    )
