"""Trial rows of progressive_reveal from a journal and what its pack says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from participants.dataset.table_files import main_trials, shared_cells
from participants.journal import Event, Journal
from participants.studies.progressive_reveal.columns import SURVEY_COLUMNS
from participants.studies.progressive_reveal.entry import Keystroke
from participants.studies.progressive_reveal.plan import guess_rate
from participants.studies.progressive_reveal.rounds import CopyResult, letter_s
from stimuli.io.tables import Row
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.classes import Classes
from stimuli.studies.progressive_reveal.lists import catch_kind
from stimuli.studies.progressive_reveal.origins import arm_rows
from stimuli.studies.progressive_reveal.tables import CLASSES, CURVES, ITEM_TABLE, KEY

BETWEEN_ANSWERS: Final = "|"
NOWHERE: Final = -9
"""Place for an answer that isn't in the table; no class is next to it."""
OF_THE_PERSON: Final = (
    "participant", "session", "purpose", "rig", "pack_id", "list", "language",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ShownImages:
    """A pack's data on its presentations.

    Attributes
    ----------
    key
        Rows of ``key.csv`` by presentation.
    item_table, curves, arms
        Rows of those tables.
    image_pixels
        Pixels of the whole image by item.
    guess_rate
        Chance of a right answer by guessing.
    classes
        Rows of ``classes.csv``.
    """

    key: Mapping[str, Row]
    item_table: tuple[Row, ...]
    curves: tuple[Row, ...]
    arms: tuple[Row, ...]
    image_pixels: Mapping[str, int]
    guess_rate: float
    classes: tuple[Row, ...]

    def places(self, language: str) -> dict[str, int]:
        """Return each class's place in the table beside the image, in a language."""
        names = Classes.of(self.classes, language).names
        return {one.class_id: place for place, one in enumerate(names)}


def images_of(pack: Pack) -> ShownImages:
    """Return a pack's data on its presentations."""
    items, classes = tuple(pack.table(ITEM_TABLE)), tuple(pack.table(CLASSES))
    return ShownImages(
        key={str(row["presentation"]): row for row in pack.table(KEY)},
        item_table=items,
        curves=tuple(pack.table(CURVES)),
        arms=arm_rows(pack),
        image_pixels={str(row["item"]): int(row["image_pixels"] or 0) for row in items},
        guess_rate=guess_rate(len({row["class"] for row in classes})),
        classes=classes,
    )


def round_rows(journal: Journal, shown: ShownImages) -> list[Row]:
    """Return a session's main rounds, over all its sittings.

    A round during which the session was killed has no end, and no row.
    """
    typing_s, places = _typing_s(journal), shown.places(journal.header["language"])
    return [
        {
            **shared_cells(part, end, shown_s),
            **_round_row(end, shown, typing_s),
            "table_walk": longest_walk(
                [places.get(one["class_id"], NOWHERE) for one in end["attempts"]]
            ),
        }
        for part, end, shown_s in main_trials(journal)
    ]


def person_row(journal: Journal) -> Row:
    """Return a session's data about its person."""
    header = journal.header
    ends = [event for event in journal.of("trial_end") if event["phase"] == "main"]
    answers = {event["step"]: str(event["value"]) for event in journal.of("answer")}
    return {
        **{name: header[name] for name in OF_THE_PERSON},
        "complete": journal.complete,
        "visits": len(journal.of("session")),
        "rounds": len(ends),
        "recognised": sum(end["recognised"] for end in ends),
        "left": sum(end["left"] for end in ends),
        "typing_s": _typing_s(journal),
        **{column.name: answers.get(step) for step, column in SURVEY_COLUMNS.items()},
        "robot": header["robot"] or None,
    }


def _typing_s(journal: Journal) -> float | None:
    return letter_s([_copied(word) for event in journal.of("copy") for word in event["words"]])


def _copied(word: Mapping[str, Any]) -> CopyResult:
    keystrokes = tuple(Keystroke(**keystroke) for keystroke in word["keystrokes"])
    return CopyResult(word["word"], word["onset_t_monotonic_s"], keystrokes, word["done_s"])


def _round_row(end: Event, shown: ShownImages, typing_s: float | None) -> Row:
    key = shown.key[end["presentation"]]
    from_trial = {
        name: end[name]
        for name in (
            "sitting", "position", "presentation", "recognised", "step", "pixels",
            "step_first_key", "pixels_first_key", "left",
        )
    }  # fmt: skip
    from_key = {
        name: key[name]
        for name in ("item", "class", "method", "final_pixels", "model_correct", "map_origin")
    }
    return {
        **from_trial,
        **from_key,
        **_answers(end["attempts"]),
        "condition": key["method"],
        "catch": catch_kind(str(key["method"])),
        "keystrokes": len(end["keystrokes"]),
        "repeat_of": None,
        "counts": True,
        "image_pixels": shown.image_pixels[str(key["item"])],
        "censored": not end["recognised"],
        "typing_s": typing_s,
        "guess_rate": shown.guess_rate,
    }


def _answers(attempts: list[Mapping[str, Any]]) -> Row:
    """Return the cells about a round's answers; the journal holds their words."""
    words = (" ".join(one["text"].replace(BETWEEN_ANSWERS, " ").split()) for one in attempts)
    right = next((one for one in attempts if one["right"]), None)
    return {
        "rt_s": None if right is None else right["t_s"],
        "attempts": len(attempts),
        "answers": BETWEEN_ANSWERS.join(words) or None,
        "first_attempt_right": bool(attempts) and attempts[0]["right"],
    }


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
