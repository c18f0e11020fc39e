"""The report's tables."""

from collections.abc import Mapping
from typing import Any

from analysis.report.parts import Table, table
from analysis.report.wording import NOTHING, interval, number, p_value, percent, points
from stimuli.protocol.accept_reject import AcceptReject

Results = Mapping[str, Any]
Row = Mapping[str, Any]

_RUN = {False: "without", True: "with"}
_N = ("n", "trials", True)
_CI = ("95 % interval", "", True)


def flow(results: Results) -> Table:
    """Participants and trials at each step."""
    rows = [
        (row["step"], str(row["participants"]), NOTHING if row["trials"] is None else str(row["trials"]))
        for row in results["flow"]
    ]
    columns = [("Step", "", False), ("Participants", "n", True), ("Trials", "n", True)]
    return table("Participant flow.", columns, rows)


def exclusions(results: Results) -> Table:
    """Whom the second analysis leaves out."""
    rows = [
        (_name(row), row["reason"], percent(row["compliance"]), str(row["n"]))
        for row in results["exclusions"]["by_rule"]
    ]
    columns = [("Lead", "", False), ("Why", "", False), ("Compliance", "", True), ("n", "controls", True)]
    return table("Leads left out of the second analysis.", columns, rows)


def solutions(results: Results) -> Table:
    """How good the shown solutions were."""
    rows = [
        (row["solver"], str(row["items"]), percent(row["right"], 1), percent(row["no_solution"], 1))
        for row in results["solutions"]
    ]
    columns = [("Solver", "", False), ("n", "plates", True), ("Right", "", True),
               ("No solution", "", True)]
    return table("The solutions that were shown, apart from controls.", columns, rows)


def acceptance(results: Results) -> Table:
    """p_S and p_E at the primary decision time."""
    rows = [
        (row["solver"], _RUN[row["explained"]], percent(row["rate"], 1),
         interval(row["ci_low"], row["ci_high"], _percent1), str(row["n"]))
        for row in results["acceptance"]
    ]
    columns = [("Solver", "", False), ("Explanation", "", False), ("Accepted", "", True), _CI, _N]
    return table(
        f"Acceptance within {results['data']['cutoff_s']:g} s.", columns, rows, strong=[2]
    )


def usefulness(results: Results) -> Table:
    """Usefulness over all leads."""
    names = {"S": "system (S)", "E": "experts (E)", "S-E": "S less E"}
    rows = [
        (names[row["solver"]], "net of contour reading" if row["net"] else "raw",
         points(row["estimate"]), interval(row["ci_low"], row["ci_high"], points), str(row["n"]))
        for row in results["usefulness"]
    ]
    columns = [("Solutions of", "", False), ("", "", False),
               ("Usefulness", "percentage points", True), _CI, _N]
    return table(
        f"Usefulness of explanations within {results['data']['cutoff_s']:g} s, all leads.",
        columns, rows, f"Intervals: {results['intervals']}.", strong=[3],
    )


def participants(results: Results) -> Table:
    """Each lead by themselves."""
    rows = []
    for row in results["participants"]:
        gains = {(part["solver"], part["net"]): part for part in row["usefulness"]}
        pooled = row["usefulness_pooled"]
        rows.append(
            (
                _name(row),
                percent(row["compliance"]["rate"]),
                _gain(gains["S", False]),
                _gain(gains["E", False]),
                _gain(pooled),
                row["verdict"],
            )
        )
    columns = [
        ("Lead", "", False), ("Compliance", "", True), ("S", "points", True), ("E", "points", True),
        ("S and E together", "points", True), ("Verdict", "", False),
    ]
    return table(
        "Usefulness for each lead, raw, with 95 % intervals that take the lead’s trials as "
        "independent.",
        columns, rows,
        "“Profits” and “accepts less” rest on S’s and E’s solutions together, whose interval lies "
        "beyond nought; “no profit shown” is not evidence of none. Reading the contour and "
        "compliance are judged first.",
    )


def contour(results: Results) -> Table:
    """Acceptance of plates without a numeral, over all leads."""
    names = {"without": "no contour", "S_like": "contour like S’s", "E_like": "contour like E’s"}
    rows = [
        (names[name], percent(part["rate"], 1),
         interval(part["ci_low"], part["ci_high"], _percent1), str(part["n"]))
        for name, part in results["contour_overall"].items()
    ]
    columns = [("Plate without a numeral", "", False), ("Accepted", "", True), _CI, _N]
    return table(
        f"Reading the contour: acceptance within {results['data']['cutoff_s']:g} s, all leads.",
        columns, rows,
    )


def control_kinds(results: Results) -> Table:
    """Share accepted of every kind of control."""
    kinds = results["controls"]["kinds"]
    rows, strong = [], []
    for place, row in enumerate(kinds):
        if place and kinds[place - 1]["explained"] != row["explained"]:
            strong.append(place)
        rows.append(
            (_RUN[row["explained"]], row["meaning"], percent(row["rate"], 1),
             interval(row["ci_low"], row["ci_high"], _percent1), str(row["n"]))
        )
    columns = [("Explanation", "", False), ("Control", "", False), ("Accepted", "at any time", True),
               _CI, _N]
    return table("Controls accepted, whenever the answer came.", columns, rows, strong=strong)


