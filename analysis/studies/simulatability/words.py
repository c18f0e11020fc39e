"""Names of domains, tests, methods and quantities, and how tables and figures write them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from analysis.questions.estimates import EstimateRow
from analysis.report.methods import TWO_TESTS
from analysis.report.parts import cell
from analysis.report.style import FAINT, SOFT
from analysis.report.wording import estimated_alike, number, rounded, signed
from stimuli.names import method_title

DESIGN, TWO_WAY = "Hase & Bansal 2020", "Cameron, Gelbach & Miller 2011"
SOURCES: Final[Mapping[str, str]] = {
    "design": DESIGN,
    "two_way": TWO_WAY,
    "equivalence": TWO_TESTS,
    "erasure": "DeYoung et al. 2020",
    "infidelity": "Yeh et al. 2019",
}
"""Sources of the methods, as cited."""
ALL: Final = "all"
"""Stands for both domains, or both tests, together."""
FORWARD, COUNTERFACTUAL, LEARNING = "forward", "counterfactual", "learning"
TESTS: Final = (FORWARD, COUNTERFACTUAL)
DOMAINS: Final = ("text", "tabular")
PRE, POST = "pre", "post"

DOMAIN_WORDS: Final[Mapping[str, str]] = {
    "text": "text", "tabular": "tabular", ALL: "both domains",
}  # fmt: skip
TEST_WORDS: Final[Mapping[str, str]] = {
    FORWARD: "forward", COUNTERFACTUAL: "counterfactual", ALL: "both tests",
}  # fmt: skip
FIRST_WORDS: Final[Mapping[str, str]] = {
    FORWARD: "The forward test comes first.",
    COUNTERFACTUAL: "The counterfactual test comes first.",
    "balanced": "Half of the people of each arm take the forward test first, half the "
    "counterfactual test.",
}  # fmt: skip
"""What the protocol's first_test says."""
tenth = rounded(number, 1)
"""Writes per cent with one decimal."""

ROW_IN: Final = 0.3
HEAD_IN: Final = 0.85
UP: Final = 0.17
"""How far the second of two estimates is below the row's middle, as a part of the row."""
DOTTED: Final = (0, (1, 1.5))


def method_name(method: str | None) -> str:
    """Return what a method is called; an unknown method has the table's name."""
    return method_title(method or "")


def domain_name(domain: str) -> str:
    """Return what a domain is called."""
    return DOMAIN_WORDS.get(domain, domain)


def condition_name(domain: str, test: str) -> str:
    """Return what a domain and a test are called."""
    return f"{domain_name(domain)}, {TEST_WORDS.get(test, test)}"


def signed_points(rows: Sequence[EstimateRow], unit: str = "") -> list[str]:
    """Return estimates in percentage points with their limits."""
    return estimated_alike(signed, [(row.estimate, row.ci_low, row.ci_high) for row in rows], unit)


def domain(row: Any) -> str:
    """Return which domain a row is about."""
    return domain_name(cell(row, "domain"))


def test(row: Any) -> str:
    """Return which test a row is about."""
    return TEST_WORDS[cell(row, "test")]


def method(row: Any) -> str:
    """Return which method a row is about."""
    return method_name(cell(row, "method"))


def draw_zero(axes: Axes) -> None:
    """Draw the line of no Change."""
    axes.axvline(0, color=SOFT, linewidth=0.8, linestyle=DOTTED, zorder=0)


def methods_axis(axes: Axes, methods: Sequence[str]) -> None:
    """Give each method a row."""
    axes.set_yticks(range(len(methods)), [method_name(method) for method in methods])
    axes.set_ylim(-0.55, len(methods) - 0.45)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    for place in range(1, len(methods)):
        axes.axhline(place - 0.5, color=FAINT, linewidth=0.6, zorder=0)


def points_axis(axes: Axes) -> None:
    """Write percentage points with their signs, as many to the left of zero as to the right."""
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, symmetric=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: signed(value, 0)))


def draw_legend(figure: Figure, parts: Sequence[tuple[str, str, str, bool]]) -> None:
    """Explain marks above the panels; each is a label, a colour, a marker, and if it is hollow."""
    axes = figure.axes[0]
    for label, colour, marker, hollow in parts:
        axes.plot(
            [], [], marker, color=colour, label=label, linestyle="none", markersize=4.6,
            markerfacecolor="white" if hollow else colour,
        )  # fmt: skip
    figure.legend(loc="outside upper left", ncols=len(parts), fontsize=8)
