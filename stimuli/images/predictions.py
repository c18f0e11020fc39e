"""A classifier's answers to a set of images or texts, read from a CSV or made by a network."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from stimuli.errors import UserError
from stimuli.images.sets import rows_of

NO_SOLUTION: Final = "no_solution"
"""The answer that no label fits."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A label that S gave, and S's probability of it (None where it isn't known)."""

    label: str
    confidence: float | None


Answers = Mapping[str, Sequence[Answer]]
"""S's answers by item, the most confident first; the first is what S says."""


def read_predictions(path: Path, items: Collection[str]) -> dict[str, tuple[Answer, ...]]:
    """Return a classifier's answers to a set's images or texts.

    Parameters
    ----------
    path
        A CSV with columns ``image`` or ``item`` (as in the set, or its file's name where that
        is unique), ``label`` and, if known, ``confidence`` (0…1). An item may have several
        rows; the most confident is S's answer. ``no_solution`` is an answer too.
    items
        The set's images or texts; rows of others are left alone.

    Raises
    ------
    UserError
        If the file can't be read, a confidence is impossible, an item has no answer, or
        several without a confidence to order them by.
    """
    by_name = _unique_names(items)
    found: dict[str, list[Answer]] = {}
    rows = rows_of(path, ("label",))
    column = "item" if rows and "image" not in rows[0] and "item" in rows[0] else "image"
    for number, row in enumerate(rows_of(path, (column, "label")), start=2):
        name = PurePosixPath(row[column].replace("\\", "/")).as_posix()
        item = name if name in items else by_name.get(PurePosixPath(name).name)
        if item is not None:
            where = f"{path}, line {number}"
            answer = Answer(row["label"], _confidence(row.get("confidence", ""), where))
            found.setdefault(item, []).append(answer)
    missing = sorted(set(items) - set(found))
    if missing:
        raise UserError(
            f"{path}: no answer to {len(missing)} of {len(items)} {column}s, e.g. {missing[0]}"
        )
    return {item: _ranked(found[item], item, path) for item in sorted(found)}


def abstaining(answers: Answers, abstain_below: float) -> dict[str, tuple[Answer, ...]]:
    """Return answers in which S says ``no_solution`` where its confidence is too low.

    Raises
    ------
    UserError
        If a threshold is asked for and a confidence isn't known.
    """
    if abstain_below == 0:
        return {item: tuple(ranked) for item, ranked in answers.items()}
    silenced = {}
    for item, ranked in answers.items():
        confidence = ranked[0].confidence
        if confidence is None:
            raise UserError(
                f"system.abstain_below is {abstain_below:g}, but S's confidence on {item} isn't "
                "known; add a column confidence"
            )
        silent = (Answer(NO_SOLUTION, confidence),) if confidence < abstain_below else ()
        silenced[item] = (*silent, *ranked)
    return silenced


def _unique_names(items: Collection[str]) -> dict[str, str]:
    """Return the items by their files' names, as far as these are unique."""
    by_name: dict[str, list[str]] = {}
    for item in items:
        by_name.setdefault(PurePosixPath(item).name, []).append(item)
    return {name: found[0] for name, found in by_name.items() if len(found) == 1}


def _confidence(text: str, where: str) -> float | None:
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise UserError(f"{where}: confidence is {text!r}, not a probability from 0 to 1")
    return value


def _ranked(answers: Sequence[Answer], item: str, path: Path) -> tuple[Answer, ...]:
    if len(answers) > 1 and any(answer.confidence is None for answer in answers):
        raise UserError(f"{path}: {item} has several answers, and not all have a confidence")
    return tuple(sorted(answers, key=lambda answer: -(answer.confidence or 0.0)))