def detection(results: Results) -> Table:
    """Signal detection by explained and kind of wrong digit."""
    found = results["controls"]["detection"]
    rows, strong = [], []
    for place, row in enumerate(found):
        if place and found[place - 1]["explained"] != row["explained"]:
            strong.append(place)
        rows.append(
            (
                _RUN[row["explained"]], row["noise"].replace("_", " "),
                f"{percent(row['hit_rate'])} ({row['n_signal']})",
                f"{percent(row['false_alarm_rate'])} ({row['n_noise']})",
                f"{number(row['d_prime'])} {interval(row['d_prime_low'], row['d_prime_high'])}",
                f"{number(row['criterion'])} {interval(row['criterion_low'], row['criterion_high'])}",
            )
        )
    columns = [("Explanation", "", False), ("Noise", "", False), ("Hits", "(n)", True),
               ("False alarms", "(n)", True), ("d′", "", True), ("c", "", True)]
    return table(
        "Signal detection on the raw decision: signals are right digits, noise is wrong digits.",
        columns, rows,
        "Log-linear correction (half a trial added to each count, one to each total). A positive "
        "c leans to rejecting.", strong=strong,
    )


def fixed_effects(results: Results) -> Table:
    """Coefficients with odds ratios."""
    rows = [
        (row["term"], number(row["estimate"]), number(row["se"]), number(row["z"]),
         p_value(row["p"]), number(row["odds_ratio"]),
         interval(row["odds_ratio_low"], row["odds_ratio_high"]))
        for row in results["model"]["fixed"]
    ]
    columns = [("Term", "", False), ("Estimate", "log odds", True), ("SE", "", True), ("z", "", True),
               ("p", "Wald", True), ("Odds ratio", "", True), _CI]
    return table("Fixed effects.", columns, rows)


def random_effects(results: Results) -> Table:
    """Standard deviations."""
    rows = [(row["group"], row["term"], number(row["sd"], 3)) for row in results["model"]["random"]]
    columns = [("By", "", False), ("Effect", "", False), ("SD", "log odds", True)]
    return table("Random effects, independent of each other.", columns, rows)


def marginal(results: Results) -> Table:
    """Probabilities averaged over people and items."""
    model = results["model"]
    rows = [
        (f"{row['solver']}, {_RUN[row['explained']]} explanation", percent(row["estimate"], 1),
         interval(row["ci_low"], row["ci_high"], _percent1))
        for row in model["marginal"]
    ]
    rows += [
        (f"usefulness, {row['solver'].replace('S-E', 'S less E')}",
         f"{points(row['estimate'])} points", interval(row["ci_low"], row["ci_high"], points))
        for row in model["marginal_usefulness"]
    ]
    columns = [("", "", False), ("Estimate", "", True), _CI]
    return table(
        "Probability that a lead accepts, averaged over leads and plates, runs and orders balanced.",
        columns, rows,
        "From the mixed model, random effects integrated out, limits by the delta method.",
        strong=[4],
    )


def sensitivity(results: Results) -> Table:
    """Usefulness again, under other choices."""
    rows = []
    for row in results["sensitivity"]:
        gains = {part["solver"]: part for part in row["usefulness"] if not part["net"]}
        verdict = row["comparison"]["verdict"] if row["comparison"] else NOTHING
        rows.append(
            (row["analysis"], str(row["participants"]),
             *(_gain(gains[name]) if name in gains else NOTHING for name in ("S", "E", "S-E")), verdict)
        )
    columns = [("Analysis", "", False), ("Leads", "n", True), ("S", "points", True),
               ("E", "points", True), ("S less E", "points", True), ("S against E", "", False)]
    return table("Usefulness, raw, with 95 % intervals.", columns, rows)


def rigs(results: Results) -> Table:
    """Timing by rig."""
    rows = [
        (row["rig"] or "not stated", str(row["participants"]), str(row["trials"]),
         NOTHING if row["trials_with_drops"] is None else str(row["trials_with_drops"]),
         NOTHING if row["frames_dropped"] is None else str(row["frames_dropped"]),
         number(row["median_rt_s"]))
        for row in results["timing"]["rigs"]
    ]
    columns = [("Rig", "", False), ("Participants", "n", True), ("Trials", "n", True),
               ("Trials with a dropped frame", "n", True), ("Frames dropped", "n", True),
               ("Median decision time", "s", True)]
    return table("Timing by rig.", columns, rows)


def answers(results: Results) -> Table:
    """Decision times by solver, explanation and decision."""
    found = results["timing"]["answers"]
    rows, strong = [], []
    for place, row in enumerate(found):
        if place and found[place - 1]["solver"] != row["solver"]:
            strong.append(place)
        rows.append(
            (row["solver"], _RUN[row["explained"]], row["decision"], number(row["median_rt_s"]),
             interval(row["q25_rt_s"], row["q75_rt_s"]), str(row["n"]))
        )
    columns = [("Solver", "", False), ("Explanation", "", False), ("Decision", "", False),
               ("Median time", "s", True), ("Quartiles", "s", True), _N]
    return table("Decision times.", columns, rows, strong=strong)


def deviations(protocol: AcceptReject) -> Table:
    """Where the protocol differs from the paper."""
    rows = [(d.field, d.published, d.here, d.reason) for d in protocol.deviations]
    columns = [("Field", "", False), ("Published", "", False), ("Here", "", False), ("Why", "", False)]
    return table("Where this protocol differs from the paper, as the protocol states it.", columns, rows)


def _gain(part: Row) -> str:
    return f"{points(part['estimate'])} {interval(part['ci_low'], part['ci_high'], points)}"


def _percent1(share: float) -> str:
    return f"{100 * share:.1f}"


def _name(row: Row) -> str:
    return f"{row['participant']} ({row['robot']})" if row["robot"] else str(row["participant"])
