"""progressive_reveal's tables of rounds and people: their fields, and what its packs say."""

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, Final

from participants.dataset import fields
from participants.dataset.study_tables import ArmsTable, StudyTables
from participants.journal import Event
from participants.session.typed_line import Keystroke
from participants.studies.progressive_reveal.events import RevealTrialEnd
from participants.studies.progressive_reveal.plan import guess_rate as rate_of_guesses
from participants.studies.progressive_reveal.rounds import CopyResult, letter_s
from stimuli.io.tables import Column, levels
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal import tables
from stimuli.studies.progressive_reveal.classes import Classes
from stimuli.studies.progressive_reveal.lists import catch_kind
from stimuli.studies.progressive_reveal.study import arm_rows

BETWEEN_ANSWERS: Final = "|"
NOWHERE: Final = -9
"""Place for an answer that isn't in the table; no class is next to it."""


def images_of(pack: Pack) -> fields.ShownPack:
    """Return a pack's data on its presentations."""
    items, classes = pack.table(tables.ITEM_TABLE), pack.table(tables.CLASSES)
    pixels = {row["item"]: row["image_pixels"] for row in items}
    chance = {"guess_rate": rate_of_guesses(len({row["class"] for row in classes}))}
    return fields.ShownPack(
        {
            name: row | chance | {"image_pixels": pixels[row["item"]]}
            for name, row in fields.presentations_in(pack, tables.KEY).items()
        },
        {
            "items": items,
            "curves": pack.table(tables.CURVES),
            "arms": arm_rows(pack),
            "classes": classes,
            "metrics": pack.table_if_any(tables.METRICS),
        },
    )


@lru_cache(maxsize=4)
def _places(pack: fields.ShownPack, language: str) -> Mapping[str, int]:
    """Return each class's place in the table beside the image, in a language."""
    names = Classes.of(pack.beside["classes"], language).names
    return {name.class_id: place for place, name in enumerate(names)}


class Sittings(fields.TakenSession):
    """A person's session, over all its sittings."""

    @cached_property
    def letter_s(self) -> float | None:
        """Median time to type a letter when copying."""
        words = (word for event in self.journal.of("copy") for word in event["words"])
        return letter_s([_copied(word) for word in words])

    @cached_property
    def rounds(self) -> list[Event]:
        """The ends of the rounds that count."""
        return self.ends("main")


def _copied(word: Mapping[str, Any]) -> CopyResult:
    keystrokes = tuple(Keystroke(**keystroke) for keystroke in word["keystrokes"])
    return CopyResult(word["word"], word["onset_t_monotonic_s"], keystrokes, word["done_s"])


@fields.derived(levels=tables.CATCH_KINDS)
def catch(trial: fields.EndedTrial) -> str | None:
    """The kind of catch round; empty for main rounds. Only main rounds enter the results."""
    return catch_kind(str(trial.item["method"]))


@fields.derived()
def attempts(trial: fields.EndedTrial) -> int:
    """Number of confirmed answers, including the right one."""
    return len(trial.end["attempts"])


@fields.derived(typed=True)
def answers(trial: fields.EndedTrial) -> str | None:
    """The answers in order, separated by |; empty without an answer."""
    texts = (text["text"].replace(BETWEEN_ANSWERS, " ") for text in trial.end["attempts"])
    return BETWEEN_ANSWERS.join(" ".join(text.split()) for text in texts) or None


@fields.derived()
def first_attempt_right(trial: fields.EndedTrial) -> bool:
    """Whether the first answer was right."""
    return any(answer["right"] for answer in trial.end["attempts"][:1])


@fields.derived()
def keystrokes(trial: fields.EndedTrial) -> int:
    """Number of keys and clicks in the answer field."""
    return len(trial.end["keystrokes"])


@fields.derived()
def table_walk(trial: fields.EndedTrial) -> int:
    """Longest sequence of answers that goes one by one through the table of classes.

    It may go down or up.
    """
    places = _places(trial.pack, trial.taken.header["language"])
    return longest_walk(
        [places.get(answer["class_id"], NOWHERE) for answer in trial.end["attempts"]]
    )


@fields.derived()
def censored(trial: fields.EndedTrial) -> bool:
    """Whether the image wasn't recognised while it was shown."""
    return not trial.end["recognised"]


@fields.derived()
def typing_s(row: Sittings | fields.EndedTrial) -> float | None:
    """Median time to type a letter when copying class names; empty if none were copied."""
    return row.taken.letter_s


@fields.derived()
def guess_rate(trial: fields.EndedTrial) -> float:
    """Chance of a right answer by guessing: 1 / classes."""
    return trial.item["guess_rate"]


