"""What progressive_reveal preregisters, in words that follow from a protocol."""

from analysis.preregister.declared import Analysis, Hypothesis, Registered, Variable
from analysis.report.wording import count, listed, percent
from analysis.studies.progressive_reveal.models import CODING, HAZARD, PER_PIXEL, TIMES, TRIES
from analysis.studies.progressive_reveal.uncovering import uncovering
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal


def registered(protocol: ProgressiveReveal) -> Registered:
    """Return what the study preregisters under a protocol."""
    return Registered(
        question="How much of an image must an explanation uncover until people recognise what it "
        "shows, and how do methods differ?",
        people="participants",
        hypotheses=_hypotheses(protocol),
        design=_design(protocol),
        blinding="Participants aren't told that methods differ, nor which one uncovers an image, "
        "until the debrief. Fixed rules analyse the data.",
        assignment="The registry deals lists evenly to participants within each rig; the seed "
        f"{protocol.assignment.seed} breaks ties. Lists rotate methods over images, so that each "
        "image comes with each method equally often.",
        items=f"{count(protocol.rounds, 'round')} a participant, each with another image, in "
        f"{count(protocol.session.sittings, 'sitting')}",
        manipulated=(
            Variable(
                "method",
                "whose relevance uncovers the image, within participants and within images",
                ", ".join(protocol.reveal.methods),
            ),
        ),
        measured=(
            Variable("step", "step at which the right class was named", "1 to the last step"),
            Variable("pixels", "share of the image uncovered then", "share of the image"),
            Variable("recognised", "whether it was named before the round's end", "yes, no"),
            Variable("attempts", "answers of the round", "count"),
            Variable("rt_s", "time from the image's onset to the right answer", "seconds"),
        ),
        analyses=_analyses(),
        primary="Everybody with main rounds is analysed (intention to treat). A second analysis "
        "leaves out by the rules below.",
        exclusions=_exclusions(protocol),
        multiplicity="All pairs of methods are compared, with Holm's correction over the pairs of "
        "a quantity.",
        missing="Rounds that end without the right answer are censored at what was uncovered last. "
        "Nothing is imputed.",
    )


def _others(protocol: ProgressiveReveal) -> tuple[str, str]:
    """Return the other methods and the one that they are compared with, in words."""
    base = protocol.analysis.reference
    others = [method for method in protocol.reveal.methods if method != base]
    return (listed(others) if others else "no other method"), base


def _hypotheses(protocol: ProgressiveReveal) -> tuple[Hypothesis, ...]:
    others, base = _others(protocol)
    corrected = "with p < .05 after Holm's correction; it is given with its 95 % interval."
    return (
        Hypothesis(
            "H1",
            f"At the same step, the odds of recognition with {others} differ from those with "
            f"{base}.",
            "The odds ratio of recognition in the discrete-time mixed model differs from one "
            f"(two-sided Wald test) {corrected}",
        ),
        Hypothesis(
            "H2",
            f"Recognition needs another share of the image with {others} than with {base}.",
            "The difference of restricted means of needed pixels differs from zero, for "
            f"participants and images drawn at random, {corrected}",
        ),
    )


def _design(protocol: ProgressiveReveal) -> tuple[str, ...]:
    reveal = protocol.reveal
    return (
        "Within-person experiment. An image is uncovered step by step, the most relevant pixels "
        "first. Participants type what it shows, at any time.",
        f"Methods: {listed(list(reveal.methods))}.",
        f"A round has {count(reveal.steps, 'step')} of {reveal.step_s:g} s.",
        *uncovering(reveal.model_dump(), str),
        f"There {'is' if protocol.session.catch_rounds == 1 else 'are'} "
        f"{count(protocol.session.catch_rounds, 'catch round')} a participant.",
    )


def _analyses() -> tuple[Analysis, ...]:
    return (
        Analysis(
            "Mixed models",
            "primary",
            f"Discrete-time model of recognition. {CODING['hazard']} The same per pixel: "
            f"{PER_PIXEL}. Wrong tries: {TRIES}. Times: {TIMES}.",
            HAZARD,
        ),
        Analysis(
            "How much of the image recognition needs",
            "primary",
            "Nonparametric estimate of recognition over the uncovered share (Turnbull 1976); means "
            "restricted to each image's smallest final count among the methods. "
            "Intervals hold for participants and images drawn at random.",
        ),
        Analysis(
            "Recognition step by step",
            "secondary",
            "Product-limit estimate of recognition by step.",
        ),
        Analysis(
            "Methods compared pair by pair", "primary", "All pairs, by model and by bootstrap."
        ),
        Analysis(
            "Uncovered pixels, tries and recognition",
            "secondary",
            "As published: averages over completed rounds.",
        ),
        Analysis("First answers", "secondary", "How often the first answer is right."),
        Analysis(
            "Likeness to the reference",
            "secondary",
            "Rank correlation of each map with the reference map, and recognition.",
        ),
        Analysis(
            "The same result under other choices",
            "secondary",
            "The primary results without participants who are left out by rule.",
        ),
    )


def _exclusions(protocol: ProgressiveReveal) -> tuple[str, ...]:
    rules = protocol.exclusion
    rounds = "of the rounds"
    broken = (
        (rules.idle_share < 1, f"presses no key in more than {percent(rules.idle_share)} {rounds}"),
        (
            rules.wrong_answers > 0,
            f"gives more than {rules.wrong_answers:g} wrong answers a round on average",
        ),
        (
            rules.walk_answers > 0,
            f"goes through the table of classes one by one ({rules.walk_answers} answers in a row) "
            f"in more than {percent(rules.walks_share)} {rounds}",
        ),
        (
            rules.catch_share < 1,
            f"fails more than {percent(rules.catch_share)} of the catch rounds of a kind",
        ),
    )
    said = [text for holds, text in broken if holds]
    second = f"The second analysis leaves out who {', or '.join(said)}."
    return (
        "No participant is left out of the first analysis, but those who take their data back.",
        second if said else "The protocol has no rule that leaves anybody out.",
        "Practice, warm-up and catch rounds are in no analysis of methods. Rounds that were left "
        "midway are censored where they were left.",
    )
