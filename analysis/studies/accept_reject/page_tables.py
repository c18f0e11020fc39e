"""The report's tables."""

from collections.abc import Mapping
from typing import Any

from analysis.report.declared import ReportTable, Results, changes, some, spelled, taken
from analysis.report.listing import cut
from analysis.report.parts import Column, limits
from analysis.report.primary import WORDS
from analysis.report.wording import (
    NOTHING,
    bare_percent,
    grouped,
    interval,
    number,
    p_value,
    percent,
    points,
    rounded,
)
from analysis.studies.accept_reject.words import (
    GROUP_HEADINGS,
    N_COLUMN,
    ODD_OUTCOMES,
    RUN_WORDS,
    gain_words,
    granted,
    kept_words,
    lead_name,
    solver_words,
)

Row = Mapping[str, Any]

_TENTHS = rounded(percent, 1)
_SOLVER = Column("Solver", "solver")
_RUN = Column("Explanation", spelled("explained", RUN_WORDS))


def _right(results: Results) -> list[Column]:
    """Return a column for each group of controls: how many a lead decided rightly."""
    return [
        Column(
            heading,
            lambda row, name=name: next(
                kept_words(group) for group in row["compliance"] if group["name"] == name
            ),
            str,
            "controls right",
        )
        for name, heading in GROUP_HEADINGS.items()
        if name in results["exclusions"]["compliance_minimums"]
    ]


def _compliance(row: Row) -> dict[str, Any]:
    """Return a lead's compliance as columns of a file."""
    return {
        f"compliance_{group['name']}{ending}": group[name]
        for group in row["compliance"]
        for ending, name in (("", "rate"), ("_n", "n"))
    }


EXCLUSIONS = ReportTable(
    "exclusions",
    lambda results: [
        {name: row[name] for name in ("participant", "robot", "reason")} | _compliance(row)
        for row in results["exclusions"]["by_rule"]
    ],
    "Leads left out of the second analysis.",
    lambda results: [Column("Lead", lead_name), Column("Why", "reason"), *_right(results)],
    shown="exclusions.by_rule",
    cut=lambda rows: cut(rows, "leads", "exclusions", lambda _: True, "leads, by code"),
)
_SOLUTIONS = (
    _SOLVER,
    Column("n", "items", grouped, "plate × rung"),
    Column("Right", "right", _TENTHS),
    Column("No solution", "no_solution", _TENTHS),
)
SOLUTIONS = ReportTable(
    "", "solutions", "The solutions that were shown, apart from controls.", _SOLUTIONS
)
ITEMS = ReportTable(
    "",
    "items",
    "All plates with a numeral, from the item table.",
    (
        *_SOLUTIONS,
        Column("Mean area of regions", "region_area", _TENTHS, "of the plate"),
        Column("Overlap of S’s and E’s", "region_iou", number, "mean IoU"),
    ),
)
ACCEPTANCE = ReportTable(
    "acceptance",
    "acceptance",
    lambda results: f"Acceptance {granted(results['data'])}.",
    (_SOLVER, _RUN, Column("Accepted", "rate", _TENTHS), limits(bare_percent), N_COLUMN),
    strong=lambda _: (2,),
    row_headers=2,
)
PRIMARY = ReportTable(
    "primary",
    "primary.rows",
    lambda results: (
        "The primary analysis, and the other one beside it: usefulness of explanations "
        f"{granted(results['data'])}, all leads."
    ),
    lambda results: (
        Column("Solutions of", spelled("solver", solver_words(results["data"]))),
        Column("By", lambda row: WORDS[row["by"]]),
        Column("", lambda row: "primary" if row["primary"] else "beside it"),
        Column("Usefulness", "estimate", points, "percentage points"),
        limits(points),
        Column("p", "p", p_value),
        Column("p", "p_holm", p_value, "Holm"),
    ),
    "p is adjusted over S’s and E’s explanations, the family of the primary analysis.",
    strong=changes("by"),
    row_headers=2,
)
USEFULNESS = ReportTable(
    "usefulness",
    "usefulness",
    lambda results: (
        f"Usefulness of explanations: acceptance {granted(results['data'])}, all leads."
    ),
    lambda results: (
        Column(
            "Solutions of", spelled("solver", {**solver_words(results["data"]), "S-E": "S less E"})
        ),
        Column("", lambda row: "net of contour reading" if row["net"] else "raw"),
        Column("Usefulness", "estimate", points, "percentage points"),
        limits(points),
        N_COLUMN,
    ),
    lambda results: f"Intervals: {results['intervals']}.",
    strong=lambda _: (3,),
    row_headers=2,
)


