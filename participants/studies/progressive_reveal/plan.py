"""What a participant goes through, over all sittings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from participants.planning import given_place, plan_of, rules_of
from participants.registry import Assignment
from participants.session import (
    RENEWED,
    Break,
    Check,
    Consent,
    Page,
    Phase,
    Question,
    SessionPlan,
    SittingEnd,
    Step,
    checked_practice,
    comprehension_check,
    trial_step,
)
from participants.studies.progressive_reveal.copying import CopyTask
from participants.studies.progressive_reveal.rounds import RevealRound, settled_rounds
from participants.studies.progressive_reveal.shown import ShownImage, ShownList, shown_by
from participants.texts import written_number
from stimuli.io.canonical import keyed_order
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.classes import Classes
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from stimuli.studies.progressive_reveal.tables import CLASSES, PRACTICE_SITTING

STUDY: Final = "progressive_reveal"
ORDER: Final = "as_listed"
TINTED: Final = "absolute_marked"
SKIP: Final = "skip"

CHECK_QUESTIONS: Final = (
    ("check_when", ("as_soon_as_recognised", "whole_image", "after_a_signal"),
     "as_soon_as_recognised"),
    ("check_words", ("from_table", "any_word"), "from_table"),
    ("check_wrong", ("try_again", "round_over"), "try_again"),
)  # fmt: skip
CHECK_OF_ONE_TRY: Final = (
    *CHECK_QUESTIONS[:-1],
    ("check_wrong", ("try_again", "round_over"), "round_over"),
)
SURVEY: Final = (
    ("survey_gender", ("woman", "man", "other", SKIP)),
    ("survey_age", ("18_24", "25_34", "35_44", "45_54", "55_64", "65_up", SKIP)),
    ("survey_field", (
        "computing", "engineering_natural", "medicine", "social", "law_economics",
        "humanities", "other", SKIP,
    )),
    ("survey_machine_learning", ("none", "heard", "basics", "works_with_it", SKIP)),
)  # fmt: skip
"""Questions at the end; each may be skipped."""


def plan_session(
    pack: Pack, given: Assignment | None, language: str, participant: str
) -> SessionPlan:
    """Return the plan of a participant's session, all its sittings in one.

    Consent, instructions, comprehension check, words to copy, practice, the rounds of every
    sitting with breaks that may be left, survey, debrief, renewed consent. Whoever stops, at
    a break, at a sitting's end or in mid-round, goes on another day with the same plan.

    Parameters
    ----------
    pack
        A solution pack of the study.
    given
        The participant's list; the order is ``as_listed``.
    language
        Of the texts and of the classes' names.
    participant
        The participant's code; decides which words are copied.

    Raises
    ------
    UserError
        If the pack is not one for participants of this study, or has no such list; if the
        order or the language is not offered.
    """
    protocol: ProgressiveReveal = rules_of(pack, STUDY, "solutions", "a participant's", language)
    place = given_place(given, (ORDER,), "; rounds come as the list has them")
    shown = shown_by(pack, place.list)
    classes = Classes.of(pack.table(CLASSES), language)
    words = keyed_order((one.name for one in classes.names), "copied words", participant)
    steps = _steps(protocol, shown, language, words)
    return plan_of(
        pack,
        place,
        language,
        steps,
        settled=settled_rounds,
        answered=was_answered,
        wait_after=protocol.session.wait_after_unanswered,
    )


def was_answered(end: Mapping[str, Any]) -> bool:
    """Return whether somebody did anything in a round, by the fields of its ``trial_end``."""
    return bool(end["keystrokes"] or end["attempts"] or end["left"])


def _steps(
    protocol: ProgressiveReveal, shown: ShownList, language: str, words: Sequence[str]
) -> Iterator[Step]:
    values = _values(protocol, shown, language)
    yield Consent("consent", values)
    yield Page("instructions", "instructions", values)
    yield from _further_pages(protocol, values)
    yield _check(protocol)
    if copied := tuple(words[: protocol.session.copy_typing_words]):
        yield Page("copying", "copying", {"words": str(len(copied))})
        yield CopyTask("copied", copied)
    if shown.practice:
        yield Page("practice", "practice", values)
        yield from checked_practice(
            protocol.practice,
            lambda before: _practice(protocol, shown, before),
            lambda end: bool(end["recognised"]),
        )
    yield Page("before_rounds", "before_rounds", values)
    yield from _sittings(protocol, shown)
    if protocol.session.survey:
        yield Page("before_questions", "before_questions")
        yield from (Question(name, name, choices) for name, choices in SURVEY)
    yield Page("debrief", "debrief")
    yield Consent(RENEWED, renewed=True)
    yield Page("end", "end")


def _values(protocol: ProgressiveReveal, shown: ShownList, language: str) -> dict[str, str]:
    """Return what the texts' placeholders become."""
    reveal = protocol.reveal
    return {
        "minutes": written_number(round(protocol.expected_minutes), language),
        "sittings": str(len(shown.sittings)),
        "rounds": str(shown.rounds),
        "step_seconds": written_number(reveal.step_s, language),
        "round_seconds": written_number(round(reveal.steps * reveal.step_s, 1), language),
        "tries": str(protocol.answering.tries),
    }


