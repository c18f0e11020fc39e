"""What a participant goes through, over all sittings."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from participants import session
from participants.lists import Assignment
from participants.planning import (
    given_place,
    plan_of,
    require_shown,
    rows_of_list,
    rules_of,
    sources_page,
)
from participants.studies.progressive_reveal.rounds import CopyTask, RevealRound, settled_rounds
from participants.texts import written_number
from stimuli.io.canonical import keyed_order
from stimuli.io.tables import Row
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal import tables
from stimuli.studies.progressive_reveal.classes import Classes
from stimuli.studies.progressive_reveal.protocol import HUMAN, ProgressiveReveal
from stimuli.studies.progressive_reveal.reveal import BESIDE
from stimuli.studies.progressive_reveal.study import maps_by_method
from stimuli.studies.progressive_reveal.tables import CLASSES, PRACTICE_SITTING


@dataclass(frozen=True, slots=True)
class ShownImage:
    """An image as one method uncovers it.

    Attributes
    ----------
    presentation
        Opaque id.
    image_file, steps_file, prototype_file
        Paths in the pack.
    class_id
        What the image shows.
    pixels
        Pixels uncovered at each step.
    """

    presentation: str
    image_file: str
    steps_file: str
    prototype_file: str | None
    class_id: str
    pixels: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ShownList:
    """The images of one list, in order: those of practice, and those of each sitting."""

    practice: tuple[ShownImage, ...]
    sittings: tuple[tuple[ShownImage, ...], ...]

    @property
    def rounds(self) -> int:
        """Rounds of all sittings."""
        return sum(map(len, self.sittings))


def shown_by(pack: Pack, list_id: str) -> ShownList:
    """Return what a list shows; the key is opened, since every round gives feedback.

    Raises
    ------
    UserError
        If the pack has no such list, or lacks something that the list names.
    """
    rows = rows_of_list(pack, tables.LISTS, list_id, "sitting")
    items = {str(row["presentation"]): row for row in pack.table(tables.ITEMS)}
    require_shown(pack, {str(row["presentation"]) for row in rows}, items)
    key = {str(row["presentation"]): row for row in pack.table(tables.KEY)}
    pixels = step_pixels(pack)
    sittings: dict[int, list[ShownImage]] = defaultdict(list)
    for row in rows:
        name = str(row["presentation"])
        counts = pixels[str(key[name]["item"]), str(key[name]["method"])]
        sittings[int(row["sitting"] or 0)].append(_shown_image(items[name], key[name], counts))
    practice = tuple(sittings.pop(tables.PRACTICE_SITTING, ()))
    return ShownList(practice, tuple(tuple(sittings[nth]) for nth in sorted(sittings)))


def step_pixels(pack: Pack) -> dict[tuple[str, str], tuple[int, ...]]:
    """Return how many pixels each step uncovers, by item and method."""
    counts: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for row in pack.table(tables.CURVES):
        of_it = counts[str(row["item"]), str(row["method"])]
        of_it[int(row["step"] or 0)] = int(row["pixels"] or 0)
    return {
        key: tuple(count for _, count in sorted(steps.items())) for key, steps in counts.items()
    }


def _shown_image(item: Row, key: Row, pixels: tuple[int, ...]) -> ShownImage:
    prototype = item["prototype_file"]
    return ShownImage(
        presentation=str(item["presentation"]),
        image_file=str(item["image_file"]),
        steps_file=str(item["steps_file"]),
        prototype_file=None if prototype is None else str(prototype),
        class_id=str(key["class"]),
        pixels=pixels,
    )


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
"""Personal questions; each may be skipped."""
IN_THE_FORM: Final = ("survey_gender", "survey_age")
"""Questions that the form shared by all studies asks, if there is one."""
NAMES_THE_TOPIC: Final = "survey_machine_learning"
"""Always asked after the last round, whatever the protocol says: it names the study's topic."""
CLOSING: Final = (
    session.Page("debrief", "debrief"),
    session.Consent(session.RENEWED, renewed=True),
    session.Page("end", "end"),
)

WITHOUT_PEOPLE: Final = session.Page("debrief_sources", "debrief_methods")


def methods_page(pack: Pack) -> session.Page:
    """Return the page for a solution pack."""
    human = maps_by_method(pack).get(HUMAN)
    return WITHOUT_PEOPLE if human is None else sources_page(human)


