"""From tasks and solutions to a solution pack: lists, opaque ids, files.

The lead's side of the pack (items, assets) says nothing of who solved a plate:
ids and order are keyed hashes, files of one kind have one size, areas are yoked.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from stimuli.errors import UserError
from stimuli.io.canonical import hash_of, keyed_order
from stimuli.io.tables import Row
from stimuli.maps.map_set import MAP_TABLE, MAP_TENSORS, MapSet, map_set_from_bytes
from stimuli.maps.metrics import metrics_file
from stimuli.maps.relevance import area_of
from stimuli.pack import Pack
from stimuli.plates.plate import lit, plate_bytes, plate_from_bytes
from stimuli.plates.spec import PlateSpec
from stimuli.studies.accept_reject import tables
from stimuli.studies.accept_reject.lists import ID_DIGITS, Presentation, Presentations, list_name
from stimuli.studies.accept_reject.origins import ARMS_FILE, arms_file, arms_painted
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.shares import (
    RUNS,
    WITH,
    Slot,
    practised,
    run_slots,
    tasks_needed,
)
from stimuli.studies.accept_reject.solutions import Solutions, overlap
from stimuli.studies.accept_reject.tasks import plate_spec

TEMPLATES = "assets/templates.safetensors"
MAPS_FOLDER = "maps"

Entry = tuple[int, int, Presentation]
Lists = Mapping[str, Sequence[Entry]]
Pools = Mapping[str, Sequence[str]]


def compose_solutions(tasks: Pack, human_maps: Sequence[MapSet]) -> dict[str, bytes]:
    """Return the files of a solution pack.

    Parameters
    ----------
    tasks
        A task pack: plates, S's answers and maps.
    human_maps
        The experts' answers and paintings; every main plate needs one answer.

    Returns
    -------
    dict of str to bytes
        Content by path, ready to be sealed.

    Raises
    ------
    UserError
        If the task pack lacks plates that the protocol needs, or a plate lacks an answer.
    """
    protocol = tasks.protocol
    if not isinstance(protocol, AcceptReject) or tasks.manifest.kind != "tasks":
        raise UserError(f"pack {tasks.pack_id}: is not a task pack of accept_reject")
    rows = {str(row["item"]): row for row in tasks.table(tables.TASKS)}
    # Of the plates, not of the pack's id: the last bits of S's maps differ from CPU to CPU.
    key = hash_of(["solutions", sorted(rows), protocol.seed])
    labels = {item: str(row["true_label"]) for item, row in rows.items()}
    pools = _pools(rows, tasks_needed(protocol), key)
    main_labels = {item: labels[item] for item in pools["main"]}
    system = system_maps(tasks)
    solutions = Solutions(protocol, system, human_maps, main_labels, key)
    presentations = Presentations(
        solutions, labels, pools["main"], key, protocol.explanation.outline
    )
    lists = _lists(protocol, solutions, presentations, pools, key)
    plates = {item: tasks.asset(str(row["plate_file"])) for item, row in rows.items()}
    return {
        **_lead_side(tasks, lists, _Plates(plates, plate_spec(protocol.plates), key), key),
        **_key_side(lists, labels, key),
        "item_table.csv": tables.ITEM_TABLE.to_csv(_item_table(solutions, pools["main"], labels)),
        ARMS_FILE: arms_file(arms_painted(tasks, system, human_maps)),
        **metrics_file(tables.METRICS, tasks.table_if_any(tables.METRICS)),
    }


def system_maps(tasks: Pack) -> MapSet:
    """Return S's map set of a task pack."""
    table = tasks.asset(f"{MAPS_FOLDER}/{MAP_TABLE}")
    tensors = tasks.asset(f"{MAPS_FOLDER}/{MAP_TENSORS}")
    return map_set_from_bytes(table, tensors, f"pack {tasks.pack_id}: {MAPS_FOLDER}")


def _pools(rows: Mapping[str, Row], needed: Mapping[str, int], key: str) -> Pools:
    """Return the items of each use, in keyed order, as many as the protocol needs."""
    pools: dict[str, list[str]] = {}
    for use, count in needed.items():
        items = [item for item, row in rows.items() if row["use"] == use]
        if len(items) < count:
            raise UserError(f"task pack: {len(items)} plates for {use}, the protocol needs {count}")
        pools[use] = keyed_order(items, key, use)[:count]
    return pools


def _lists(
    protocol: AcceptReject,
    solutions: Solutions,
    presentations: Presentations,
    pools: Pools,
    key: str,
) -> dict[str, list[Entry]]:
    """Return each list's entries (run, position, what is shown), by the list's id."""
    lists: dict[str, list[Entry]] = {}
    for axis, rung in solutions.places():
        practice = _practice(protocol, presentations, pools, axis, rung)
        for number in range(protocol.solutions.lists):
            name = list_name(axis, rung, number)
            entries = [
                (tables.PRACTICE_RUN, place, presentation)
                for place, presentation in enumerate(practice, 1)
            ]
            slots = _slots(protocol, pools, number)
            for run in RUNS:
                order = keyed_order((i for i, s in slots.items() if s.run == run), key, name, run)
                entries += [
                    (run, place, presentations.main(slots[item], axis, rung, item))
                    for place, item in enumerate(order, 1)
                ]
                if run == WITH and protocol.session.sham_group:
                    entries += [
                        (
                            tables.SHAM_RUN,
                            place,
                            presentations.main(slots[item].bare, axis, rung, item),
                        )
                        for place, item in enumerate(order, 1)
                    ]
            lists[name] = entries
    return lists


