"""What the protocol of progressive_reveal promises in words, apart from what questions do."""

from typing import Final

from analysis.preregister.declared import Registered, Variable
from analysis.report.wording import count, listed, percent
from analysis.studies.progressive_reveal.uncovering import uncovering
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal


def registered(protocol: ProgressiveReveal) -> Registered:
    """Return what the study preregisters under a protocol, without analyses and hypotheses."""
    return Registered(
        question="How much of an image must an explanation uncover until people recognise what it "
        "shows, and how do methods differ?",
        people="participants",
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
        primary="Everybody with main rounds is analysed (intention to treat). A second analysis "
        "leaves out by the rules below.",
        exclusions=_exclusions(protocol),
        multiplicity="All pairs of methods are compared, with Holm's correction over the pairs of "
        "a quantity.",
        missing="Rounds that end without the right answer are censored at what was uncovered last. "
        "Nothing is imputed.",
    )


CORRECTED: Final = "with p < .05 after Holm's correction; it is given with its 95 % interval."
"""How a hypothesis is decided."""


def compared_methods(protocol: ProgressiveReveal) -> tuple[str, str]:
    """Return the other methods and the one that they are compared with, in words."""
    base = protocol.analysis.reference
    others = [method for method in protocol.reveal.methods if method != base]
    return (listed(others) if others else "no other method"), base


def _design(protocol: ProgressiveReveal) -> tuple[str, ...]:
    reveal = protocol.reveal
    return (
        "Within-person experiment. An image is uncovered step by step, the most relevant pixels "
        "first. Participants type what it shows, at any time.",
        f"Methods: {listed(list(reveal.methods))}.",
        f"A round has {count(reveal.steps, 'step')} of {reveal.step_s:g} s.",
        *uncovering(reveal, str),
        f"There {'is' if protocol.session.catch_rounds == 1 else 'are'} "
        f"{count(protocol.session.catch_rounds, 'catch round')} a participant.",
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