def plan_session(
    pack: Pack, assignment: Assignment | None, language: str, participant: str
) -> session.SessionPlan:
    """Return the plan of a participant's session, all its sittings in one.

    It has the consent, personal questions, instructions, comprehension check, words to copy,
    practice, the rounds of every sitting with breaks that may be left, further questions, debrief
    and renewed consent. A person who stops at a break, at a sitting's end or during a round goes on
    another day with the same plan.

    Parameters
    ----------
    pack
        A solution pack of the study.
    assignment
        The participant's list; the order is ``as_listed``.
    language
        Of the texts and of the classes' names.
    participant
        The participant's code; determines which words are copied.

    Raises
    ------
    UserError
        If the pack is not one for participants of this study, or has no such list; if the
        order or the language is not offered.
    """
    protocol: ProgressiveReveal = rules_of(pack, STUDY, "solutions", "a participant's", language)
    place = given_place(assignment, (ORDER,), "; rounds come as the list has them")
    shown_list = shown_by(pack, place.list)
    classes = Classes.of(pack.table(CLASSES), language)
    words = keyed_order((name.name for name in classes.names), "copied words", participant)
    steps = (*_steps(protocol, shown_list, language, words), methods_page(pack), *CLOSING)
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
    """Return whether the person did anything in a round, by the fields of its ``trial_end``."""
    return bool(end["keystrokes"] or end["attempts"] or end["left"])


def _steps(
    protocol: ProgressiveReveal, shown_list: ShownList, language: str, words: Sequence[str]
) -> Iterator[session.Step]:
    values = _values(protocol, shown_list, language)
    yield session.Consent("consent", values | {"rounds": str(shown_list.rounds)})
    first, last = _survey(protocol)
    introduction = "after_demographics" if protocol.demographics else "before_demographics"
    yield from _question_steps(introduction, first)
    yield session.Page("instructions", "instructions", values)
    yield from _further_pages(protocol, values)
    yield _check(protocol)
    if copied := tuple(words[: protocol.session.copy_typing_words]):
        yield session.Page("copying", "copying", {"words": str(len(copied))})
        yield CopyTask("copied", copied)
    if shown_list.practice:
        yield session.Page("practice", "practice", values)
        yield from session.checked_practice(
            protocol.practice,
            lambda before: _practised(protocol, shown_list, before),
            lambda end: bool(end["recognised"]),
        )
    yield from _sittings(protocol, shown_list, values)
    yield from _question_steps("before_questions", last)


def _survey(protocol: ProgressiveReveal) -> tuple[list[session.Question], list[session.Question]]:
    """Return the questions before the first round, and those after the last."""
    form = IN_THE_FORM if protocol.demographics else ()
    questions = [
        session.Question(name, name, choices) for name, choices in SURVEY if name not in form
    ]
    if not protocol.session.survey:
        return [], []
    if protocol.session.demographics == "after":
        return [], questions
    late = [question for question in questions if question.question == NAMES_THE_TOPIC]
    return [question for question in questions if question not in late], late


def _question_steps(page: str, questions: Sequence[session.Question]) -> Iterator[session.Step]:
    if questions:
        yield session.Page(page, page, {"questions": str(len(questions))})
        yield from questions


def _values(protocol: ProgressiveReveal, shown_list: ShownList, language: str) -> dict[str, str]:
    """Return the values of the texts' placeholders."""
    reveal = protocol.reveal
    return {
        "minutes": written_number(round(protocol.expected_minutes), language),
        "sittings": str(len(shown_list.sittings)),
        "step_seconds": written_number(reveal.step_s, language),
        "round_seconds": written_number(round(reveal.steps * reveal.step_s, 1), language),
        "tries": str(protocol.answering.tries),
    }


def _further_pages(protocol: ProgressiveReveal, values: dict[str, str]) -> Iterator[session.Page]:
    """Yield the pages on how to answer, and on special features of this protocol's rounds."""
    listed = "answering" if protocol.session.suggestions_most else "answering_unlisted"
    yield session.Page(listed, listed)
    if protocol.answering.tries:
        yield session.Page("tries", "tries", values)
    if protocol.reveal.prototype_beside:
        yield session.Page("picture_beside", "picture_beside")
    if protocol.reveal.polarity == TINTED:
        yield session.Page("tinted", "tinted")
    if protocol.reveal.polarity == BESIDE:
        yield session.Page("against_beside", "against_beside")


