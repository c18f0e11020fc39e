"""The lists of a solution pack: their names, and the axis and rung that each is for."""

from collections import Counter

from stimuli.pack import Pack
from stimuli.studies.accept_reject.tables import ITEMS, LISTS, PRACTICE_RUN


def list_name(axis: str, rung: int, number: int) -> str:
    """Return the name of an axis and rung's list with a number, from 0."""
    return f"{axis}-r{rung}-l{number + 1}"


def rotation_of(name: str) -> str:
    """Return the last part of a list's name.

    Lists that share it give each plate the same run and the same solver, at whatever rung.
    """
    return name.rpartition("-")[2]


def list_places(pack: Pack) -> dict[str, tuple[str, int]]:
    """Return each list's axis and rung: those of most of its main presentations."""
    place_of = {
        row["presentation"]: (str(row["axis"]), int(row["rung"] or 0)) for row in pack.table(ITEMS)
    }
    counts: dict[str, Counter[tuple[str, int]]] = {}
    for row in pack.table(LISTS):
        if row["run"] != PRACTICE_RUN:
            counts.setdefault(str(row["list"]), Counter())[place_of[row["presentation"]]] += 1
    return {name: counter.most_common(1)[0][0] for name, counter in sorted(counts.items())}
