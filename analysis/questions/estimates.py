"""Estimates as rows of one kind, whichever study and question they belong to.

A study declares each `Quantity` that it estimates once: what it is, and how it is written. Every
estimate of it is an `EstimateRow`. results.json has one list of them, and tables/estimates.csv is
the same list, so an analyst filters one table. The idea is that of R's broom and emmeans.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import Annotated, Any, Final, Protocol

from analysis.report.about import about
from analysis.report.wording import number
from analysis.statistics.comparison import Comparison
from analysis.statistics.estimate import NARROW, Adjusted, Estimate, adjusted, bayes_factor
from analysis.statistics.proportions import LEVEL, Count, Interval, wilson

Of = Mapping[str, str]
"""What an estimate is of: a level of each factor, such as ``{"method": "gradcam"}``."""
AGAINST: Final = "against"
"""Key of what the level of a contrast's factor is compared with."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """Something that a study estimates.

    Attributes
    ----------
    id
        Its name in results.json and in code; units in the name.
    heading
        What a table's column is called.
    about
        What it is, in a sentence.
    write
        How a number of it is written.
    unit
        What stands below the heading.
    """

    id: str
    heading: str
    about: str
    write: Callable[[Any], str] = number
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateRow:
    """An estimate; a field that doesn't apply to it is null, or left out of results.json."""

    question: Annotated[str, about("The question's id.")] = ""
    quantity: Annotated[str, about("What is estimated.")]
    of: Annotated[
        dict[str, str],
        about("Whose it is, by factor; a contrast is the factor's level less that of `against`."),
    ] = field(default_factory=dict)
    estimate: Annotated[float | None, about("The estimate.")] = None
    n: Annotated[int | None, about("Answers or people that it rests on.")] = None
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")] = None
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")] = None
    se: Annotated[float | None, about("Standard error.")] = None
    df: Annotated[float | None, about("Degrees of freedom; null if unlimited.")] = None
    test: Annotated[str, about("The test; empty for Student's t, or without p.")] = ""
    statistic: Annotated[float | None, about("The test's statistic.")] = None
    p: Annotated[float | None, about("p of no difference, two-sided.")] = None
    p_adjusted: Annotated[float | None, about("p after Holm's correction.")] = None
    family: Annotated[int | None, about("How many tests this correction is over.")] = None
    bf10: Annotated[
        float | None,
        about("Bayes factor of a difference against none; null where the test isn't Student's t."),
    ] = None
    d: Annotated[
        float | None,
        about("The difference in standard deviations of single answers, pooled over its cells."),
    ] = None
    adjusted_low: Annotated[float | None, about("Lower limit, corrected as p_adjusted is.")] = None
    adjusted_high: Annotated[float | None, about("Upper limit, corrected as p_adjusted is.")] = None
    low_90: Annotated[float | None, about("Lower 90 % limit, which the margin's tests read.")] = (
        None
    )
    high_90: Annotated[float | None, about("Upper 90 % limit.")] = None
    margin: Annotated[float | None, about("Differences below it don't matter.")] = None
    p_margin: Annotated[
        float | None,
        about("p of a difference as large as the margin: two one-sided tests, after Holm."),
    ] = None
    verdict: Annotated[str, about("What is shown against the margin.")] = ""
    note: Annotated[str, about("Why a value is null; empty if there is nothing to say.")] = ""

    @property
    def count(self) -> int:
        """How many of `n` answers a share counts."""
        return round((self.estimate or 0.0) * self.n) if self.n else 0

    @property
    def interval(self) -> Interval:
        """The estimate with its 95 % limits; NaN where they aren't known."""
        values = (self.estimate, self.ci_low, self.ci_high)
        return Interval(*(float("nan") if value is None else value for value in values))


class HasLimits(Protocol):
    """An estimate with 95 % limits."""

    @property
    def estimate(self) -> float:
        """The estimate."""
        ...

    @property
    def ci_low(self) -> float:
        """Its lower limit."""
        ...

    @property
    def ci_high(self) -> float:
        """Its upper limit."""
        ...


@dataclass(frozen=True, slots=True)
class Estimates:
    """A question's rows of `estimates`; a type that adds fields has what isn't an estimate."""

    estimates: Annotated[tuple[EstimateRow, ...], about("The question's rows of `estimates`.")]

    def rows(self, *quantities: Quantity, **of: str) -> tuple[EstimateRow, ...]:
        """Return the rows of some quantities (of all by default) at these levels."""
        return select(self.estimates, *quantities, **of)

    def row(self, quantity: Quantity, **of: str) -> EstimateRow:
        """Return a quantity at these levels; an unknown one if there is no such row."""
        return row_of(self.estimates, quantity, **of)

    def has_limits(self, *quantities: Quantity) -> bool:
        """Return whether any row of these quantities has 95 % limits."""
        return any(row.ci_low is not None for row in self.rows(*quantities))

    def levels(self, factor: str, *quantities: Quantity) -> tuple[str, ...]:
        """Return the levels of a factor, in the order of the rows."""
        return levels(self.rows(*quantities), factor)


def select(
    rows: Iterable[EstimateRow], *quantities: Quantity, **of: str
) -> tuple[EstimateRow, ...]:
    """Return the rows of some quantities (of all by default) at these levels."""
    names = {quantity.id for quantity in quantities}
    return tuple(
        row
        for row in rows
        if (not names or row.quantity in names)
        and all(row.of.get(factor) == level for factor, level in of.items())
    )