def _person(row: Row) -> dict[str, Any]:
    """Return a lead's row of the file."""
    flat = {name: row[name] for name in ("participant", "robot", "outcome", "verdict", "flagged")}
    flat |= _compliance(row)
    named = [
        (f"{part['solver'].replace('-', '_minus_')}{'_net' if part['net'] else ''}", part)
        for part in row["usefulness"]
    ]
    for name, part in (*named, ("pooled", row["usefulness_pooled"])):
        flat |= {
            f"usefulness_{name}": part["estimate"],
            f"usefulness_{name}_low": part["ci_low"],
            f"usefulness_{name}_high": part["ci_high"],
        }
    for name in ("with", "without"):
        part = row["contour"][name]
        flat |= {f"contour_{name}": part["rate"], f"contour_{name}_n": part["n"]}
    shrunken = row["contour"]["shrunken"]
    return flat | {
        "contour_shrunken": shrunken["estimate"],
        "contour_shrunken_low": shrunken["ci_low"],
        "contour_shrunken_high": shrunken["ci_high"],
    }


def _gain(solver: str) -> Column:
    def words(row: Row) -> str:
        parts = {part["solver"]: part for part in row["usefulness"] if not part["net"]}
        return gain_words(parts[solver]) if solver in parts else NOTHING

    return Column(solver.replace("-", " less "), words, str, "points")


PARTICIPANTS = ReportTable(
    "participants",
    lambda results: [_person(row) for row in results["participants"]],
    "Usefulness for each lead, raw, with 95 % intervals that take the lead’s trials as "
    "independent.",
    lambda results: [
        Column("Lead", lead_name),
        *_right(results),
        _gain("S"),
        _gain("E"),
        Column("Together", "usefulness_pooled", gain_words, "points"),
        Column("Verdict", "verdict"),
    ],
    "“Profits” and “accepts less” rest on S’s and E’s solutions together, whose interval "
    "excludes zero; “no profit shown” is not evidence of none. Reading the contour and compliance "
    "are judged first.",
    shown="participants",
    cut=lambda rows: cut(
        rows,
        "leads",
        "participants",
        lambda row: row["outcome"] in ODD_OUTCOMES,
        "leads whose answers don’t come from the plate",
    ),
)
_CONTOURS = {"without": "no contour", "S_like": "contour like S’s", "E_like": "contour like E’s"}
CONTOUR = ReportTable(
    "contour_reading",
    "contour_reading",
    lambda results: f"Reading the contour: acceptance {granted(results['data'])}, all leads.",
    (
        Column("Plate without a numeral", spelled("contour", _CONTOURS)),
        Column("Accepted", "rate", _TENTHS),
        limits(bare_percent),
        N_COLUMN,
    ),
    shown=lambda results: [
        {"contour": name, **part} for name, part in results["contour_overall"].items()
    ],
)


