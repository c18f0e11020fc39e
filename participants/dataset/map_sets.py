"""Map sets from experts' journals: what they answered and painted, or marked by bubbles."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from participants.folder import DataFolder
from participants.strokes.painting import map_of
from participants.studies.accept_reject.expert_sessions import (
    ExpertSession,
    PaintedPlate,
    expert_sessions,
)
from participants.studies.progressive_reveal.bubbling_sessions import (
    BubbledImage,
    BubblingSession,
    bubbling_sessions,
)
from stimuli.errors import UserError
from stimuli.images.predictions import NO_SOLUTION
from stimuli.maps.map_set import MapRecord, MapSet, write_map_set

PAINTING: Final = "painting"
BUBBLES: Final = "bubbles"
USUAL_PURPOSE: Final = "main"

Painter = ExpertSession | BubblingSession
Map = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Gathered:
    """The paintings of some experts, or their bubbles, and what was decided about each.

    Attributes
    ----------
    map_set
        One record an expert and plate or image, the practice left out.
    experts
        The sessions whose paintings are in it.
    left_out
        Why a session is not, by its id.
    purpose
        What the sessions were for.
    """

    map_set: MapSet
    experts: tuple[Painter, ...]
    left_out: Mapping[str, str]
    purpose: str


def gather(
    data: DataFolder,
    *,
    purpose: str | None = None,
    pack_id: str | None = None,
    sessions: frozenset[str] | None = None,
    keep_failed: bool = False,
) -> Gathered:
    """Return the map set of a data folder's complete expert sessions with one task pack.

    What was painted on plates gives the painted share of each pixel, what was bubbled the number
    of bubbles. An expert whose share of right answers to the controls lies below the protocol's
    ``analysis.compliance_minimum`` is left out, and named.

    Parameters
    ----------
    data
        The data folder.
    purpose
        Whose paintings; main by default, or where there are none the one purpose that there is.
    pack_id
        Which task pack, by its id's beginning; needed where there are several.
    sessions
        These alone, complete ones, whatever their purpose and their controls.
    keep_failed
        Keep experts who failed the controls.

    Raises
    ------
    UserError
        If nothing is left, or the purpose or the pack isn't clear: one line.
    """
    found, unreadable = _sessions(data)
    if sessions is not None:
        chosen = [expert for expert in found if expert.session in sessions]
        return _gathered(chosen, {}, chosen[0].purpose if chosen else USUAL_PURPOSE)
    if not found:
        raise UserError(f"{data.root}: holds no expert's session; see: lab.py annotate --help")
    purpose = _purpose(found, purpose, data)
    found = [expert for expert in found if expert.purpose == purpose]
    pack = _pack(found, pack_id, data)
    left_out = dict(unreadable)
    kept = []
    for expert in (expert for expert in found if expert.pack_id == pack):
        reason = _why_not(expert, keep_failed=keep_failed)
        if reason:
            left_out[expert.session] = reason
        else:
            kept.append(expert)
    if not kept:
        reasons = "; ".join(f"{session}: {reason}" for session, reason in left_out.items())
        raise UserError(f"{data.root}: no expert's paintings can be taken ({reasons})")
    return _gathered(kept, left_out, purpose)


def write_gathered(folder: Path, gathered: Gathered) -> None:
    """Write a map set into a folder, which is made; UserError if it can't be written."""
    try:
        write_map_set(folder, gathered.map_set)
    except OSError as error:
        raise UserError(f"{folder}: can't be written ({error.strerror})") from None


def _sessions(data: DataFolder) -> tuple[list[Painter], dict[str, str]]:
    """Return all experts' sessions, of plates and of images, and why others can't be read."""
    painted, unreadable = expert_sessions(data)
    bubbled, _ = bubbling_sessions(data)
    found: list[Painter] = [*painted, *bubbled]
    return sorted(found, key=lambda expert: expert.session), unreadable


def _gathered(experts: Sequence[Painter], left_out: Mapping[str, str], purpose: str) -> Gathered:
    marks = [mark for expert in experts for mark in _marks(expert)]
    maps = {record.map: values for record, values in marks if values is not None}
    map_set = MapSet(tuple(record for record, _ in marks), maps)
    return Gathered(map_set, tuple(experts), dict(left_out), purpose)


def _marks(expert: Painter) -> Iterator[tuple[MapRecord, Map | None]]:
    """Yield a record of each plate or image, with its map; an abstention has none."""
    if isinstance(expert, ExpertSession):
        for plate in expert.plates:
            values = None if plate.label == NO_SOLUTION else map_of(plate.mask)
            yield _record_of_plate(expert.participant, plate), values
    else:
        for image in expert.images:
            yield _record_of_image(expert.participant, image), image.counts


def _record_of_plate(participant: str, plate: PaintedPlate) -> MapRecord:
    return MapRecord(
        map=f"{participant}-{plate.item}",
        item=plate.item,
        source="expert",
        solver_id=participant,
        method=PAINTING,
        axis=plate.axis,
        rung=plate.rung,
        answer=plate.label,
        confidence=None,
        rt_s=plate.rt_s,
    )


def _record_of_image(participant: str, image: BubbledImage) -> MapRecord:
    return MapRecord(
        map=f"{participant}-{image.item}",
        item=image.item,
        source="expert",
        solver_id=participant,
        method=BUBBLES,
        axis=None,
        rung=None,
        answer=image.class_id,
        confidence=None,
        rt_s=image.done_s,
    )


def _purpose(found: Sequence[Painter], asked: str | None, data: DataFolder) -> str:
    there = Counter(expert.purpose for expert in found)
    wanted = asked or USUAL_PURPOSE
    if wanted in there:
        return wanted
    if asked is None and len(there) == 1:
        return next(iter(there))
    known = ", ".join(f"{count} of {purpose}" for purpose, count in sorted(there.items()))
    raise UserError(f"{data.root}: no expert's session of purpose {wanted}; there is: {known}")


def _pack(found: Sequence[Painter], asked: str | None, data: DataFolder) -> str:
    there = sorted({expert.pack_id for expert in found})
    fit = [pack for pack in there if asked is None or pack.startswith(asked)]
    if len(fit) == 1:
        return fit[0]
    known = ", ".join(there)
    if not fit:
        raise UserError(f"--pack {asked}: no expert painted that; there is: {known}")
    raise UserError(f"{data.root}: experts painted several packs ({known}); choose by --pack")


def _why_not(expert: Painter, *, keep_failed: bool) -> str:
    """Return why what an expert marked can't be taken; empty if it can."""
    if not expert.complete:
        return "is not complete; annotate with the same code goes on with it"
    if isinstance(expert, ExpertSession) and expert.failed and not keep_failed:
        return (
            f"{expert.participant} answered {expert.right} of {expert.controls} controls rightly, "
            f"fewer than {expert.least_share:.0%}; --keep-failed takes the paintings all the same"
        )
    try:
        for _ in _marks(expert):
            pass
    except UserError as error:
        return str(error)
    return ""