def row_of(rows: Iterable[EstimateRow], quantity: Quantity, **of: str) -> EstimateRow:
    """Return a quantity at these levels; an unknown one if there is no such row."""
    selected = select(rows, quantity, **of)
    return selected[0] if selected else EstimateRow(quantity=quantity.id, of=dict(of))


def levels(rows: Iterable[EstimateRow], factor: str) -> tuple[str, ...]:
    """Return the levels of a factor, in the order of the rows."""
    return tuple(dict.fromkeys(row.of[factor] for row in rows if factor in row.of))


def again(rows: Iterable[EstimateRow], **of: str) -> tuple[EstimateRow, ...]:
    """Return rows that were computed again, of other data or by another choice: under its name."""
    return tuple(replace(row, of=of | row.of) for row in rows)


def estimate_row(
    quantity: Quantity,
    of: Of,
    value: HasLimits | float | None,
    n: int | None = None,
    **more: Any,
) -> EstimateRow:
    """Return an estimate as a row, without a test of zero.

    Parameters
    ----------
    quantity, of
        What is estimated, and whose it is.
    value
        The estimate, with its limits if there are any.
    n
        Answers or people that it rests on.
    **more
        Other fields of the row.
    """
    if value is None or isinstance(value, float | int):
        plain = None if value is None else float(value)
        return EstimateRow(quantity=quantity.id, of=dict(of), n=n, estimate=plain, **more)
    wide = value.at(LEVEL) if isinstance(value, Estimate) else value
    return EstimateRow(
        quantity=quantity.id, of=dict(of), n=n,
        estimate=wide.estimate, ci_low=wide.ci_low, ci_high=wide.ci_high, **more,
    )  # fmt: skip


def share_row(quantity: Quantity, of: Of, count: Count) -> EstimateRow:
    """Return a share of independent answers, with Wilson's limits."""
    return estimate_row(quantity, of, wilson(count), count.n)


@dataclass(frozen=True, slots=True)
class Contrast:
    """A difference, or another sum that is tested against zero.

    Attributes
    ----------
    quantity, of, n
        What is estimated, whose it is, and how many answers or people it rests on.
    value
        The estimate, with its test.
    more
        Other fields of the row.
    why_not
        Returns why there is no p, or no limits at a level; empty if there are.
    sd
        Standard deviation of single answers (see `pooled_sd`); None if it isn't known.
    """

    quantity: Quantity
    of: Of
    value: Estimate
    n: int | None = None
    more: Mapping[str, Any] = field(default_factory=dict)
    why_not: Callable[[float], str] = lambda _: ""
    sd: float | None = None

    @classmethod
    def of_comparison(cls, quantity: Quantity, of: Of, ranks: Comparison) -> "Contrast":
        """Return what a comparison of two groups or measures says of their difference."""
        more = {"test": ranks.test, "statistic": ranks.statistic}
        return cls(quantity, of, ranks.difference, sum(ranks.n), more, ranks.why_not)

    def row(self, margin: float | None = None, after: Adjusted | None = None) -> EstimateRow:
        """Return the contrast as a row, with p, and with the verdict on a margin."""
        value, narrow = self.value, self.value.at(NARROW)
        row = estimate_row(self.quantity, self.of, value, self.n, **self.more)
        row = replace(row, se=value.se, df=value.df, p=value.p, note=self.why_not(LEVEL))
        if self.sd:
            row = replace(row, d=value.estimate / self.sd)
        if margin is not None:
            row = replace(
                row, low_90=narrow.ci_low, high_90=narrow.ci_high, margin=margin,
                verdict=value.verdict(margin),
            )  # fmt: skip
        if after is None:
            return row
        wide, note = after.wide, row.note or self.why_not(after.level)
        factor = bayes_factor(value.estimate, value.se, value.df, value.p)
        return replace(
            row, bf10=factor, p_adjusted=after.p, family=after.tests, adjusted_low=wide.ci_low,
            adjusted_high=wide.ci_high, note=note,
        )  # fmt: skip


def pooled_sd(weights: Iterable[float], variances: Iterable[float]) -> float | None:
    """Return the standard deviation of a single answer, pooled over the cells of a sum.

    A difference divided by it is Cohen's d over all that makes answers differ: people, items and
    chance, as in Westfall, Kenny & Judd (2014), J. Exp. Psychol. Gen. 143. Of shares, the variance
    in a cell is p(1 - p).

    Parameters
    ----------
    weights, variances
        Of each cell of the sum. A cell counts by the size of its weight.

    Returns
    -------
    float or None
        None if no cell varies.
    """
    sizes = [abs(weight) for weight in weights]
    total = sum(size * variance for size, variance in zip(sizes, variances, strict=True) if size)
    return sqrt(total / sum(sizes)) if total > 0 else None


def family(
    contrasts: Sequence[Contrast],
    margin: float | None = None,
    inside: Callable[[Contrast], bool] = lambda _: True,
) -> tuple[EstimateRow, ...]:
    """Return contrasts as rows, p and limits corrected by Holm over those inside the family."""
    members = [contrast for contrast in contrasts if inside(contrast)]
    corrected = adjusted([contrast.value for contrast in members])
    after = {id(member): part for member, part in zip(members, corrected, strict=True)}
    return tuple(contrast.row(margin, after.get(id(contrast))) for contrast in contrasts)
