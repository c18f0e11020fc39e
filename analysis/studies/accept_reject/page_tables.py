"""The report's tables."""

from collections.abc import Mapping
from typing import Any

from analysis.report.parts import Table, table
from analysis.report.wording import NOTHING, granted, interval, number, percent, points
from analysis.studies.accept_reject.words import (
    INTERVAL_COLUMN,
    N_COLUMN,
    ODD_OUTCOMES,
    RUN_WORDS,
    bare_percent,
    gain_words,
    lead_name,
)
from stimuli.protocol.accept_reject import AcceptReject

Results = Mapping[str, Any]

MOST_LISTED = 60


def flow(results: Results) -> Table:
    """Participants and trials at each step."""
    rows = [
        (
            row["step"],
            str(row["participants"]),
            NOTHING if row["trials"] is None else str(row["trials"]),
        )
        for row in results["flow"]
    ]
    columns = [("Step", "", False), ("Participants", "n", True), ("Trials", "n", True)]
    return table("Participant flow.", columns, rows)


def exclusions(results: Results) -> Table:
    """Whom the second analysis leaves out."""
    rows = [
        (lead_name(row), row["reason"], percent(row["compliance"]), str(row["n"]))
        for row in results["exclusions"]["by_rule"]
    ]
    columns = [
        ("Lead", "", False),
        ("Why", "", False),
        ("Compliance", "", True),
        ("n", "controls", True),
    ]
    return table("Leads left out of the second analysis.", columns, rows)


def solutions(results: Results) -> Table:
    """How good the shown solutions were."""
    rows = [
        (row["solver"], str(row["items"]), percent(row["right"], 1), percent(row["no_solution"], 1))
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
            str(row["items"]),
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
            str(row["n"]),
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
    return table(f"Acceptance {granted(results['data'])}.", columns, rows, strong=[2])


def usefulness(results: Results) -> Table:
    """Usefulness over all leads."""
    names = {"S": "system (S)", "E": "experts (E)", "S-E": "S less E"}
    rows = [
        (
            names[row["solver"]],
            "net of contour reading" if row["net"] else "raw",
            points(row["estimate"]),
            interval(row["ci_low"], row["ci_high"], points),
            str(row["n"]),
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
    if len(people) > MOST_LISTED:
        listed = [row for row in people if row["outcome"] in ODD_OUTCOMES][:MOST_LISTED]
        note = (
            f"Of {len(people)} leads {len(listed)} are listed here: those whose answers don’t "
            "come from the plate. All stand in tables/participants.csv. " + note
        )
        people = listed
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
        note,
    )


def contour(results: Results) -> Table:
    """Acceptance of plates without a numeral, over all leads."""
    names = {"without": "no contour", "S_like": "contour like S’s", "E_like": "contour like E’s"}
    rows = [
        (
            names[name],
            percent(part["rate"], 1),
            interval(part["ci_low"], part["ci_high"], bare_percent),
            str(part["n"]),
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


def sensitivity(results: Results) -> Table:
    """Usefulness again, under other choices."""
    rows = []
    for row in results["sensitivity"]:
        gains = {part["solver"]: part for part in row["usefulness"] if not part["net"]}
        verdict = row["comparison"]["verdict"] if row["comparison"] else NOTHING
        rows.append(
            (
                row["analysis"],
                str(row["participants"]),
                *(
                    gain_words(gains[name]) if name in gains else NOTHING
                    for name in ("S", "E", "S-E")
                ),
                verdict,
            )
        )
    columns = [
        ("Analysis", "", False),
        ("Leads", "n", True),
        ("S", "points", True),
        ("E", "points", True),
        ("S less E", "points", True),
        ("S against E", "", False),
    ]
    return table("Usefulness, raw, with 95 % intervals.", columns, rows)


def rigs(results: Results) -> Table:
    """Timing by rig."""
    rows = [
        (
            row["rig"] or "not stated",
            str(row["participants"]),
            str(row["trials"]),
            NOTHING if row["trials_with_drops"] is None else str(row["trials_with_drops"]),
            NOTHING if row["frames_dropped"] is None else str(row["frames_dropped"]),
            number(row["median_rt_s"]),
        )
        for row in results["timing"]["rigs"]
    ]
    columns = [
        ("Rig", "", False),
        ("Participants", "n", True),
        ("Trials", "n", True),
        ("Trials with a dropped frame", "n", True),
        ("Frames dropped", "n", True),
        ("Median decision time", "s", True),
    ]
    return table("Timing by rig.", columns, rows)


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
                str(row["n"]),
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
    return table("Decision times.", columns, rows, strong=strong)


def deviations(protocol: AcceptReject) -> Table:
    """Where the protocol differs from the paper."""
    rows = [(d.field, d.published, d.here, d.reason) for d in protocol.deviations]
    columns = [
        ("Field", "", False),
        ("Published", "", False),
        ("Here", "", False),
        ("Why", "", False),
    ]
    return table(
        "Where this protocol differs from the paper, as the protocol states it.", columns, rows
    )
