"""What accept_reject preregisters beside its questions, in words that follow from a protocol."""

from analysis.questions.registered import Registered, Variable
from analysis.report.wording import count, grouped, percent, unsigned_points
from analysis.studies.accept_reject.exclusions import too_few_words
from stimuli.studies.accept_reject.protocol import AcceptReject

ORDERS = {
    "counterbalanced": "half of the leads begin with the run without explanations, half with the "
    "run with explanations",
    "without_first": "everybody begins with the run without explanations",
    "with_first": "everybody begins with the run with explanations",
}


def registered(protocol: AcceptReject) -> Registered:
    """Return what the study preregisters under a protocol, without analyses and hypotheses."""
    return Registered(
        question="Do explanations help the lead expert who decides on solutions, and does the "
        "system's explanation help as much as an expert's?",
        people="leads",
        design=_design(protocol),
        blinding="Leads aren't told who gave a solution, nor that some come from a machine, until "
        "the debrief. Explanations of the system (S) and of experts (E) are drawn alike. At the "
        "end leads guess who gave some of the solutions. Fixed rules analyse the data.",
        assignment="The registry deals lists and orders of runs evenly to leads within each rig; "
        f"the seed {protocol.assignment.seed} breaks ties. {_orders(protocol)}",
        items=_items(protocol),
        manipulated=(
            Variable(
                "explained", "whether the run shows explanations, within leads", "with, without"
            ),
            Variable("solver", "who gave the solution, within leads", "S (system), E (expert)"),
        ),
        measured=(
            Variable(
                "accepted",
                f"whether the lead accepted the solution within {protocol.trial.cutoff_s:g} s of "
                "the plate's onset",
                "yes, no",
            ),
            Variable("rt_s", "time from the plate's onset to the answer", "seconds"),
        ),
        primary="All leads with main trials are analysed (intention to treat). A second analysis "
        "leaves leads out by the rules below.",
        exclusions=_exclusions(protocol),
        multiplicity="H1 is the one primary family: usefulness of S's and of E's explanations, "
        "corrected by Holm's method. H2 and H3 are secondary and are read with their intervals. "
        "All pairs of explanation methods, where there are several, have Holm's correction too. "
        "Leads are judged one by one without a correction; the report says how many they are.",
        missing=f"A trial without an answer within {protocol.trial.limit_s:g} s counts as not "
        "accepted. Nothing is imputed.",
    )


def _design(protocol: AcceptReject) -> tuple[str, ...]:
    solutions, trial = protocol.solutions, protocol.trial
    shares = solutions.shares
    controls = 1 - shares.S - shares.E
    cutoff = (
        "no clock is shown"
        if trial.cutoff_mode == "internal"
        else "the plate leaves the screen then"
    )
    sham = (
        ("A further group of leads has two runs without explanations.",)
        if protocol.session.sham_group
        else ()
    )
    return (
        "Within-person experiment. A lead sees pseudoisochromatic plates, each with a solution: a "
        "digit that is said to be in the plate. The lead accepts or rejects it.",
        f"There are two runs of {count(solutions.trials_per_run, 'trial')}, one without and one "
        f"with explanations; {ORDERS[protocol.session.run_order]}.",
        f"The decision time is {trial.cutoff_s:g} s ({cutoff}); a trial ends after "
        f"{trial.limit_s:g} s.",
        f"{percent(controls)} of the trials are controls with known right answers.",
        *sham,
    )


def _orders(protocol: AcceptReject) -> str:
    sentence = ORDERS[protocol.session.run_order]
    return f"{sentence[0].upper()}{sentence[1:]}."


def _items(protocol: AcceptReject) -> str:
    solutions = protocol.solutions
    return (
        f"{grouped(solutions.trials_per_run)} plates a run and lead, from one of "
        f"{count(solutions.lists, 'fixed list')} for the lead's axis and contrast"
    )


def _exclusions(protocol: AcceptReject) -> tuple[str, ...]:
    rules = protocol.analysis
    return (
        "No lead is left out of the first analysis, but those who take their data back.",
        "The second analysis leaves out leads who accept fewer than "
        f"{percent(rules.anyone_minimum)} of the controls that anyone sees, or reject fewer than "
        f"{percent(rules.must_reject_minimum)} of the plates without a numeral and of no-solution "
        "in the run without explanations." + too_few_words(rules.least_controls),
        "It also leaves out leads who accept from the explanation: digit-shaped contours without a "
        f"numeral at least {unsigned_points(rules.contour_reading_limit)} percentage points more "
        "often than plates without a contour.",
        "Practice is in no analysis.",
    )
