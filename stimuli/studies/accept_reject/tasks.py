"""Tasks: which digits become which plates, drawn by key; fresh plates for a lead's titration."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from stimuli.colour.spaces import Axis
from stimuli.errors import UserError
from stimuli.images.digits import Digits, load_digits
from stimuli.io.canonical import hash_of, keyed_order, seed_of
from stimuli.plates.masks import Mask, digit_mask, no_numeral_mask
from stimuli.plates.plate import Plate, make_plate, plate_bytes
from stimuli.plates.spec import PlateSpec
from stimuli.studies.accept_reject.protocol import AcceptReject, Plates
from stimuli.studies.accept_reject.shares import tasks_needed
from stimuli.studies.accept_reject.tables import NO_NUMERAL, TASKS
from stimuli.study import FreshPlates

ID_DIGITS = 10
NUMERALS = 10


@dataclass(frozen=True, slots=True)
class Task:
    """A plate to be solved.

    Attributes
    ----------
    item
        Opaque id; the same in every pack made from the same protocol and digits.
    use, true_label, source, source_index
        As in tasks.csv.
    plate_seed, packing_seed
        Seeds of the plate's colours and of its dots.
    mask
        bool (M, M): where the digit lies; all False without one.
    """

    item: str
    use: str
    true_label: str
    source: str | None
    source_index: int | None
    plate_seed: int
    packing_seed: int
    mask: Mask

    @property
    def plate_file(self) -> str:
        """Path of the plate in a pack."""
        return f"assets/plates/{hash_of(['plate', self.item])[:ID_DIGITS]}.plate"

    def plate(self, spec: PlateSpec) -> Plate:
        """Return the plate."""
        return make_plate(self.mask, self.plate_seed, self.packing_seed, spec)


def plate_spec(plates: Plates) -> PlateSpec:
    """Return the look of a protocol's plates."""
    return PlateSpec(
        dot_radius_min=plates.dot_radius_min,
        dot_radius_max=plates.dot_radius_max,
        dot_gap=plates.dot_gap,
        density=plates.density,
        mask_span=plates.mask_span,
        min_stroke_dots=plates.min_stroke_dots,
        base_srgb=plates.base_srgb,
        luminance_levels_cd_m2=plates.luminance_levels_cd_m2,
        s_jitter_sigma=plates.s_jitter_sigma,
        ground_srgb=plates.ground_srgb,
    )


def draw_tasks(protocol: AcceptReject, digits: Digits) -> list[Task]:
    """Return the tasks of a pack: held-out digits, equally many of each numeral.

    Raises
    ------
    UserError
        If there are too few held-out digits for the protocol.
    """
    needed = tasks_needed(protocol)
    with_digit = [use for use in needed if not use.endswith(NO_NUMERAL)]
    wanted = sum(needed[use] for use in with_digit)
    indices = _balanced(digits, protocol.seed)
    if len(indices) < wanted:
        raise UserError(
            f"digits {digits.source}: {len(indices)} held out, the protocol needs {wanted}; "
            "take fewer trials_per_run or another --source"
        )
    spec = plate_spec(protocol.plates)
    tasks: list[Task] = []
    for use in with_digit:
        chosen, indices = indices[: needed[use]], indices[needed[use] :]
        for index in chosen:
            mask = digit_mask(digits.images[index], spec)
            label = str(int(digits.labels[index]))
            tasks.append(_task(protocol, use, label, mask, digits.source, index))
    for use in needed:
        if use not in with_digit:
            blank = no_numeral_mask(spec)
            tasks += [_task(protocol, use, NO_NUMERAL, blank, None, k) for k in range(needed[use])]
    return tasks


def spare_digits(protocol: AcceptReject, digits: Digits) -> list[int]:
    """Return the indices of held-out digits that no pack of a protocol shows."""
    needed = tasks_needed(protocol)
    wanted = sum(count for use, count in needed.items() if not use.endswith(NO_NUMERAL))
    return _balanced(digits, protocol.seed)[wanted:]


def task_files(tasks: Sequence[Task], plates: Mapping[str, Plate]) -> dict[str, bytes]:
    """Return the table and the plates of a task pack, by path.

    Parameters
    ----------
    tasks
        The tasks.
    plates
        Their plates by item.
    """
    rows = [
        {
            "item": task.item,
            "plate_file": task.plate_file,
            "use": task.use,
            "true_label": task.true_label,
            "source": task.source,
            "source_index": task.source_index,
            "plate_seed": task.plate_seed,
            "packing_seed": task.packing_seed,
        }
        for task in sorted(tasks, key=lambda task: task.item)
    ]
    files = {task.plate_file: plate_bytes(plates[task.item]) for task in tasks}
    return {"tasks.csv": TASKS.to_csv(rows), **files}


def _task(
    protocol: AcceptReject, use: str, label: str, mask: Mask, source: str | None, index: int
) -> Task:
    key = (protocol.seed, use, source or NO_NUMERAL, index)
    return Task(
        item=f"i{hash_of(['item', *key])[:ID_DIGITS]}",
        use=use,
        true_label=label,
        source=source,
        source_index=index if source is not None else None,
        plate_seed=seed_of("plate", *key),
        packing_seed=seed_of("packing", *key),
        mask=mask,
    )


def _balanced(digits: Digits, seed: int) -> list[int]:
    """Return held-out indices in keyed order, alternating between numerals."""
    by_label: dict[int, list[int]] = {}
    for index in keyed_order((int(i) for i in digits.held_out_indices), seed, "digits"):
        by_label.setdefault(int(digits.labels[index]), []).append(index)
    turns = max(len(indices) for indices in by_label.values())
    labels = keyed_order(by_label, seed, "labels")
    return [
        by_label[label][turn]
        for turn in range(turns)
        for label in labels
        if turn < len(by_label[label])
    ]


def fresh_plates(
    protocol: AcceptReject, code: str, attempt: int, digits: Digits | None = None
) -> FreshPlates:
    """Return the plates of a person's titration.

    Parameters
    ----------
    protocol
        Its packs show none of these digits, and none of these dots.
    code, attempt
        The person, and the number of their titration, from 1; each uses different plates.
    digits
        Where digits come from; the protocol's source if None.

    Raises
    ------
    UserError
        If the source can't be read, or the packs leave no image of some numeral.
    """
    digits = load_digits(protocol.plates.source) if digits is None else digits
    key = ("titration", protocol.seed, code, attempt)
    images: dict[int, list[int]] = {numeral: [] for numeral in range(NUMERALS)}
    for index in keyed_order(spare_digits(protocol, digits), *key):
        images[int(digits.labels[index])].append(index)
    if not all(images.values()):
        raise UserError(
            f"digits {digits.source}: the packs of this protocol leave too few for a titration; "
            "take fewer trials_per_run or another plates.source"
        )
    spec = plate_spec(protocol.plates)

    def draw(number: int) -> tuple[Plate, int]:
        numeral = seed_of("numeral", *key, number) % NUMERALS
        # If images run out, they are used again on different dots.
        image = images[numeral][number % len(images[numeral])]
        seeds = (seed_of("plate", *key, number), seed_of("packing", *key, number))
        return make_plate(digit_mask(digits.images[image], spec), *seeds, spec), numeral

    plates = protocol.plates
    ladders: dict[Axis, tuple[float, ...]] = {axis: plates.ladder(axis) for axis in plates.axes}
    return FreshPlates(spec, MappingProxyType(ladders), plates.size_deg, draw)
