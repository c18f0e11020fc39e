"""What the assessment of accuracy preregisters, in words that follow from a protocol."""

from analysis.preregister.declared import Analysis, Hypothesis, Registered, Variable
from analysis.report.wording import count, grouped, percent, unsigned_points
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy


def registered(protocol: AcceptRejectAccuracy) -> Registered:
    """Return what the study preregisters under a protocol."""
    rules, trial = protocol.analysis, protocol.trial
    margin = unsigned_points(rules.margin)
    return Registered(
        question="How accurate is a classifier for leads who judge its labels, against the labels "
        "of the data set?",
        people="leads",
        hypotheses=(
            Hypothesis(
                "H1",
                "Leads accept the classifier's labels (S) as often as the data set's (E).",
                f"p_S − p_E lies within an equivalence margin of {margin} percentage points: its "
                f"90 % interval lies within ± {margin}. acc_L = p_S / p_E is given with its 95 % "
                "interval.",
            ),
        ),
        design=_design(protocol),
        blinding="Leads aren't told where labels come from until the debrief. Fixed rules analyse "
        "the data.",
        assignment="The registry deals lists evenly to leads within each rig; the seed "
        f"{protocol.assignment.seed} breaks ties. Over two lists each image comes once with S's "
        "and once with E's label.",
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
        analyses=(
            Analysis(
                "Accuracy with the leads",
                "primary",
                "p_S and p_E are means over images of the share of leads who accept S's and E's "
                "label; acc_L is p_S / p_E (Saralajew et al. 2022, section 2.3). Intervals hold "
                "for leads and images drawn at random.",
            ),
            Analysis(
                "Label uncertainty",
                "secondary",
                "Entropy of each label's acceptance; agreement between leads.",
            ),
            Analysis(
                "Controls",
                "secondary",
                "Acceptance of wrong labels and of the word for no solution.",
            ),
            Analysis(
                "The same result under other choices",
                "secondary",
                "The primary result without leads who are left out by rule.",
            ),
        ),
        primary="All leads with main trials are analysed (intention to treat). A second analysis "
        "leaves leads out by the rule below.",
        exclusions=(
            "No lead is left out of the first analysis, but those who take their data back.",
            "The second analysis leaves out who rejects fewer than "
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