def _check(protocol: ProgressiveReveal) -> session.Check:
    asked = CHECK_OF_ONE_TRY if protocol.answering.tries == 1 else CHECK_QUESTIONS
    return session.comprehension_check(
        asked, protocol.session.comprehension_attempts, "instructions_again"
    )


def _practised(
    protocol: ProgressiveReveal, shown_list: ShownList, before: int
) -> list[RevealRound]:
    """Return practice after a number of earlier ones; repeats have numbers after all others."""
    sittings = range(1, len(shown_list.sittings) + 1)
    warm_ups = sum(len(_warm_up(protocol, shown_list, sitting)) for sitting in sittings)
    first = before * len(shown_list.practice) + shown_list.rounds + warm_ups if before else 0
    return list(_practice(protocol, shown_list.practice, first + 1, 0))


def _practice(
    protocol: ProgressiveReveal, images: Sequence[ShownImage], first: int, before: int
) -> Iterator[RevealRound]:
    """Yield rounds that don't count, given the first number and the count of rounds before."""
    total = len(images)
    for done, image in enumerate(images):
        place = _Place(first + done, "practice", PRACTICE_SITTING, before + done + 1, done, total)
        yield _round(protocol, image, place)


def _sittings(
    protocol: ProgressiveReveal, shown_list: ShownList, values: dict[str, str]
) -> Iterator[session.Step]:
    """Yield all sittings: rounds, breaks, ends except the last and starts except the first."""
    sittings = len(shown_list.sittings)
    practised = trials = len(shown_list.practice)
    for sitting, images in enumerate(shown_list.sittings, start=1):
        here = values | {"sitting": str(sitting), "rounds": str(len(images))}
        warm_up = _warm_up(protocol, shown_list, sitting)
        if sitting > 1:
            yield session.Page(f"sitting_start-{sitting}", "sitting_start", here, greets=True)
        if warm_up:
            with_count = here | {"warm_up_rounds": str(len(warm_up))}
            yield session.Page(f"warm_up-{sitting}", "warm_up", with_count)
            yield from _practice(protocol, warm_up, trials + 1, practised)
        if sitting == 1 or warm_up:
            step = "before_rounds" if sitting == 1 else f"before_rounds-{sitting}"
            yield session.Page(step, "before_rounds", here)
        practised, trials = practised + len(warm_up), trials + len(warm_up)
        yield from _rounds(protocol, images, sitting, sittings, trials)
        trials += len(images)
        if sitting < sittings:
            yield session.SittingEnd(f"sitting_end-{sitting}", sitting, sittings)


def _warm_up(
    protocol: ProgressiveReveal, shown_list: ShownList, sitting: int
) -> tuple[ShownImage, ...]:
    """Return the practice images at the start of a later sitting, rotated over sittings."""
    most = len(shown_list.practice)
    wanted = min(protocol.session.warm_up_rounds, most) if sitting > 1 else 0
    first = (sitting - 2) * wanted
    return tuple(shown_list.practice[(first + nth) % most] for nth in range(wanted))


def _rounds(
    protocol: ProgressiveReveal,
    images: Sequence[ShownImage],
    sitting: int,
    sittings: int,
    before: int,
) -> Iterator[session.Step]:
    """Yield a sitting's rounds with its breaks, given the number of trials before."""
    every, total = protocol.session.break_every_rounds, len(images)
    progress, values = "progress", {}
    if sittings > 1:
        progress = "progress_of_sitting"
        values = {"sitting": str(sitting), "sittings": str(sittings)}
    for done, image in enumerate(images):
        place = _Place(before + done + 1, "main", sitting, done + 1, done, total, sittings)
        yield _round(protocol, image, place)
        if (done + 1) % every == 0 and done + 1 < total:
            step = f"break-{sitting}-{done + 1:04d}"
            yield session.Break(
                step, "break", done + 1, total, may_leave=True, progress=progress, values=values
            )


@dataclass(frozen=True, slots=True)
class _Place:
    """A round's number among all rounds, and within its sitting or practice."""

    trial: int
    phase: session.Phase
    sitting: int
    position: int
    done: int
    total: int
    sittings: int = 1


def _round(protocol: ProgressiveReveal, image: ShownImage, place: _Place) -> RevealRound:
    return RevealRound(
        step=session.trial_step(place.trial),
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
    """Return the chance that a guess among some classes is right; ValueError without a class."""
    if classes < 1:
        raise ValueError(f"{classes} classes: there must be one at least")
    return 1 / classes
