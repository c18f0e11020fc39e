"""Map sets from experts' journals: what they answered and where they painted."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from participants.dataset.experts import ExpertSession, expert_sessions
from participants.folder import DataFolder
from participants.painting import map_of
from stimuli.errors import UserError
from stimuli.maps import MapRecord, MapSet, write_map_set
from stimuli.studies.accept_reject.tables import NO_SOLUTION

PAINTING: Final = "painting"
USUAL_PURPOSE: Final = "main"


@dataclass(frozen=True, slots=True)
class Gathered:
    """The paintings of some experts, and what was decided about each.

    Attributes
    ----------
    map_set
        One record an expert and plate, the practice left out.
    experts
        The sessions whose paintings are in it.
    left_out
        Why a session is not, by its id.
    purpose
        What the sessions were for.
    """

    map_set: MapSet
    experts: tuple[ExpertSession, ...]
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

    An expert whose share of right answers to the controls lies below the protocol's
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
    found, unreadable = expert_sessions(data)
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


def _gathered(
    experts: Sequence[ExpertSession], left_out: Mapping[str, str], purpose: str
) -> Gathered:
    records, maps = [], {}
    for expert in experts:
        for painted in expert.plates:
            name = f"{expert.participant}-{painted.item}"
            if painted.label != NO_SOLUTION:
                maps[name] = map_of(painted.mask)
            records.append(
                MapRecord(
                    map=name,
                    item=painted.item,
                    source="expert",
                    solver_id=expert.participant,
                    method=PAINTING,
                    axis=painted.axis,
                    rung=painted.rung,
                    answer=painted.label,
                    confidence=None,
                    rt_s=painted.rt_s,
                )
            )
    return Gathered(MapSet(tuple(records), maps), tuple(experts), dict(left_out), purpose)


def _purpose(found: Sequence[ExpertSession], asked: str | None, data: DataFolder) -> str:
    there = Counter(expert.purpose for expert in found)
    wanted = asked or USUAL_PURPOSE
    if wanted in there:
        return wanted
    if asked is None and len(there) == 1:
        return next(iter(there))
    known = ", ".join(f"{count} of {purpose}" for purpose, count in sorted(there.items()))
    raise UserError(f"{data.root}: no expert's session of purpose {wanted}; there is: {known}")


def _pack(found: Sequence[ExpertSession], asked: str | None, data: DataFolder) -> str:
    there = sorted({expert.pack_id for expert in found})
    fit = [pack for pack in there if asked is None or pack.startswith(asked)]
    if len(fit) == 1:
        return fit[0]
    known = ", ".join(there)
    if not fit:
        raise UserError(f"--pack {asked}: no expert painted that; there is: {known}")
    raise UserError(f"{data.root}: experts painted several packs ({known}); choose by --pack")


def _why_not(expert: ExpertSession, *, keep_failed: bool) -> str:
    """Return why an expert's paintings can't be taken; empty if they can."""
    if not expert.complete:
        return "is not complete; annotate with the same code goes on with it"
    if expert.failed and not keep_failed:
        return (
            f"{expert.participant} answered {expert.right} of {expert.controls} controls rightly, "
            f"fewer than {expert.least_share:.0%}; --keep-failed takes the paintings all the same"
        )
    try:
        for painted in expert.plates:
            _ = painted.mask
    except UserError as error:
        return str(error)
    return ""
