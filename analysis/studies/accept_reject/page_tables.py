"""The report's tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.report.listing import cut
from analysis.report.parts import Table, table
from analysis.report.wording import NOTHING, grouped, interval, number, percent, points
from analysis.studies.accept_reject.words import (
    INTERVAL_COLUMN,
    N_COLUMN,
    ODD_OUTCOMES,
    RUN_WORDS,
    bare_percent,
    gain_words,
    granted,
    lead_name,
)

Results = Mapping[str, Any]


def exclusions(results: Results) -> Table:
    """Whom the second analysis leaves out."""
    gone, note = cut(
        results["exclusions"]["by_rule"],
        "leads",
        "exclusions",
        lambda _: True,
        "leads, by code",
    )
    rows = [
        (lead_name(row), row["reason"], percent(row["compliance"]), grouped(row["n"]))
        for row in gone
    ]
    columns = [
        ("Lead", "", False),
        ("Why", "", False),
        ("Compliance", "", True),
        ("n", "controls", True),
    ]
    return table("Leads left out of the second analysis.", columns, rows, note)


def solutions(results: Results) -> Table:
    """How good the shown solutions were."""
    rows = [
        (
            row["solver"],
            grouped(row["items"]),
            percent(row["right"], 1),
            percent(row["no_solution"], 1),
        )
        for row in results["solutions"]
    ]
    columns = [
        ("Solver", "", False),
        ("n", "plate × rung", True),
        ("Right", "", True),
        ("No solution", "", True),
    ]
    return table("The solutions that were shown, apart from controls.", columns, rows)


def items(results: Results) -> Table:
    """What S and E made of all items."""
    rows = [
        (
            row["solver"],
            grouped(row["items"]),
            percent(row["right"], 1),
            percent(row["no_solution"], 1),
            percent(row["region_area"], 1),
            number(row["region_iou"]),
        )
        for row in results["items"]
    ]
    columns = [
        ("Solver", "", False),
        ("n", "plate × rung", True),
        ("Right", "", True),
        ("No solution", "", True),
        ("Mean area of regions", "of the plate", True),
        ("Overlap of S’s and E’s", "mean IoU", True),
    ]
    return table("All plates with a numeral, from the item table.", columns, rows)


def acceptance(results: Results) -> Table:
    """p_S and p_E at the primary decision time."""
    rows = [
        (
            row["solver"],
            RUN_WORDS[row["explained"]],
            percent(row["rate"], 1),
            interval(row["ci_low"], row["ci_high"], bare_percent),
            grouped(row["n"]),
        )
        for row in results["acceptance"]
    ]
    columns = [
        ("Solver", "", False),
        ("Explanation", "", False),
        ("Accepted", "", True),
        INTERVAL_COLUMN,
        N_COLUMN,
    ]
    return table(
        f"Acceptance {granted(results['data'])}.", columns, rows, strong=[2], row_headers=2
    )


def usefulness(results: Results) -> Table:
    """Usefulness over all leads."""
    names = {"S": "system (S)", "E": "experts (E)", "S-E": "S less E"}
    rows = [
        (
            names[row["solver"]],
            "net of contour reading" if row["net"] else "raw",
            points(row["estimate"]),
            interval(row["ci_low"], row["ci_high"], points),
            grouped(row["n"]),
        )
        for row in results["usefulness"]
    ]
    columns = [
        ("Solutions of", "", False),
        ("", "", False),
        ("Usefulness", "percentage points", True),
        INTERVAL_COLUMN,
        N_COLUMN,
    ]
    return table(
        f"Usefulness of explanations: acceptance {granted(results['data'])}, all leads.",
        columns,
        rows,
        f"Intervals: {results['intervals']}.",
        strong=[3],
        row_headers=2,
    )


def participants(results: Results) -> Table:
    """Each lead by themselves."""
    rows = []
    people = results["participants"]
    note = (
        "“Profits” and “accepts less” rest on S’s and E’s solutions together, whose interval lies "
        "beyond nought; “no profit shown” is not evidence of none. Reading the contour and "
        "compliance are judged first."
    )
    people, listed_note = cut(
        people,
        "leads",
        "participants",
        lambda row: row["outcome"] in ODD_OUTCOMES,
        "leads whose answers don’t come from the plate",
    )
    for row in people:
        gains = {(part["solver"], part["net"]): part for part in row["usefulness"]}
        pooled = row["usefulness_pooled"]
        rows.append(
            (
                lead_name(row),
                percent(row["compliance"]["rate"]),
                gain_words(gains["S", False]),
                gain_words(gains["E", False]),
                gain_words(pooled),
                row["verdict"],
            )
        )
    columns = [
        ("Lead", "", False),
        ("Compliance", "", True),
        ("S", "points", True),
        ("E", "points", True),
        ("S and E together", "points", True),
        ("Verdict", "", False),
    ]
    return table(
        "Usefulness for each lead, raw, with 95 % intervals that take the lead’s trials as "
        "independent.",
        columns,
        rows,
        f"{listed_note} {note}".strip(),
    )


def contour(results: Results) -> Table:
    """Acceptance of plates without a numeral, over all leads."""
    names = {"without": "no contour", "S_like": "contour like S’s", "E_like": "contour like E’s"}
    rows = [
        (
            names[name],
            percent(part["rate"], 1),
            interval(part["ci_low"], part["ci_high"], bare_percent),
            grouped(part["n"]),
        )
        for name, part in results["contour_overall"].items()
    ]
    columns = [
        ("Plate without a numeral", "", False),
        ("Accepted", "", True),
        INTERVAL_COLUMN,
        N_COLUMN,
    ]
    return table(
        f"Reading the contour: acceptance {granted(results['data'])}, all leads.",
        columns,
        rows,
    )


def repeated_rows(repeated: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Return one row for each repeat of an analysis: leads, raw usefulness, S against E."""
    rows = []
    for row in repeated:
        gains = {part["solver"]: part for part in row["usefulness"] if not part["net"]}
        verdict = row["comparison"]["verdict"] if row["comparison"] else NOTHING
        rows.append(
            (
                row["analysis"],
                grouped(row["participants"]),
                *(
                    gain_words(gains[name]) if name in gains else NOTHING
                    for name in ("S", "E", "S-E")
                ),
                verdict,
            )
        )
    return rows