def _right_s(trial: fields.EndedTrial) -> float | None:
    return next((answer["t_s"] for answer in trial.end["attempts"] if answer["right"]), None)


TRIAL: Final = fields.trial_fields(
    *fields.ended(RevealTrialEnd, "presentation"),
    *fields.LIST,
    *fields.ended(RevealTrialEnd, "sitting", "position"),
    *fields.in_pack(tables.KEY, "class", "method"),
    catch,
    *fields.ended(RevealTrialEnd, "recognised", "step"),
    *fields.ended(RevealTrialEnd, "pixels", unit="px"),
    *fields.ended(RevealTrialEnd, "step_first_key"),
    *fields.ended(RevealTrialEnd, "pixels_first_key", unit="px"),
    *fields.in_pack(tables.ITEM_TABLE, "image_pixels", "final_pixels", unit="px"),
    attempts,
    answers,
    first_attempt_right,
    keystrokes,
    table_walk,
    censored,
    *fields.ended(RevealTrialEnd, "left"),
    *fields.in_pack(tables.KEY, "model_correct"),
    typing_s,
    guess_rate,
    fields.robot,
    *fields.in_pack(tables.KEY, "map_origin"),
    condition=lambda trial: trial.item["method"],
    rt_s=_right_s,
)

SKIPPED: Final = "asked but not answered"
SURVEY_COLUMNS: Final[Mapping[str, Column]] = {
    f"survey_{name}": Column(name, "text", meaning, levels=known, optional=True)
    for name, meaning, known in (
        ("gender", "Gender.", levels("woman", "man", other="other, or none", skip=SKIPPED)),
        (
            "age",
            "Age in years.",
            levels("18_24", "25_34", "35_44", "45_54", "55_64", "65_up", skip=SKIPPED),
        ),
        (
            "field",
            "Field of work or study.",
            levels(
                "medicine",
                "humanities",
                computing="computer science, mathematics",
                engineering_natural="engineering, natural sciences",
                social="psychology, social sciences, education",
                law_economics="law, business, economics",
                other="other, or none",
                skip=SKIPPED,
            ),
        ),
        (
            "machine_learning",
            "What the person knows about machine learning.",
            levels(
                none="nothing",
                heard="heard or read about it",
                basics="how it works in principle",
                works_with_it="works with it, or has studied it",
                skip=SKIPPED,
            ),
        ),
    )
}
"""Columns of the personal questions, by question; empty if none was asked."""


@fields.derived()
def visits(sittings: Sittings) -> int:
    """Number of times it was started or continued."""
    return len(sittings.journal.of("session"))


@fields.derived()
def rounds(sittings: Sittings) -> int:
    """Number of finished rounds, without practice."""
    return len(sittings.rounds)


@fields.derived()
def recognised(sittings: Sittings) -> int:
    """Number of these that were recognised."""
    return sum(end["recognised"] for end in sittings.rounds)


@fields.derived()
def left(sittings: Sittings) -> int:
    """Number of these that the person left."""
    return sum(end["left"] for end in sittings.rounds)


PERSON: Final = (
    *fields.WHOSE_SESSION,
    *fields.of_session("rig", description="The PC and display on which it began."),
    *fields.of_session("pack_id"),
    *fields.LIST,
    *fields.of_session("language"),
    fields.complete,
    visits,
    rounds,
    recognised,
    left,
    typing_s,
    *(
        fields.Field(column, lambda taken, step=step: taken.answers.get(step))
        for step, column in SURVEY_COLUMNS.items()
    ),
    fields.robot,
)


def longest_walk(places: Sequence[int]) -> int:
    """Return the longest run of answers that go through the table one by one in one direction.

    Parameters
    ----------
    places
        Each answer's place in the table, in the order of the answers.

    Returns
    -------
    int
        0 without an answer; 1 if no two consecutive answers are neighbours.
    """
    longest = min(1, len(places))
    for way in (1, -1):
        run = 1
        for before, now in pairwise(places):
            run = run + 1 if now - before == way else 1
            longest = max(longest, run)
    return longest


TABLES: Final = StudyTables(
    study="progressive_reveal",
    role="participant",
    read_pack=images_of,
    trial=TRIAL,
    person=PERSON,
    row="round",
    taken=Sittings,
    of_packs={
        "items": tables.ITEM_TABLE,
        "arms": tables.ARMS,
        "curves": tables.CURVES,
        "metrics": tables.METRICS,
    },
    arms=ArmsTable("arms", ("method",), "map_origin"),
)
