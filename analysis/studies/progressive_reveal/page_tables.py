"""Tables of the report of progressive_reveal, as published: averages, images, maps."""

from collections.abc import Callable, Mapping
from typing import Any

from analysis.report.declared import ReportTable, Results, changes, spelled
from analysis.report.parts import Column, limits
from analysis.report.wording import (
    NOTHING,
    bare_percent,
    grouped,
    interval,
    number,
    p_value,
    percent,
    rounded,
)
from analysis.studies.progressive_reveal.sentences import points_tenth
from analysis.studies.progressive_reveal.words import (
    METHOD_COLUMN,
    READING_WORDS,
    human_map,
    method_name,
    named,
)

Row = Mapping[str, Any]


def _of(reading: str, key: str) -> Callable[[Row], Any]:
    return lambda row: row[reading][key]


def _readings(results: Results) -> list[Row]:
    """Return each method's rows of Table III by reading."""
    found: dict[str, dict[str, Any]] = {}
    for row in results["table3"]:
        found.setdefault(row["method"], {"method": row["method"]})[row["reading"]] = row
    return list(found.values())


def _pixels(heading: str, reading: str) -> tuple[Column, ...]:
    def between(row: Row) -> str:
        own = row[reading]
        return interval(own["share_low"], own["share_high"], bare_percent)

    return (
        Column(heading, _of(reading, "pixels"), rounded(number, 1), "px"),
        Column(heading, _of(reading, "share"), bare_percent, "% of image"),
        Column("95 % interval", between, str),
        Column("Rounds", _of(reading, "n_averaged"), grouped, "n"),
    )


TABLE3 = ReportTable(
    "table3",
    "table3",
    "Uncovered pixels on average, completed rounds.",
    named(
        METHOD_COLUMN,
        *_pixels("Recognised rounds", "recognised"),
        *_pixels("All rounds", "all_last_step"),
    ),
    "Table III of the paper in both readings; it doesn’t state which is its own. All rounds: "
    "unrecognised ones enter with their last pixels.",
    shown=_readings,
)
TABLE3_RATES = ReportTable(
    "",
    lambda results: [row["recognised"] for row in _readings(results)],
    "Tries and recognition, all completed rounds (Table III).",
    named(
        METHOD_COLUMN,
        Column("Tries", "attempts", number),
        limits(number, "attempts_low", "attempts_high"),
        Column("Recognised", "recognition_rate", bare_percent, "%"),
        limits(bare_percent, "recognition_rate_low", "recognition_rate_high"),
        Column("Rounds", "n", grouped, "n"),
    ),
)
DROPPING = ReportTable(
    "table3_dropping",
    "table3_dropping",
    "What leaving unrecognised rounds out does to the average of uncovered pixels.",
    named(
        METHOD_COLUMN,
        Column("Moves the average by", "estimate", points_tenth, "points of the image"),
        limits(points_tenth),
    ),
    "Average over recognised rounds less the average over all with their last pixels. Even the "
    "latter is too low: an unrecognised round needed more than was uncovered.",
)
FIRST_ATTEMPTS = ReportTable(
    "first_attempts",
    "first_attempts",
    "Right at the first attempt.",
    named(
        METHOD_COLUMN,
        Column("First answer right", "rate", bare_percent, "%"),
        limits(bare_percent, "rate_low", "rate_high"),
        Column("Corrected for guessing", "estimate", bare_percent, "%"),
        limits(bare_percent),
        Column("Rounds", "n", grouped, "n"),
    ),
    "Free tries raise recognition by guessing; the first answer can’t. Corrected: (rate − guess) / "
    "(1 − guess), guess one over the number of classes. Rounds without an answer count as not "
    "right.",
)


def _clearly_without(row: Row) -> str:
    return NOTHING if row["without_reference"] is None else grouped(row["without_clear"])


TABLE4 = ReportTable(
    "table4",
    "table4",
    "Images on which a method uncovers least on average.",
    named(
        Column("Reading", spelled("reading", READING_WORDS)),
        METHOD_COLUMN,
        Column("Lowest", "images", grouped, "images"),
        Column("Clearly", "clear", grouped, "images"),
        Column("Lowest without the reference", "without_reference", grouped, "images"),
        Column("Clearly", _clearly_without, str, "images"),
        Column(
            "Compared",
            lambda row: f"{grouped(row['compared'])} ({grouped(row['compared_without'])})",
            str,
            "images",
        ),
    ),
    lambda results: (
        "Table IV of the paper. Clearly: lowest in at least "
        f"{percent(results['levels']['interval'])} of the draws of participants; the others are "
        "partly luck. An image counts where every compared method was seen; equal averages count "
        "for none."
    ),
    strong=changes("reading"),
    row_headers=2,
)