def sensitivity(results: Results) -> Table:
    """Usefulness again, under other choices."""
    rows = repeated_rows(results["sensitivity"])
    columns = [
        ("Analysis", "", False),
        ("Leads", "n", True),
        ("S", "points", True),
        ("E", "points", True),
        ("S less E", "points", True),
        ("S against E", "", False),
    ]
    return table("Usefulness, raw, with 95 % intervals.", columns, rows)


def practice(results: Results) -> Table:
    """What a second run without explanations brings, and usefulness net of it."""
    effect = results["run_effect"]
    by = {"probes": "probes", "sham": "sham group"}
    rows = [
        ("practice: second run less first, both without", by[row["by"]], row["solver"], row)
        for row in effect["practice"]
    ]
    rows += [("usefulness net of practice", by[row["by"]], row["solver"], row)
             for row in effect["net"]]  # fmt: skip
    columns = [
        ("", "", False),
        ("By", "", False),
        ("Solutions of", "", False),
        ("Difference", "percentage points", True),
        INTERVAL_COLUMN,
        N_COLUMN,
    ]
    return table(
        "Explanation and run told apart.",
        columns,
        [
            (
                what,
                how,
                whose,
                points(row["estimate"]),
                interval(row["ci_low"], row["ci_high"], points),
                grouped(row["n"]),
            )
            for what, how, whose, row in rows
        ],
        "Probes are solutions without explanation within the run with them; the sham group had two "
        "runs without.",
        strong=[len(effect["practice"])],
        row_headers=3,
    )


def answers(results: Results) -> Table:
    """Decision times by solver, explanation and decision."""
    found = results["timing"]["answers"]
    rows, strong = [], []
    for place, row in enumerate(found):
        if place and found[place - 1]["solver"] != row["solver"]:
            strong.append(place)
        rows.append(
            (
                row["solver"],
                RUN_WORDS[row["explained"]],
                row["decision"],
                number(row["median_rt_s"]),
                interval(row["q25_rt_s"], row["q75_rt_s"]),
                grouped(row["n"]),
            )
        )
    columns = [
        ("Solver", "", False),
        ("Explanation", "", False),
        ("Decision", "", False),
        ("Median time", "s", True),
        ("Quartiles", "s", True),
        N_COLUMN,
    ]
    return table("Decision times.", columns, rows, strong=strong, row_headers=3)
