"""What a lead sees at each place of a list: a plate, a solution, perhaps a contour."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stimuli.errors import UserError
from stimuli.images.predictions import NO_SOLUTION
from stimuli.io.canonical import hash_of, keyed_order, seed_of
from stimuli.maps.origin import UNKNOWN, Origin
from stimuli.maps.relevance import Region, region_bytes
from stimuli.studies.accept_reject.controls import (
    any_digit,
    elsewhere,
    plausible_wrong,
    shuffled,
    strewn,
)
from stimuli.studies.accept_reject.practice import Practised
from stimuli.studies.accept_reject.protocol import Outline
from stimuli.studies.accept_reject.shares import Slot
from stimuli.studies.accept_reject.solutions import Solution, Solutions
from stimuli.studies.accept_reject.tables import NO_NUMERAL

ID_DIGITS = 12
NO_CONTOUR = frozenset({"no_solution", "right_digit_blank"})


@dataclass(frozen=True, slots=True)
class Shown:
    """A plate with a solution, before it gets its opaque id.

    Attributes
    ----------
    item, axis, rung, label
        The plate, the contrast it is shown at, and the solution's digit.
    region
        The region's bytes (`stimuli.maps.relevance.region_bytes`); None without a contour.
    solver, solver_id, method, explained, control_kind
        As in key.csv.
    origin
        Who made the solution; unknown for controls.
    """

    item: str
    axis: str
    rung: int
    label: str
    region: bytes | None
    solver: str
    solver_id: str | None
    method: str | None
    explained: bool
    control_kind: str | None
    origin: Origin = UNKNOWN

    def opaque_id(self, key: str) -> str:
        """Return the presentation's id: a keyed hash of all that it is."""
        region = None if self.region is None else self.region.hex()
        plate = [self.item, self.axis, self.rung, self.label]
        origin = [self.solver, self.explained, self.control_kind]
        return f"p{hash_of([key, plate, origin, region])[:ID_DIGITS]}"


class Presentations:
    """Makes presentations: what is drawn by key is the same wherever it is asked for.

    Parameters
    ----------
    solutions
        S's and E's solutions.
    labels
        True label by item.
    donors
        Main items, whose regions controls may borrow.
    key
        Root of every keyed draw.
    outline
        The protocol's `explanation.outline`.
    """

    def __init__(
        self,
        solutions: Solutions,
        labels: Mapping[str, str],
        donors: Sequence[str],
        key: str,
        outline: Outline,
    ) -> None:
        self._solutions = solutions
        self._labels = labels
        self._donors = donors
        self._key = key
        self._outline = outline

    def main(self, slot: Slot, axis: str, rung: int, item: str) -> Shown:
        """Return what a main trial shows in a slot of a list."""
        explained = slot.explained
        if slot.solver == "control":
            return self._control(slot.control_kind, explained, axis, rung, item)
        if slot.solver == "S":
            solution = self._solutions.system(axis, rung, item, method=slot.method)
        else:
            solution = self._solutions.expert(item)
        region = solution.region if explained else None
        return Shown(
            item,
            axis,
            rung,
            solution.label,
            _packed(region),
            slot.solver,
            solution.solver_id,
            solution.method if region is not None else None,
            explained,
            None,
            solution.origin,
        )

    def practice(self, plate: Practised, axis: str, rung: int, item: str) -> Shown:
        """Return a practice trial of a list; contours are as S's at the highest rung."""
        top = self._solutions.top_rung(axis)
        label = self._control_label(plate.kind, item)
        region, method = None, None
        if plate.explained:
            donor = item if plate.has_numeral else self._donor(label, axis, top, item, True)
            solution = self._solutions.system(axis, top, donor, speaks=True)
            region, method = solution.region, solution.method
        return Shown(
            item,
            axis,
            max(rung - 1, 1) if plate.hard else top,
            label,
            _packed(region),
            "control",
            None,
            method,
            plate.explained,
            plate.kind,
        )

    def _control(self, kind: str, explained: bool, axis: str, rung: int, item: str) -> Shown:
        shown_rung = self._solutions.top_rung(axis) if kind == "high_contrast" else rung
        label = self._control_label(kind, item)
        region, method = None, None
        if explained and kind not in NO_CONTOUR:
            source = self._source(kind, axis, shown_rung, item, label)
            region, method = self._changed(kind, source.region, item), source.method
        return Shown(
            item,
            axis,
            shown_rung,
            label,
            _packed(region),
            "control",
            None,
            method,
            explained,
            kind,
        )

    def _control_label(self, kind: str, item: str) -> str:
        if kind == "no_solution":
            return NO_SOLUTION
        if self._labels[item] == NO_NUMERAL:
            return any_digit(self._key, "no_numeral", item)
        if kind.startswith("wrong_digit"):
            return plausible_wrong(self._labels[item], self._key, "wrong", item)
        return self._labels[item]

    def _source(self, kind: str, axis: str, rung: int, item: str, label: str) -> Solution:
        """Return the solution whose region a control borrows.

        It is like S's or like E's by the kind's name, else by a keyed coin; which of S's methods
        it is like, the key decides too. The true place is where E painted; a contour of the shown
        digit comes from another plate that bears it.
        """
        like_system = seed_of(self._key, "like", item) % 2 == 0
        if kind == "wrong_digit_true_place":
            like_system = False
        elif kind.startswith("no_numeral"):
            like_system = kind == "no_numeral_s_like"
        if kind == "wrong_digit_own_shape" or kind.startswith("no_numeral"):
            item = self._donor(label, axis, rung, item, like_system)
        if not like_system:
            painted = self._solutions.expert(item)
            if painted.region is not None:
                return painted
        method = seed_of(self._key, "like method", item) % self._solutions.methods
        return self._solutions.system(axis, rung, item, speaks=True, method=method)

    def _changed(self, kind: str, region: Region | None, item: str) -> Region | None:
        if region is None or kind not in ("right_digit_elsewhere", "right_digit_shuffled"):
            return region
        if kind == "right_digit_elsewhere":
            return elsewhere(region)
        mix = strewn if self._outline == "discs" else shuffled
        return mix(region, self._key, item)

    def _donor(self, label: str, axis: str, rung: int, item: str, like_system: bool) -> str:
        """Return a main plate of the shown digit, drawn by key; a rightly solved one first."""
        alike = [other for other in self._donors if self._labels[other] == label]
        if not alike:
            raise UserError(
                f"task pack: no main plate bears the digit {label}; it needs each digit"
            )
        order = keyed_order(alike, self._key, "donor", item)
        for donor in order:
            solved = (
                self._solutions.system_label(axis, rung, donor)
                if like_system
                else self._solutions.expert_label(donor)
            )
            if solved == label:
                return donor
        return order[0]


def _packed(region: Region | None) -> bytes | None:
    return None if region is None else region_bytes(region)
