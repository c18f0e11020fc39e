"""The primary contrasts: each method's Change less that of the arm without explanations."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from scipy.stats import t as student

from analysis.report.missing import FEW_PARTICIPANTS
from analysis.report.primary import MEANS, MODEL, used
from analysis.statistics.comparison import holm
from analysis.statistics.equivalence import judge
from analysis.statistics.proportions import Interval
from analysis.studies.simulatability.trials import Predictions
from analysis.studies.simulatability.words import ALL

Row = dict[str, Any]

ALPHA: Final = 0.05
HELPS, HARMS, SAME, UNDECIDED = "helps", "harms", "equivalent", "undecided"
RISES, FALLS = "accuracy rises", "accuracy falls"
VERDICTS: Final[Mapping[str, str]] = {
    HELPS: "Change is larger than without explanations",
    HARMS: "Change is smaller than without explanations",
    RISES: "accuracy rises from before to after; this includes practice",
    FALLS: "accuracy falls from before to after; this includes practice",
    SAME: "the 90 % interval lies within the margin around zero, and both arms have at least five "
    "people",
    UNDECIDED: "the data show neither a difference nor its absence",
}
"""What each verdict says."""


def contrast_rows(
    predictions: Predictions,
    models: Mapping[str, Row],
    means: Mapping[str, Sequence[Row]],
    asked: str,
    margin: float,
) -> list[Row]:
    """Return what is decided about each method in each domain, over both tests.

    Parameters
    ----------
    predictions
        Who predicted what.
    models
        By domain, see `model_results`.
    means
        See `mean_results`.
    asked
        The primary analysis: ``model`` or ``means``; means stand in where no fit is sound.
    margin
        Percentage points.

    Returns
    -------
    list of dict
        ``domain, method, reference`` (None: compared with zero), ``by`` (which analysis decides),
        ``estimate, ci_low, ci_high, se, df, p, p_holm`` (over the domain's methods), ``verdict``;
        ``model`` and ``means``: the estimates of both. In percentage points.
    """
    rows: list[Row] = []
    for domain in predictions.domains:
        own = predictions.domain(domain)
        kind = "differences" if own.reference else "change"
        of_model = _over_tests(models[domain][kind])
        of_means = _over_tests([row for row in means[kind] if row["domain"] == domain])
        by = used(asked, bool(of_model))
        found = of_model if by == MODEL else of_means
        adjusted = holm([row["p"] for row in found.values()])
        rows += [
            {
                "domain": domain,
                "method": method,
                "reference": own.reference,
                "by": by,
                **{n: row[n] for n in ("estimate", "ci_low", "ci_high", "se", "df", "p")},
                "p_holm": p,
                "verdict": _verdict(own, row, p, margin),
                MODEL: _brief(of_model.get(method)),
                MEANS: _brief(of_means.get(method)),
            }
            for (method, row), p in zip(found.items(), adjusted, strict=True)
        ]
    return rows


def _verdict(own: Predictions, row: Row, p_holm: float, margin: float) -> str:
    """Return a row's verdict; arms of few people are never called equivalent."""
    arms = own.pairs[own.pairs["method"].isin([row["method"], own.reference])]
    few = arms.groupby("method")["participant"].nunique().min() < FEW_PARTICIPANTS
    said = verdict(row, p_holm, margin, compared=own.reference is not None)
    return UNDECIDED if few and said == SAME else said


def _over_tests(rows: Sequence[Row]) -> dict[str, Row]:
    """Return the rows over both tests by method; those of the one test where there is one."""
    both = [row for row in rows if row["test"] == ALL]
    return {row["method"]: row for row in both or rows}


def _brief(row: Row | None) -> Row | None:
    return None if row is None else {n: row[n] for n in ("estimate", "ci_low", "ci_high", "p")}


def verdict(row: Mapping[str, Any], p_holm: float, margin: float, *, compared: bool) -> str:
    """Return what is shown: a difference after Holm's correction, none that matters, or neither.

    Parameters
    ----------
    row
        ``estimate, ci_low, ci_high, se, df`` in percentage points.
    p_holm
        Its p after Holm's correction.
    margin
        Percentage points below which a difference doesn't matter (two one-sided tests at 5 %).
    compared
        Whether it is compared with the arm without explanations; else with zero.
    """
    up, down = (HELPS, HARMS) if compared else (RISES, FALLS)
    if p_holm < ALPHA:
        return up if row["estimate"] > 0 else down
    reach = float(student.ppf(0.95, row["df"])) * row["se"]
    narrow = Interval(row["estimate"], row["estimate"] - reach, row["estimate"] + reach)
    wide = Interval(row["estimate"], row["ci_low"], row["ci_high"])
    return SAME if judge(wide, narrow, margin) == "like" else UNDECIDED
