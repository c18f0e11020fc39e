"""What human_ai_team preregisters beside its questions, in words that follow from a protocol."""

from analysis.questions.estimates import AGAINST
from analysis.questions.registered import Criterion, Hypothesis, Registered, Shows, Variable
from analysis.report.deciding import MODEL, WORDS, deciders
from analysis.report.wording import count, listed, unsigned_points
from analysis.studies.human_ai_team.differences import FAMILIES, FAMILY
from analysis.studies.human_ai_team.quantities import ACCURACY, DIFFERENCES, OVER, TOLD_APART
from analysis.studies.human_ai_team.trials import ALL
from analysis.studies.human_ai_team.words import arm_name
from stimuli.studies.human_ai_team.protocol import HUMAN_ALONE, HumanAiTeam

HELP_COMES = {
    "at_once": "Help is shown with the image.",
    "after_delay": "Help is shown {delay_s:g} s after the image.",
    "on_demand": "Help is shown when the person asks for it by a key.",
}
STAGES = {
    "one_stage": "People answer once, with the AI's confidence and their arm's help.",
    "two_stage": "People answer on their own first, and again with the AI's confidence and their "
    "arm's help; the second answer counts.",
}

OF_NATURAL = "The same for natural images is secondary and has families of its own. "


def hypotheses(protocol: HumanAiTeam) -> tuple[Hypothesis, ...]:
    """Return what is expected of help, for the images that were shown; none without such an arm."""
    reference = protocol.analysis.reference_arm
    arms = [arm for arm in protocol.help.arms if arm not in (reference, HUMAN_ALONE)]
    if not arms:
        return ()
    named, other = listed([arm_name(arm) for arm in arms]), arm_name(reference)
    helped = f"at least one kind of help ({named})" if len(arms) > 1 else named

    def expected(name: str, text: str, measured: str, shows: Shows) -> Hypothesis:
        quantity, by = DIFFERENCES[measured], deciders(protocol.analysis.primary_test)
        tests = tuple(
            Criterion(
                f"{quantity.heading.lower()} with {arm_name(arm)} less that with {other}",
                quantity, {"base": ALL, "method": arm, AGAINST: reference}, shows, by=by,
            )
            for arm in arms
        )  # fmt: skip
        named = next(family for family, names in FAMILIES.items() if measured in names)
        return Hypothesis(name, text, tests, "one", f"every arm against the reference in {named}")

    return (
        expected(
            "H1",
            "Participants discriminate better between the AI's right and wrong labels with "
            f"{helped} than with {other} (primary).",
            TOLD_APART, "above",
        ),
        expected(
            "H2",
            f"Participants accept fewer of the AI's wrong labels with {helped} than with {other}.",
            OVER, "below",
        ),
        expected(
            "H3", f"Participants are right more often with {helped} than with {other}.",
            ACCURACY, "above",
        ),
    )  # fmt: skip


def registered(protocol: HumanAiTeam) -> Registered:
    """Return what the study preregisters under a protocol, without analyses and hypotheses."""
    attacks = protocol.bins.adversarial_per_level
    return Registered(
        question="Does help, such as an explanation, make a better team of a person and an AI that "
        "labels images?",
        people="participants",
        design=_design(protocol),
        blinding="Participants know only their own arm's help. They aren't told how often the AI "
        f"is right{', nor that some images were altered,' if attacks else ''} until the debrief. "
        "Fixed rules analyse the data.",
        assignment="The registry deals sheets and arms evenly to participants within each rig; the "
        f"seed {protocol.assignment.seed} breaks ties. Sides of yes and no are balanced.",
        items=f"{count(protocol.bins.trials_per_sheet, 'image')} a participant, from one of "
        f"{count(protocol.bins.sheets, 'sheet')}",
        manipulated=(
            Variable("method", "the arm: the kind of help, between participants", _arms(protocol)),
            Variable(
                "ai_correct", "whether the AI's label is right, within participants", "yes, no"
            ),
        ),
        measured=(
            Variable(
                "correct",
                "whether the participant called a right label right, or a wrong one wrong",
                "yes, no",
            ),
            Variable("rt_s", "time from the image's onset to the answer", "seconds"),
        ),
        primary=_primary(protocol),
        exclusions=_exclusions(protocol),
        multiplicity="Hypotheses and verdicts are corrected by Holm's method over "
        f"{FAMILY}. Discrimination is 1 − over-reliance − under-reliance. So it alone is primary: "
        "all four in one family would be corrected for tests of the same. "
        f"{OF_NATURAL if attacks else ''}Other pairs of arms, and right answers against the margin "
        "of "
        f"{unsigned_points(protocol.analysis.margin)} points (two one-sided tests at 5 %), aren't "
        "corrected.",
        missing=f"A trial without an answer within {protocol.question.limit_s:g} s is left "
        "out and counted by arm. Nothing is imputed.",
    )


def _arms(protocol: HumanAiTeam) -> str:
    return ", ".join(arm_name(arm) for arm in protocol.help.arms)


def _design(protocol: HumanAiTeam) -> tuple[str, ...]:
    helped, rules = protocol.help, protocol.validation
    validation = (
        f"{count(rules.trials, 'validation trial')} show who attends; {rules.pass_right} right "
        "answers are needed to qualify."
        if rules.trials
        else "There are no validation trials: everybody qualifies."
    )
    return (
        "Between-person experiment. A participant sees images, each with an AI's label, and says "
        "whether the label is right.",
        f"The arms differ in help: {listed([arm_name(arm) for arm in helped.arms])}.",
        STAGES[protocol.question.decision],
        HELP_COMES[helped.when].format(delay_s=helped.delay_s),
        validation,
        "Images are chosen by bins of the AI's confidence and of whether its label is right"
        f"{'; natural and adversarial ones' if protocol.bins.adversarial_per_level else ''}.",
        *confidence_sentences(protocol),
    )


def confidence_sentences(protocol: HumanAiTeam) -> tuple[str, ...]:
    """Return what was done to the AI's confidence and the bins' limits; () if nothing was."""
    system, bins = protocol.system, protocol.bins
    sentences = []
    if system.calibration == "temperature" or system.temperature != 1:
        of = "" if system.temperature == 1 else f" of {system.temperature:g}"
        fitted = "" if system.calibration == "none" else ", fitted on images that nobody judges"
        sentences.append(
            "The AI's confidence is calibrated: the network's logits are divided by a "
            f"temperature{of}{fitted} (Guo et al. 2017)."
        )
    if bins.limits == "quantiles":
        shares = listed([f"{share:g}" for share in bins.quantiles])
        sentences.append(
            f"The limits of the bins are the quantiles {shares} of the AI's confidence, for which "
            "right and wrong images weigh alike."
        )
    return tuple(sentences)


def _primary(protocol: HumanAiTeam) -> str:
    rules = protocol.analysis
    other = "means over participants and images are" if rules.primary_test == MODEL else "model is"
    who = (
        "Everybody with main trials is analysed first (intention to treat), then those who "
        "qualified."
        if rules.primary == "all"
        else "Those who qualified are analysed first, then everybody with main trials."
    )
    return f"The primary analysis is {WORDS[rules.primary_test]}; the {other} also reported. {who}"


def _exclusions(protocol: HumanAiTeam) -> tuple[str, ...]:
    who = (
        "No participant is left out of the first analysis, but those who take their data back. The "
        "second leaves out those who did not qualify."
        if protocol.analysis.primary == "all"
        else "The first analysis leaves out those who did not qualify or take their data back."
    )
    return (who, "Practice and validation trials are in no analysis of help.")