def repeated(name: str, source: str, what: str, caption: str, **more: Any) -> ReportTable:
    """Return a table of the main results of several analyses.

    Parameters
    ----------
    name, caption, **more
        As of `ReportTable`.
    source
        Path of the analyses.
    what
        Heading of their labels.
    """

    def rows(results: Results) -> list[dict[str, Any]] | None:
        return [
            {"analysis": row["analysis"], "participants": row["participants"], **part}
            for row in taken(results, source)
            for part in row["usefulness"]
        ] or None

    columns = (
        Column(what, "analysis"),
        Column("Leads", "participants", grouped, "n"),
        _gain("S"),
        _gain("E"),
        _gain("S-E"),
        Column(
            "S against E",
            lambda row: row["comparison"]["verdict"] if row["comparison"] else NOTHING,
        ),
    )
    return ReportTable(name, rows, caption, columns, shown=source, **more)


SENSITIVITY = repeated(
    "sensitivity", "sensitivity", "Analysis", "Usefulness, raw, with 95 % intervals."
)


def _practice(results: Results) -> list[dict[str, Any]] | None:
    effect = results["run_effect"]
    return [{"what": what, **row} for what in ("practice", "net") for row in effect[what]] or None


PRACTICE = ReportTable(
    "practice",
    _practice,
    "Effects of explanation and run, separated.",
    (
        Column(
            "",
            spelled(
                "what",
                {
                    "practice": "practice: second run less first, both without",
                    "net": "usefulness net of practice",
                },
            ),
        ),
        Column("By", spelled("by", {"probes": "probes", "sham": "sham group"})),
        Column("Solutions of", "solver"),
        Column("Difference", "estimate", points, "percentage points"),
        limits(points),
        N_COLUMN,
    ),
    "Probes are solutions without explanation within the run with them; the sham group had two "
    "runs without.",
    strong=changes("what"),
    row_headers=3,
)
DECISION_TIMES = ReportTable(
    "decision_times",
    "timing.answers",
    "Decision times.",
    (
        _SOLVER,
        _RUN,
        Column("Decision", "decision"),
        Column("Median time", "median_rt_s", number, "s"),
        Column("Quartiles", lambda row: interval(row["q25_rt_s"], row["q75_rt_s"]), str, "s"),
        N_COLUMN,
    ),
    strong=changes("solver"),
    row_headers=3,
)


def _averaged(results: Results) -> list[dict[str, str]]:
    """Return the mixed model's averaged probabilities and their differences, printed."""
    model = results["model"]
    if not model["fitted"] or not model["converged"] or not model["marginal"]:
        return []
    rows = [
        {
            "of": f"{row['solver']}, {RUN_WORDS[row['explained']]} explanation",
            "estimate": percent(row["estimate"], 1),
            "limits": interval(row["ci_low"], row["ci_high"], bare_percent),
        }
        for row in model["marginal"]
    ]
    return rows + [
        {
            "of": f"usefulness, {row['solver'].replace('S-E', 'S less E')}",
            "estimate": f"{points(row['estimate'])} points",
            "limits": interval(row["ci_low"], row["ci_high"], points),
        }
        for row in model["marginal_usefulness"]
    ]


MARGINAL = ReportTable(
    "",
    _averaged,
    "Probability that a lead accepts, averaged over leads, plates, runs and orders.",
    (Column("", "of"), Column("Estimate", "estimate", str), Column("95 % interval", "limits", str)),
    "From the mixed model, random effects integrated out, limits by the delta method.",
    strong=lambda _: (4,),
)


def _curve_rows(source: str, *names: str) -> Any:
    """Return a function that makes rows of curves, one a time; `names` say which curve it is."""
    columns = ("time_s", "rate", "ci_low", "ci_high", "band_low", "band_high")

    def rows(results: Results) -> list[dict[str, Any]]:
        return [
            {
                **{name: curve[name] for name in names},
                **dict(zip(columns, values, strict=True)),
                "n": curve["n"],
            }
            for curve in taken(results, source)
            for values in zip(*(curve[name] for name in columns), strict=True)
        ]

    return rows


FILES = (
    ReportTable("acceptance_curves", _curve_rows("curves", "solver", "explained")),
    ReportTable("acceptance_differences", _curve_rows("curve_differences", "solver")),
    ReportTable("time_quantiles", some("response_times.quantiles")),
)
"""Tables that are files alone, not on the page."""