def _practice(
    protocol: AcceptReject, presentations: Presentations, pools: Pools, axis: str, rung: int
) -> list[Presentation]:
    digits, blanks = iter(pools["practice"]), iter(pools["practice_no_numeral"])
    return [
        presentations.practice(plate, axis, rung, next(digits if plate.has_numeral else blanks))
        for plate in practised(protocol.solutions)
    ]


def _slots(protocol: AcceptReject, pools: Pools, number: int) -> dict[str, Slot]:
    """Return the slot of each item in a list, by the list's number.

    Plates that S and E solve, plates of controls and plates without a numeral rotate in separate
    rounds. From list to list, a plate moves on by the same share of its round, so that with four
    lists every solved plate comes once from each solver in each run.
    """
    slots = [slot for run in RUNS for slot in run_slots(protocol, run, number)]
    solved = [slot for slot in slots if slot.solver != "control"]
    controls = [slot for slot in slots if slot.solver == "control" and slot.needs_numeral]
    blanks = [slot for slot in slots if not slot.needs_numeral]
    mains = pools["main"]
    rounds = (
        (solved, mains[: len(solved)]),
        (controls, mains[len(solved) :]),
        (blanks, pools["no_numeral"]),
    )
    slot_of: dict[str, Slot] = {}
    for places, items in rounds:
        step = number * len(places) // protocol.solutions.lists
        for place, item in enumerate(items):
            slot_of[item] = places[(place + step) % len(places)]
    return slot_of


def _distinct(lists: Lists, key: str) -> dict[str, Presentation]:
    """Return every presentation once, by its opaque id, in the ids' order."""
    distinct = {presentation for entries in lists.values() for _, _, presentation in entries}
    return dict(sorted((presentation.opaque_id(key), presentation) for presentation in distinct))


@dataclass(frozen=True, slots=True)
class _Plates:
    """Plates by item, both as made and in a version that anyone can read."""

    stored: Mapping[str, bytes]
    spec: PlateSpec
    key: str

    def file(self, presentation: Presentation) -> str:
        """Return the path of the shown plate, whose name reveals nothing about it."""
        what = [self.key, "plate", presentation.item, _for_anyone(presentation)]
        return f"assets/plates/{hash_of(what)[:ID_DIGITS]}.plate"

    def content(self, presentation: Presentation) -> bytes:
        """Return the plate that is shown."""
        stored = self.stored[presentation.item]
        if not _for_anyone(presentation):
            return stored
        return plate_bytes(lit(plate_from_bytes(stored), self.spec))


def _for_anyone(presentation: Presentation) -> bool:
    return presentation.control_kind == "high_contrast"


def _lead_side(tasks: Pack, lists: Lists, plates: _Plates, key: str) -> dict[str, bytes]:
    """Return the files that a session reads: items, lists and assets."""
    presentations = _distinct(lists, key)
    # A plate is shown on several axes, at several rungs and with several solutions.
    drawn = {plates.file(presentation): presentation for presentation in presentations.values()}
    files = {path: plates.content(presentation) for path, presentation in drawn.items()}
    files[TEMPLATES] = tasks.asset(TEMPLATES)
    files |= {
        _region_file(presentation.region, key): presentation.region
        for presentation in presentations.values()
        if presentation.region
    }
    files["items.csv"] = tables.ITEMS.to_csv(
        {
            "presentation": name,
            "axis": presentation.axis,
            "rung": presentation.rung,
            "plate_file": plates.file(presentation),
            "shown_label": presentation.label,
            "region_file": _region_file(presentation.region, key) if presentation.region else None,
        }
        for name, presentation in presentations.items()
    )
    files["lists.csv"] = tables.LISTS.to_csv(_list_rows(lists, key))
    return files


def _list_rows(lists: Lists, key: str) -> Iterable[Row]:
    for name in sorted(lists):
        for run, position, presentation in lists[name]:
            yield {
                "list": name,
                "run": run,
                "position": position,
                "presentation": presentation.opaque_id(key),
            }


def _key_side(lists: Lists, labels: Mapping[str, str], key: str) -> dict[str, bytes]:
    """Return the key, which only builders and analysts read."""
    rows = (
        {
            "presentation": name,
            "item": presentation.item,
            "solver": presentation.solver,
            "solver_id": presentation.solver_id,
            "method": presentation.method,
            "explained": presentation.explained,
            "true_label": labels[presentation.item],
            "control_kind": presentation.control_kind,
            "solver_origin": presentation.origin.kind or None,
            "solver_origin_note": presentation.origin.note or None,
        }
        for name, presentation in _distinct(lists, key).items()
    )
    return {"key.csv": tables.KEY.to_csv(rows)}


def _region_file(region: bytes, key: str) -> str:
    return f"assets/regions/{hash_of([key, region.hex()])[:ID_DIGITS]}.region"


def _item_table(
    solutions: Solutions, items: Sequence[str], labels: Mapping[str, str]
) -> Iterable[Row]:
    methods = range(solutions.methods)
    for axis, rung in solutions.places():
        for item, method in product(sorted(items), methods):
            system = solutions.system(axis, rung, item, method=method)
            expert = solutions.expert(item)
            region = expert.region if system.region is None else system.region
            yield {
                "item": item,
                "method": system.method,
                "axis": axis,
                "rung": rung,
                "true_label": labels[item],
                "model_label": system.label,
                "model_confidence": system.confidence,
                "expert_id": expert.solver_id,
                "expert_label": expert.label,
                "region_area": None if region is None else area_of(region),
                "region_iou": overlap(system.region, expert.region),
                "expert_origin": expert.origin.kind or None,
                "expert_origin_note": expert.origin.note or None,
            }
