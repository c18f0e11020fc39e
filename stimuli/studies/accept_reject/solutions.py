"""What S and E say about each plate: answers matched in abstention, regions yoked in area."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stimuli.errors import UserError
from stimuli.images.sets import NO_SOLUTION
from stimuli.io.canonical import hash_of, keyed_order
from stimuli.maps.map_set import MapRecord, MapSet
from stimuli.maps.origin import Origin
from stimuli.maps.relevance import Region, area_of, discs_from_map, region_from_map
from stimuli.studies.accept_reject.protocol import AcceptReject

PAINTED = 0.5
REGION_OF = {"free": region_from_map, "discs": discs_from_map}
"""Functions that make a map's region, by the protocol's `explanation.outline`."""

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Solution:
    """An answer to a plate on one axis and rung, with the region it points to.

    Attributes
    ----------
    solver_id
        The network's checkpoint or the expert's code.
    label
        A digit, or ``no_solution``.
    method
        Where the region comes from.
    confidence
        S's probability of its most likely digit; None for E.
    region
        bool (region_px, region_px), row 0 on top; None if no solution was derived.
    origin
        Who made it.
    """

    solver_id: str
    label: str
    method: str
    confidence: float | None
    region: Region | None
    origin: Origin


class Solutions:
    """S's and E's solutions of all plates of a task pack.

    Parameters
    ----------
    protocol
        The protocol of the task pack.
    system
        S's map set: one record an item × axis × rung × method, with its most likely digit; the
        methods in the protocol's order.
    experts
        Map sets painted by experts; several experts may have solved an item.
    labels
        True label of the main items; abstention is matched over these.
    key
        Root of every keyed draw.
    """

    def __init__(
        self,
        protocol: AcceptReject,
        system: MapSet,
        experts: Sequence[MapSet],
        labels: Mapping[str, str],
        key: str,
    ) -> None:
        self._explanation = protocol.explanation
        self._places = protocol.lead_places
        self._abstain = protocol.system.abstention == "match_expert"
        self._key = key
        self._labels = labels
        self.methods = len(protocol.system.methods)
        self._system = _by_place(system)
        self._system_maps = system.maps
        self._regions: dict[tuple[str, str], Region] = {}
        self._painted = _painted_maps(experts)
        self._expert = _draw_experts(experts, key)
        self._areas = self._painting_areas()
        self._silent = self._abstentions()

    def places(self) -> list[Place]:
        """Return every (axis, rung) that S solved and leads may see, sorted."""
        solved = {(axis, rung) for axis, rung, _ in self._system}
        return sorted(solved.intersection(self._places))

    def top_rung(self, axis: str) -> int:
        """Return the highest rung that S solved on an axis."""
        return max(rung for other, rung, _ in self._system if other == axis)

    def expert(self, item: str) -> Solution:
        """Return the solution of the expert drawn for an item; UserError if nobody solved it."""
        record = self._expert_record(item)
        who = record.solver_id or ""
        if record.answer == NO_SOLUTION:
            return Solution(who, NO_SOLUTION, "painting", None, None, record.made_by)
        region = self._region(self._painted[_map_key(record)], self.area(item), record)
        return Solution(who, record.answer, "painting", None, region, record.made_by)

    def system(
        self, axis: str, rung: int, item: str, *, speaks: bool = False, method: int = 0
    ) -> Solution:
        """Return S's solution of an item at a rung.

        Parameters
        ----------
        axis, rung, item
            Which plate.
        speaks
            Give the most likely digit even where S would abstain (for controls,
            which need S's region).
        method
            Which of the protocol's methods explains it, from 0.
        """
        record = self._record(axis, rung, item, method)
        who, name, confidence = record.solver_id or "", record.method or "", record.confidence
        if not speaks and (axis, rung, item) in self._silent:
            return Solution(who, NO_SOLUTION, name, confidence, None, record.made_by)
        area = self.area(item, predicted=record.answer)
        region = self._region(self._system_maps[record.map], area, record)
        return Solution(who, record.answer, name, confidence, region, record.made_by)

    def system_label(self, axis: str, rung: int, item: str) -> str:
        """Return S's most likely digit, whether or not it would abstain."""
        return self._record(axis, rung, item).answer

    def expert_label(self, item: str) -> str:
        """Return E's answer; UserError if nobody solved the item."""
        return self._expert_record(item).answer

    def area(self, item: str, predicted: str | None = None) -> float:
        """Return the area of an item's regions, as a share of the plate's disc.

        With yoked areas, it is that of E's painting of the same plate. If E abstained or did not
        see the plate, it is that of a painting of the predicted digit, drawn by key.
        """
        if self._explanation.area == "fixed":
            return self._explanation.fixed_area
        if item in self._areas:
            return self._areas[item]
        alike = [other for other in self._areas if self._expert[other].answer == predicted]
        return self._areas[keyed_order(alike or list(self._areas), self._key, "area", item)[0]]

    def expert_abstention(self) -> float:
        """Return the share of main items on which E found no solution."""
        records = [self._expert[item] for item in self._mains()]
        return sum(record.answer == NO_SOLUTION for record in records) / max(len(records), 1)

    def _mains(self) -> list[str]:
        return sorted(set(self._labels) & set(self._expert))

    def _painting_areas(self) -> dict[str, float]:
        """Return the painted share of the plate's disc of each painted item."""
        areas: dict[str, float] = {}
        for item, record in self._expert.items():
            if record.answer != NO_SOLUTION:
                areas[item] = area_of(self._painting(record) >= PAINTED)
        empty = sorted(item for item, area in areas.items() if area == 0)
        if empty:
            who = self._expert[empty[0]].solver_id
            raise UserError(
                f"human maps: expert {who} named a digit on {empty[0]} but painted nothing"
            )
        if not areas:
            raise UserError("human maps: they contain no paintings, which a solution pack needs")
        return areas

    def _painting(self, record: MapRecord) -> NDArray[np.float32]:
        who = f"human maps: expert {record.solver_id}"
        values = self._painted.get(_map_key(record))
        if values is None:
            raise UserError(
                f"{who} named a digit on {record.item} but there is no map {record.map}"
            )
        if values.shape[0] != values.shape[1]:
            raise UserError(f"{who}: map {record.map} is {values.shape}, not square as the plate")
        return values

    def _abstentions(self) -> frozenset[tuple[str, int, str]]:
        """Return where S abstains: on as many plates per rung as E, least confident first."""
        if not self._abstain:
            return frozenset()
        mains = self._mains()
        wanted = round(self.expert_abstention() * len(mains))
        silent: set[tuple[str, int, str]] = set()
        for axis, rung in self.places():
            present = [item for item in mains if (axis, rung, item) in self._system]
            ranked = sorted(present, key=lambda item: self._caution(axis, rung, item))
            silent.update((axis, rung, item) for item in ranked[:wanted])
        return frozenset(silent)

    def _caution(self, axis: str, rung: int, item: str) -> tuple[float, str]:
        record = self._record(axis, rung, item)
        return (record.confidence or 0.0, hash_of([self._key, "abstain", axis, rung, item]))

    def _record(self, axis: str, rung: int, item: str, method: int = 0) -> MapRecord:
        records = self._system.get((axis, rung, item), [])
        if not records:
            raise UserError(f"task pack: S did not solve {item} at {axis}, rung {rung}")
        if len(records) != self.methods:
            raise UserError(
                f"task pack: S explained {item} at {axis}, rung {rung}, by {len(records)} methods; "
                f"the protocol names {self.methods}"
            )
        return records[method]

    def _expert_record(self, item: str) -> MapRecord:
        if item not in self._expert:
            raise UserError(f"human maps: no expert solved {item}; let one annotate the whole pack")
        return self._expert[item]

    def _region(self, values: NDArray[np.float32], area: float, record: MapRecord) -> Region:
        key = _map_key(record)
        if key not in self._regions:
            self._regions[key] = REGION_OF[self._explanation.outline](
                values,
                area,
                self._explanation.region_px,
                self._explanation.smoothing_px,
                f"{self._key}/{record.map}",
            )
        return self._regions[key]


def overlap(region: Region | None, other: Region | None) -> float | None:
    """Return intersection over union of two regions; None unless both are there."""
    if region is None or other is None:
        return None
    union = int((region | other).sum())
    return float((region & other).sum() / union) if union else None


def _by_place(system: MapSet) -> dict[tuple[str, int, str], list[MapRecord]]:
    """Return S's records of each axis, rung and item: one a method, in the map set's order."""
    by_place: dict[tuple[str, int, str], list[MapRecord]] = {}
    for record in system.records:
        by_place.setdefault((*_place(record), record.item), []).append(record)
    return by_place


def _place(record: MapRecord) -> tuple[str, int]:
    if record.axis is None or record.rung is None:
        raise UserError(f"task pack: map {record.map} of {record.item} names no axis or rung")
    return record.axis, record.rung


def _map_key(record: MapRecord) -> tuple[str, str]:
    """Return a map's key among several map sets, since names are unique only within one."""
    return record.solver_id or "", record.map


def _painted_maps(experts: Sequence[MapSet]) -> dict[tuple[str, str], NDArray[np.float32]]:
    return {
        _map_key(record): map_set.maps[record.map]
        for map_set in experts
        for record in map_set.records
        if record.map in map_set.maps
    }


def _draw_experts(experts: Sequence[MapSet], key: str) -> dict[str, MapRecord]:
    """Return one record an item: among the experts who solved it, drawn by key."""
    by_item: dict[str, list[MapRecord]] = {}
    for map_set in experts:
        for record in map_set.records:
            by_item.setdefault(record.item, []).append(record)
    return {
        item: min(records, key=lambda r: hash_of([key, "expert", item, r.solver_id]))
        for item, records in sorted(by_item.items())
    }