def _flat(row: Row) -> dict[str, Any]:
    return {name: value for name, value in row.items() if not isinstance(value, list)}


def _correlations(results: Results) -> list[Row]:
    efficiency = {row["method"]: row for row in results["correlation"]["efficiency"]}
    return [{**row, "with": efficiency[row["method"]]} for row in results["correlation"]["last"]]


def _correlation_columns(results: Results) -> tuple[Column, ...]:
    weak = number(results["correlation"]["weak"], 1)
    return named(
        METHOD_COLUMN,
        Column("Mean", "estimate", number, "Spearman"),
        limits(),
        Column("Middle half", lambda row: f"{number(row['q25'])} to {number(row['q75'])}", str),
        Column(f"Above {weak}", "above", percent),
        Column(f"Within ±{weak}", "near", percent),
        Column(f"Below −{weak}", "below", percent),
        Column("Images", "images", grouped, "n"),
        Column(
            "With needed share",
            lambda row: f"{number(row['with']['rho'])} (p {p_value(row['with']['p'])})",
            str,
            "Spearman",
        ),
    )(results)


CORRELATION = ReportTable(
    "correlations_last",
    lambda results: [_flat(row) for row in results["correlation"]["last"]],
    lambda results: f"Rank correlation with the {human_map(results['data'])} at the last step.",
    _correlation_columns,
    "With needed share: over images, whether maps more like that one go with a larger "
    "(positive) or smaller (negative) share uncovered.",
    shown=_correlations,
)
_LAWS = {
    "betaprime": "beta prime",
    "exponweib": "exponentiated Weibull",
    "lognorm": "log-normal",
    "gamma": "gamma",
    "weibull_min": "Weibull",
}


def _laws(results: Results) -> list[Row]:
    """Return a row a distribution, with each method's fit."""
    pooled = results["fits"]["pooled"]
    return [
        {"name": name, **{row["method"]: row for row in pooled if row["law"] == law}}
        for law, name in _LAWS.items()
        if pooled
    ]


def _law_columns(results: Results) -> list[Column]:
    def fit(method: str) -> Callable[[Row], str]:
        return lambda row: (
            f"{number(row[method]['aic'], 1)} ({number(row[method]['ks'], 3)})"
            if method in row
            else NOTHING
        )

    methods = dict.fromkeys(row["method"] for row in results["fits"]["pooled"])
    return [
        Column("Distribution", "name"),
        *(
            Column(method_name(method, results["data"]), fit(method), str, "AIC (KS distance)")
            for method in methods
        ),
    ]


LAWS = ReportTable(
    "fits_pooled",
    "fits.pooled",
    "Distributions of the uncovered share at recognition, per cent of the image.",
    _law_columns,
    "Recognised rounds only; lower is better.",
    shown=_laws,
)


def _suits(results: Results) -> list[dict[str, Any]]:
    methods = results["data"]["methods"]
    return [
        {
            "of": part["of"],
            "unit": unit["unit"],
            "best": unit["best"],
            "clear": unit["clear"],
            **{f"effect_{m}": v for m, v in zip(methods, unit["effects"], strict=True)},
        }
        for part in results["models"]["suits"]
        for unit in part["units"]
    ]


def _needed(results: Results) -> list[dict[str, Any]]:
    needed = results["survival"]["needed"]
    names = ("recognised_only", "reached", "ci_low", "ci_high", "end_final")
    return [
        {"method": curve["method"], "share": share, **dict(zip(names, values, strict=True))}
        for curve in needed["curves"]
        for share, *values in zip(needed["shares"], *(curve[name] for name in names), strict=True)
    ]


FILES = (
    ReportTable("steps", "survival.steps.rows"),
    ReportTable("needed_shares", _needed),
    ReportTable("classes", "classes"),
    ReportTable("images", "images"),
    ReportTable("correlations_steps", "correlation.steps"),
    ReportTable("fits_units", "fits.units"),
    ReportTable("moments", "fits.moments"),
    ReportTable("groups", lambda results: [_flat(row) for row in results["fits"]["groups"]]),
    ReportTable("suits", _suits),
    ReportTable("hazard_curves", "models.curves"),
)
"""Tables that are files alone, not on the page."""
