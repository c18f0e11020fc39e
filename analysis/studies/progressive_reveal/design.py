"""What progressive_reveal preregisters in words, without analyses and hypotheses.

The questions declare their own analyses and hypotheses. `uncovering` says how many pixels each
method uncovers.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from analysis.questions.estimates import AGAINST, Quantity
from analysis.questions.registered import Criterion, Hypothesis, Registered, Shows, Variable
from analysis.report.deciding import MEANS, THESE, deciders
from analysis.report.few_people import few_rule
from analysis.report.wording import count, listed, percent
from analysis.studies.progressive_reveal.pairs import explaining
from analysis.studies.progressive_reveal.quantities import RECOGNISED_LESS, RESTRICTED_LESS
from stimuli.names import method_name
from stimuli.studies.progressive_reveal.protocol import (
    NO_REFERENCE,
    PROTOTYPES,
    ProgressiveReveal,
    Reveal,
)


def uncovering(reveal: Reveal, called: Callable[[str], str]) -> Iterator[str]:
    """Yield a sentence for each rule by which a protocol's methods uncover images.

    Parameters
    ----------
    reveal
        The protocol's section ``reveal``.
    called
        Says what a method is called.
    """
    reference, rules = reveal.reference, reveal.rules
    if reference == NO_REFERENCE:
        yield "No method sets how much the others uncover."
    else:
        yield f"The reference, {called(reference)}, uncovers every pixel that is relevant."
    named = {reference, PROTOTYPES, *(rule.method for rule in rules)}
    others = [called(method) for method in reveal.methods if method not in named]
    if others:
        yield _sentence(others, reveal.relevant_share, reveal.follow_reference, reference)
    ruled = {rule.method: (rule.share, rule.follow) for rule in rules}
    if PROTOTYPES in reveal.methods and reference != PROTOTYPES:
        ruled.setdefault(PROTOTYPES, (reveal.prototype_share, False))
    for method, (share, follows) in ruled.items():
        yield _sentence([called(method)], share, follows, reference)


def _sentence(methods: Sequence[str], share: float, follows: bool, reference: str) -> str:
    verb = "uncovers" if len(methods) == 1 else "uncover"
    more = " or, where that is more, as much as the reference"
    text = f"{listed(methods)} {verb} {percent(share, 1)} of the image"
    text += more if follows and reference != NO_REFERENCE else ""
    return f"{text[:1].upper()}{text[1:]}."


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


def hypotheses(protocol: ProgressiveReveal) -> tuple[Hypothesis, ...]:
    """Return what is expected of the methods; none if there is one method."""
    rules, base = protocol.analysis, protocol.analysis.reference
    others = [method for method in protocol.reveal.methods if method != base]
    if not others:
        return ()
    named, reference = listed([method_name(method) for method in others]), method_name(base)
    named = f"at least one of {named}" if len(others) > 1 else named
    few = few_rule(rules.few_people, "participant", "image")
    among = explaining([base, *others])

    def tests(
        quantity: Quantity, first: Sequence[str], shows: Shows, value: float = 0.0
    ) -> tuple[Criterion, ...]:
        recognised = quantity is RECOGNISED_LESS
        what = "recognition by the last step" if recognised else "the restricted mean share"
        by = deciders(rules.primary_test, few=True) if recognised else (THESE, MEANS)
        return tuple(
            Criterion(
                f"{what} with {method_name(method)} less that with {method_name(against)}",
                quantity, {"method": method, AGAINST: against}, shows, value, by,
            )
            for against, method in combinations(first, 2)
            if shows == "within" or against == base
        )  # fmt: skip

    return (
        Hypothesis(
            "H1",
            f"Images are recognised in time more or less often with {named} than with {reference}.",
            tests(RECOGNISED_LESS, [base, *others], "apart"),
            "one",
            "all pairs of methods",
            few,
        ),
        Hypothesis(
            "H2",
            f"Recognition needs another share of the image with {named} than with {reference}.",
            tests(RESTRICTED_LESS, [base, *others], "apart"),
            "one",
            "all pairs of methods",
            few,
        ),
        Hypothesis(
            "H3",
            f"{listed([method_name(method) for method in among])} are nearly equivalent: images "
            "are recognised in time about as often.",
            tests(RECOGNISED_LESS, among, "within", rules.margin),
            note=few,
        ),
    )


def _design(protocol: ProgressiveReveal) -> tuple[str, ...]:
    reveal, catch = protocol.reveal, (protocol.session.catch_rounds,)
    return (
        "Within-person experiment. An image is uncovered step by step, the most relevant pixels "
        "first. Participants type what it shows, at any time.",
        f"Methods: {listed(list(reveal.methods))}.",
        f"A round has {count(reveal.steps, 'step')} of {reveal.step_s:g} s.",
        *uncovering(reveal, str),
        *(f"Each participant has {count(number, 'catch round')}." for number in catch if number),
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
            rules.catch_share < 1 and protocol.session.catch_rounds > 0,
            f"fails more than {percent(rules.catch_share)} of the catch rounds of a kind",
        ),
    )
    broken_rules = [text for holds, text in broken if holds]
    second = f"The second analysis leaves out anyone who {', or '.join(broken_rules)}."
    return (
        "No participant is left out of the first analysis, but those who take their data back.",
        second if broken_rules else "The protocol has no rule that leaves anybody out.",
        "Practice, warm-up and catch rounds are in no analysis of methods. Rounds that were left "
        "midway are censored where they were left.",
    )
