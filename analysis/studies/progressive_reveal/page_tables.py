"""Tables of the report of progressive_reveal."""

from collections.abc import Mapping
from typing import Any

from analysis.report.parts import Table, table
from analysis.report.wording import NOTHING, grouped, interval, number, p_value, percent
from analysis.studies.progressive_reveal.sentences import points_tenth
from analysis.studies.progressive_reveal.words import (
    INTERVAL_COLUMN,
    READING_WORDS,
    bare,
    method_cell,
    method_name,
    share_cells,
)

Results = Mapping[str, Any]
Row = Mapping[str, Any]

_METHOD = ("Method", "", False)


def table3_pixels(results: Results) -> Table:
    """Return the averages of uncovered pixels in Table III's two readings."""
    rows = []
    for own, every in _readings(results):
        cells = [method_cell(own["method"])]
        for row in (own, every):
            share = row["share"]
            cells += [
                number(row["pixels"], 1),
                number(None if share is None else 100 * share, 1),
                interval(row["share_low"], row["share_high"], bare),
                grouped(row["n_averaged"]),
            ]
        rows.append(cells)
    columns = [_METHOD]
    for name in ("Recognised rounds", "All rounds"):
        columns += [
            (name, "px", True),
            (name, "% of image", True),
            INTERVAL_COLUMN,
            ("Rounds", "n", True),
        ]
    note = (
        "Table III of the paper in both readings; it doesn’t state which is its own. All rounds: "
        "unrecognised ones enter with their last pixels."
    )
    return table("Uncovered pixels on average, completed rounds.", columns, rows, note)


def table3_rates(results: Results) -> Table:
    """Return Table III's tries and recognition rates."""
    rows = [
        (
            method_cell(row["method"]),
            number(row["attempts"]),
            interval(row["attempts_low"], row["attempts_high"]),
            number(100 * row["recognition_rate"], 1),
            interval(row["recognition_rate_low"], row["recognition_rate_high"], bare),
            grouped(row["n"]),
        )
        for row, _ in _readings(results)
    ]
    columns = [
        _METHOD,
        ("Tries", "", True),
        INTERVAL_COLUMN,
        ("Recognised", "%", True),
        INTERVAL_COLUMN,
        ("Rounds", "n", True),
    ]
    return table("Tries and recognition, all completed rounds (Table III).", columns, rows)


def _readings(results: Results) -> list[tuple[Row, Row]]:
    """Return each method's rows of Table III: recognised rounds, all rounds."""
    found = {(row["method"], row["reading"]): row for row in results["table3"]}
    methods = dict.fromkeys(row["method"] for row in results["table3"])
    return [(found[m, "recognised"], found[m, "all_last_step"]) for m in methods]


def dropping(results: Results) -> Table:
    """Return what leaving unrecognised rounds out does to each average."""
    rows = [
        (
            method_cell(row["method"]),
            points_tenth(row["estimate"]),
            interval(row["ci_low"], row["ci_high"], points_tenth),
        )
        for row in results["table3_dropping"]
    ]
    columns = [_METHOD, ("Moves the average by", "points of the image", True), INTERVAL_COLUMN]
    return table(
        "What leaving unrecognised rounds out does to the average of uncovered pixels.",
        columns,
        rows,
        "Average over recognised rounds less the average over all with their last pixels. Even the "
        "latter is too low: an unrecognised round needed more than was uncovered.",
    )


def first_attempts(results: Results) -> Table:
    """Return recognition at the first attempt."""
    rows = [
        (
            method_cell(row["method"]),
            number(100 * row["rate"], 1),
            interval(row["rate_low"], row["rate_high"], bare),
            *share_cells(row),
            grouped(row["n"]),
        )
        for row in results["first_attempts"]
    ]
    columns = [
        _METHOD,
        ("First answer right", "%", True),
        INTERVAL_COLUMN,
        ("Corrected for guessing", "%", True),
        INTERVAL_COLUMN,
        ("Rounds", "n", True),
    ]
    note = (
        "Free tries raise recognition by guessing; the first answer can’t. Corrected: (rate − "
        "guess) / (1 − guess), guess one over the number of classes. Rounds without an answer "
        "count as not right."
    )
    return table("Right at the first attempt.", columns, rows, note)


