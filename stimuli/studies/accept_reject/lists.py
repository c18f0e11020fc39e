"""What a lead sees at each place of a list: a plate, a solution, perhaps a contour.

A list's name states its axis and rung. Controls are wrong digits that a lead might believe, and
contours that say nothing true.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stimuli.errors import UserError
from stimuli.images.sets import NO_SOLUTION
from stimuli.io.canonical import hash_of, keyed_order, seed_of
from stimuli.maps.origin import UNKNOWN, Origin
from stimuli.maps.relevance import Region, area_of, discs_from_map, plate_disc, region_bytes
from stimuli.pack import Pack
from stimuli.studies.accept_reject.protocol import Outline
from stimuli.studies.accept_reject.shares import PracticePlate, Slot
from stimuli.studies.accept_reject.solutions import Solution, Solutions
from stimuli.studies.accept_reject.tables import ITEMS, LISTS, NO_NUMERAL, PRACTICE_RUN


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


TILES = 8
SHIFTS = (-0.25, 0.0, 0.25)

# Digits that share strokes, so that a hasty reader might accept the wrong one.
PLAUSIBLE_WRONG: Mapping[str, tuple[str, ...]] = {
    "0": ("6", "8", "9"),
    "1": ("7", "4"),
    "2": ("7", "3", "8"),
    "3": ("8", "5", "9"),
    "4": ("9", "1", "7"),
    "5": ("6", "3", "8"),
    "6": ("5", "0", "8"),
    "7": ("1", "2", "9"),
    "8": ("3", "6", "0"),
    "9": ("4", "7", "3"),
}


def plausible_wrong(true_label: str, *key: str | int) -> str:
    """Return a wrong digit, drawn by the key among those that look like the true one."""
    return keyed_order(PLAUSIBLE_WRONG[true_label], *key)[0]


def any_digit(*key: str | int) -> str:
    """Return a digit drawn by the key."""
    return str(seed_of(*key) % 10)


def elsewhere(region: Region) -> Region:
    """Return the region turned, mirrored or moved so that it overlaps the original least.

    The area is kept exactly, and all of it stays within the plate's disc.
    """
    inside = plate_disc(region.shape[0])
    whole = (moved for moved in _moved(region) if not (moved & ~inside).any())
    return min(whole, key=lambda moved: int((moved & region).sum()), default=region[::-1])


def shuffled(region: Region, *key: str | int) -> Region:
    """Return the region with its tiles (8 × 8 over the square) in an order drawn by the key.

    Only tiles that lie completely within the plate's disc change places; the area is kept exactly.
    """
    side = region.shape[0] // TILES
    used = slice(0, side * TILES)
    tiles = region[used, used].reshape(TILES, side, TILES, side).swapaxes(1, 2)
    tiles = tiles.reshape(TILES * TILES, side, side)
    whole = (
        plate_disc(region.shape[0])[used, used].reshape(TILES, side, TILES, side).all(axis=(1, 3))
    )
    places = np.flatnonzero(whole.ravel())
    rng = np.random.Generator(np.random.PCG64(seed_of("shuffled", *key)))
    mixed = tiles.copy()
    mixed[places] = tiles[rng.permutation(places)]
    result = region.copy()
    grid = mixed.reshape(TILES, TILES, side, side).swapaxes(1, 2)
    result[used, used] = grid.reshape(side * TILES, side * TILES)
    return result


def strewn(region: Region, *key: str | int) -> Region:
    """Return the same area as discs in places drawn by the key, as for a map without relevance."""
    blank = np.zeros((1, 1))
    name = "/".join(map(str, ("strewn", *key)))
    return discs_from_map(blank, area_of(region), len(region), tie_key=name)


def _moved(region: Region) -> Iterator[Region]:
    """Yield the seven other turns and mirrors, each also shifted where nothing is cut off."""
    side = region.shape[0]
    for mirrored in (region, region[:, ::-1]):
        for quarter_turns in range(4):
            turned = np.rot90(mirrored, quarter_turns)
            for down in SHIFTS:
                for right in SHIFTS:
                    moved = _shifted(turned, round(down * side), round(right * side))
                    if moved.sum() == region.sum():
                        yield moved


def _shifted(region: Region, down: int, right: int) -> Region:
    side = region.shape[0]
    moved = np.zeros_like(region)
    rows, columns = _overlap(down, side), _overlap(right, side)
    moved[rows[1], columns[1]] = region[rows[0], columns[0]]
    return moved


def _overlap(shift: int, side: int) -> tuple[slice, slice]:
    """Return the source and target slices of a shifted axis."""
    if shift >= 0:
        return slice(0, side - shift), slice(shift, side)
    return slice(-shift, side), slice(0, side + shift)


ID_DIGITS = 12
NO_CONTOUR = frozenset({"no_solution", "right_digit_blank"})


@dataclass(frozen=True, slots=True)
class Presentation:
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
        """Return the presentation's id: a keyed hash of all its properties."""
        region = None if self.region is None else self.region.hex()
        plate = [self.item, self.axis, self.rung, self.label]
        origin = [self.solver, self.explained, self.control_kind]
        return f"p{hash_of([key, plate, origin, region])[:ID_DIGITS]}"


class Presentations:
    """Makes presentations; keyed draws are the same every time.

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

    def main(self, slot: Slot, axis: str, rung: int, item: str) -> Presentation:
        """Return what a main trial shows in a slot of a list."""
        explained = slot.explained
        if slot.solver == "control":
            return self._control(slot.control_kind, explained, axis, rung, item)
        if slot.solver == "S":
            solution = self._solutions.system(axis, rung, item, method=slot.method)
        else:
            solution = self._solutions.expert(item)
        region = solution.region if explained else None
        return Presentation(
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

    def practice(self, plate: PracticePlate, axis: str, rung: int, item: str) -> Presentation:
        """Return a practice trial of a list; contours are as S's at the highest rung."""
        top = self._solutions.top_rung(axis)
        label = self._control_label(plate.kind, item)
        region, method = None, None
        if plate.explained:
            donor = item if plate.has_numeral else self._donor(label, axis, top, item, True)
            solution = self._solutions.system(axis, top, donor, speaks=True)
            region, method = solution.region, solution.method
        return Presentation(
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

    def _control(self, kind: str, explained: bool, axis: str, rung: int, item: str) -> Presentation:
        shown_rung = self._solutions.top_rung(axis) if kind == "high_contrast" else rung
        label = self._control_label(kind, item)
        region, method = None, None
        if explained and kind not in NO_CONTOUR:
            source = self._source(kind, axis, shown_rung, item, label)
            region, method = self._changed(kind, source.region, item), source.method
        return Presentation(
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

        Whether it is S's or E's follows from the kind's name, or else from a keyed coin. The key
        also decides between S's methods. The true place is where E painted; a contour of the shown
        digit comes from another plate with that digit.
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
        """Return a main plate of the shown digit, drawn by key, preferably a rightly solved one."""
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
