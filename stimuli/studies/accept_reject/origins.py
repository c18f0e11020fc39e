"""Who made a pack's solutions and explanations, and how, as the pack says it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from stimuli.io.canonical import hash_of, sha256_hex
from stimuli.io.tables import Row
from stimuli.maps.map_set import MapSet
from stimuli.maps.origin import IMPORTED, Origin, origin_cells, origin_in, together
from stimuli.pack import Pack
from stimuli.studies.accept_reject.tables import ARMS, ITEM_TABLE

OF_EXPERTS: Final = "E's answers and paintings"
PAINTING: Final = "painting"
ARMS_FILE: Final = "arms.csv"
_ORIGIN: Final = "solver_origin"

Arm = tuple[str, str | None]
"""A solver (S or E) and the method of its explanations; None without explanations."""


def arms_file(arms: Mapping[Arm, Origin]) -> bytes:
    """Return the table of arms."""
    return ARMS.to_csv(_rows(arms))


def arm_rows(pack: Pack) -> tuple[Row, ...]:
    """Return the rows of a solution pack's table of arms."""
    return tuple(pack.table(ARMS))


def arms_of(pack: Pack) -> dict[Arm, Origin]:
    """Return who made the solutions of each arm."""
    return {
        (str(row["solver"]), None if row["method"] is None else str(row["method"])): origin_in(
            row, _ORIGIN
        )
        for row in pack.table(ARMS)
    }


def arms_painted(tasks: Pack, system: MapSet, painted: Sequence[MapSet]) -> dict[Arm, Origin]:
    """Return who made the solutions of a solution pack.

    Parameters
    ----------
    tasks
        The task pack, which says how S was explained.
    system
        S's solutions in it: those of a sketch alone say who made them.
    painted
        The experts' map sets.
    """
    if ARMS_FILE in tasks.manifest.files:
        by_system = arms_of(tasks)
    else:
        by_system = {("S", record.method): record.made_by for record in system.records}
    return {**by_system, ("E", PAINTING): _painted(painted)}


def _painted(painted: Sequence[MapSet]) -> Origin:
    """Return the origin of paintings without anybody's code."""
    records = [record for maps in painted for record in maps.records]
    made = together(record.made_by for record in records)
    if made.kind == IMPORTED:
        content = [
            {name: sha256_hex(data) for name, data in maps.files().items()} for maps in painted
        ]
        return replace(made, sha256=hash_of(content))
    count = len({record.solver_id for record in records})
    return Origin(made.kind, f"{count} expert{'' if count == 1 else 's'}")


def _rows(arms: Mapping[Arm, Origin]) -> Iterable[Row]:
    for (solver, method), origin in arms.items():
        yield {"solver": solver, "method": method, **origin_cells(_ORIGIN, origin)}


def experts_of(pack: Pack) -> Origin:
    """Return who E is in a solution pack; unknown in a task pack."""
    if pack.manifest.kind != "solutions":
        return Origin()
    rows = pack.table(ITEM_TABLE)
    return together(
        Origin(str(row["expert_origin"] or ""), str(row["expert_origin_note"] or ""))
        for row in rows
    )


def origins_of(pack: Pack) -> dict[str, Origin]:
    """Return who made what a pack shows, by what it is in words."""
    if pack.manifest.kind != "solutions":
        return {}
    by_system = {
        f"S's solutions, explained by {method}": origin
        for (solver, method), origin in arms_of(pack).items()
        if solver == "S"
    }
    return {**by_system, OF_EXPERTS: experts_of(pack)}