def table4(results: Results) -> Table:
    """Return Table IV in both readings."""
    rows, strong, last = [], [], None
    for row in results["table4"]:
        if last not in (None, row["reading"]):
            strong.append(len(rows))
        last = row["reading"]
        without = row["without_reference"]
        rows.append(
            (
                READING_WORDS[row["reading"]],
                method_cell(row["method"]),
                grouped(row["images"]),
                grouped(row["clear"]),
                NOTHING if without is None else grouped(without),
                NOTHING if without is None else grouped(row["without_clear"]),
                f"{grouped(row['compared'])} ({grouped(row['compared_without'])})",
            )
        )
    columns = [
        ("Reading", "", False),
        _METHOD,
        ("Lowest", "images", True),
        ("Clearly", "images", True),
        ("Lowest without the reference", "images", True),
        ("Clearly", "images", True),
        ("Compared", "images", True),
    ]
    note = (
        "Table IV of the paper. Clearly: lowest in at least "
        f"{percent(results['levels']['interval'])} of the draws of people; the others are partly "
        "luck. An image counts where every compared method was seen; equal averages count for none."
    )
    caption = "Images on which a method uncovers least on average."
    return table(caption, columns, rows, note, strong, row_headers=2)


def correlation(results: Results) -> Table:
    """Return the maps' likeness to the human ones at the last step."""
    weak = number(results["correlation"]["weak"], 1)
    efficiency = {row["method"]: row for row in results["correlation"]["efficiency"]}
    rows = []
    for row in results["correlation"]["last"]:
        own = efficiency[row["method"]]
        rows.append(
            (
                method_cell(row["method"]),
                number(row["estimate"]),
                interval(row["ci_low"], row["ci_high"]),
                f"{number(row['q25'])} to {number(row['q75'])}",
                percent(row["above"]),
                percent(row["near"]),
                percent(row["below"]),
                grouped(row["images"]),
                f"{number(own['rho'])} (p {p_value(own['p'])})",
            )
        )
    columns = [
        _METHOD,
        ("Mean", "Spearman", True),
        INTERVAL_COLUMN,
        ("Middle half", "", True),
        (f"Above {weak}", "", True),
        (f"Within ±{weak}", "", True),
        (f"Below −{weak}", "", True),
        ("Images", "n", True),
        ("With needed share", "Spearman", True),
    ]
    note = (
        "With needed share: over images, whether maps more like the human one go with a larger "
        "(positive) or smaller (negative) share uncovered."
    )
    caption = "Rank correlation with the human map at the last step."
    return table(caption, columns, rows, note)


def laws(results: Results) -> Table:
    """Return how well distributions fit each method's recognised rounds."""
    names = {
        "betaprime": "beta prime",
        "exponweib": "exponentiated Weibull",
        "lognorm": "log-normal",
        "gamma": "gamma",
        "weibull_min": "Weibull",
    }
    pooled = results["fits"]["pooled"]
    methods = list(dict.fromkeys(row["method"] for row in pooled))
    rows = []
    for law, name in names.items():
        cells = []
        for method in methods:
            own = [row for row in pooled if row["law"] == law and row["method"] == method]
            cells.append(
                f"{number(own[0]['aic'], 1)} ({number(own[0]['ks'], 3)})" if own else NOTHING
            )
        rows.append((name, *cells))
    columns = [("Distribution", "", False)]
    columns += [(method_name(method), "AIC (KS distance)", True) for method in methods]
    caption = "Distributions of the uncovered share at recognition, per cent of the image."
    return table(caption, columns, rows, "Recognised rounds only; lower is better.")


def missing(results: Results) -> Table:
    """Return what can't be given."""
    rows = [(row["result"], row["reason"]) for row in results["missing"]]
    return table("Not given.", [("Result", "", False), ("Why", "", False)], rows)
