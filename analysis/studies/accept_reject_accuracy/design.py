"""What is preregistered of the design: what no single question says."""

from analysis.questions.registered import Registered, Variable
from analysis.report.wording import count, grouped, percent
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy


def registered(protocol: AcceptRejectAccuracy) -> Registered:
    """Return what a protocol says apart from the planned analyses and hypotheses."""
    rules, trial = protocol.analysis, protocol.trial
    return Registered(
        question="How accurate is a classifier for leads who judge its labels, against the labels "
        "of the data set?",
        people="leads",
        design=_design(protocol),
        blinding="Leads aren't told where labels come from until the debrief. Fixed rules analyse "
        "the data.",
        assignment="The registry deals lists evenly to leads within each rig; the seed "
        f"{protocol.assignment.seed} breaks ties. Over two lists each image comes once with S’s "
        "and once with E’s label.",
        items=f"at most {grouped(protocol.solutions.most_trials)} images a lead, each once",
        manipulated=(
            Variable("solver", "who gave the label, within leads", "S (system), E (data set)"),
        ),
        measured=(
            Variable(
                "accepted",
                f"whether the lead accepted the label within {trial.cutoff_s:g} s",
                "yes, no",
            ),
        ),
        primary="All leads with main trials are analysed (intention to treat). A second analysis "
        "leaves leads out by the rule below.",
        exclusions=(
            "No lead is left out of the first analysis, but those who take their data back.",
            "The second analysis leaves out leads who reject fewer than "
            f"{percent(rules.compliance_minimum)} of the controls.",
            "Practice is in no analysis.",
        ),
        multiplicity="There is one primary test; nothing is corrected.",
        missing=f"A trial without an answer within {trial.limit_s:g} s counts as not accepted. "
        "Nothing is imputed.",
    )


def _design(protocol: AcceptRejectAccuracy) -> tuple[str, ...]:
    shares, trial = protocol.solutions.shares, protocol.trial
    return (
        "Within-person experiment. A lead sees images, one at a time, each with a label, and "
        "accepts or rejects the label.",
        "A lead sees an image once: in half of the lists with S's label, in half with E's.",
        f"{percent(shares.wrong_label + shares.no_solution)} of the trials are controls.",
        f"An acceptance counts within {trial.cutoff_s:g} s; a trial ends after "
        f"{trial.limit_s:g} s. There {_are(protocol.solutions.practice_trials)} with feedback.",
    )


def _are(trials: int) -> str:
    return f"{'is' if trials == 1 else 'are'} {count(trials, 'practice trial')}"