def _further_pages(protocol: ProgressiveReveal, values: dict[str, str]) -> Iterator[Page]:
    """Yield how to answer, and what this protocol's rounds show beyond the usual."""
    listed = "answering" if protocol.session.suggestions_most else "answering_unlisted"
    yield Page(listed, listed)
    if protocol.answering.tries:
        yield Page("tries", "tries", values)
    if protocol.reveal.prototype_beside:
        yield Page("picture_beside", "picture_beside")
    if protocol.reveal.polarity == TINTED:
        yield Page("tinted", "tinted")


def _check(protocol: ProgressiveReveal) -> Check:
    asked = CHECK_OF_ONE_TRY if protocol.answering.tries == 1 else CHECK_QUESTIONS
    return comprehension_check(asked, protocol.session.comprehension_attempts, "instructions_again")


def _practice(protocol: ProgressiveReveal, shown: ShownList, before: int) -> list[RevealRound]:
    """Return the practice rounds; those that come again have the numbers after all others'."""
    total = len(shown.practice)
    first = before * total + shown.rounds if before else 0
    return [
        _round(
            protocol,
            image,
            _Place(first + position, "practice", PRACTICE_SITTING, position, position - 1, total),
        )
        for position, image in enumerate(shown.practice, start=1)
    ]


def _sittings(protocol: ProgressiveReveal, shown: ShownList) -> Iterator[Step]:
    """Yield the rounds of all sittings, their breaks, and their ends but the last one's."""
    every, total = protocol.session.break_every_rounds, shown.rounds
    done = 0
    for sitting, images in enumerate(shown.sittings, start=1):
        for position, image in enumerate(images, start=1):
            number = len(shown.practice) + done + 1
            yield _round(protocol, image, _Place(number, "main", sitting, position, done, total))
            done += 1
            if position % every == 0 and position < len(images):
                yield Break(f"break-{sitting}-{position:04d}", "break", done, total, may_leave=True)
        if sitting < len(shown.sittings):
            yield SittingEnd(f"sitting_end-{sitting}", sitting, len(shown.sittings))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a round stands among all rounds."""

    trial: int
    phase: Phase
    sitting: int
    position: int
    done: int
    total: int


def _round(protocol: ProgressiveReveal, image: ShownImage, place: _Place) -> RevealRound:
    return RevealRound(
        step=trial_step(place.trial),
        presentation=image.presentation,
        image_file=image.image_file,
        steps_file=image.steps_file,
        prototype_file=image.prototype_file,
        right_class=image.class_id,
        pixels=image.pixels,
        step_s=protocol.reveal.step_s,
        fixation_s=protocol.session.fixation_s,
        feedback_s=protocol.session.feedback_s,
        tries=protocol.answering.tries or None,
        **asdict(place),
    )


def guess_rate(classes: int) -> float:
    """Return the chance that a guess among so many classes is right; ValueError without one."""
    if classes < 1:
        raise ValueError(f"{classes} classes: there must be one at least")
    return 1 / classes
