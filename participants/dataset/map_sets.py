"""Map sets from journals: read back sessions in which people painted or marked stimuli by hand."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from participants.dataset.custody import Roll
from participants.dataset.fields import TakenSession
from participants.dataset.journals import open_pack_copy, read_journals, within
from participants.folder import DataFolder
from participants.journal import Journal
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.maps.map_set import MapRecord, MapSet, write_map_set
from stimuli.maps.origin import PEOPLE, RESPONSE_MODEL, robot_id
from stimuli.pack import Pack

Map = NDArray[np.float32]
USUAL_PURPOSE: Final = "main"


@dataclass(frozen=True)
class MarkingSession(TakenSession):
    """One person's session in which stimuli were painted or marked; a study adds the markings."""

    @property
    def session(self) -> str:
        """The session's id."""
        return str(self.header["session"])

    @property
    def participant(self) -> str:
        """The person's code."""
        return str(self.header["participant"])

    @property
    def purpose(self) -> str:
        """What the session was for."""
        return str(self.header["purpose"])

    @property
    def pack_id(self) -> str:
        """The pack that it showed."""
        return str(self.header["pack_id"])

    @property
    def robot(self) -> str:
        """The robot that took part; empty for a person."""
        return str(self.header["robot"])

    @property
    def complete(self) -> bool:
        """Whether it is complete."""
        return self.journal.complete

    @property
    def remark(self) -> str:
        """What was done, in a few words."""
        raise NotImplementedError

    def marks(self) -> Iterator[tuple[MapRecord, Map | None]]:
        """Yield a record and a map for each stimulus; an abstention has no map.

        Raises
        ------
        UserError
            If a map that follows from the strokes isn't the one that was on screen.
        """
        raise NotImplementedError

    def refusal(self) -> str:
        """Return why the maps shouldn't be used, such as failed controls; else empty."""
        return ""

    def record(self, item: str, method: str, **more: Any) -> MapRecord:
        """Return the record of a stimulus that the person, or a robot in place of one, marked."""
        who = robot_id(self.participant) if self.robot else self.participant
        return MapRecord(
            map=f"{self.participant}-{item}",
            item=item,
            source="expert",
            solver_id=who,
            method=method,
            confidence=None,
            origin=RESPONSE_MODEL if self.robot else PEOPLE,
            origin_note=who,
            **more,
        )


Marking = TypeVar("Marking", bound=MarkingSession)


def marking_sessions(
    data: DataFolder, study: str, make: Callable[[Journal, Pack], Marking]
) -> tuple[list[Marking], dict[str, str]]:
    """Return the marking sessions of a study, and why others can't be read, by their ids.

    Parameters
    ----------
    data
        Where they are; sessions of people who took their data back are left out.
    study
        Whose sessions.
    make
        Makes the session from a journal and the data folder's copy of its pack; may raise
        UserError.
    """
    sessions: list[Marking] = []
    roll = Roll.at_hand(data)
    journals, unreadable = read_journals(data, roll)
    withdrawn = roll.gone(journals.values())
    for session, journal in journals.items():
        header = journal.header
        if not _is_experts(journal, study) or header["participant"] in withdrawn:
            continue
        try:
            sessions.append(make(journal, open_pack_copy(data, str(header["pack_id"]))))
        except UserError as error:
            unreadable[session] = f"{session}: {within(data, error)}"
    return sessions, unreadable


def _is_experts(journal: Journal, study: str) -> bool:
    return (journal.header["study"], journal.header["role"]) == (study, "expert")


@dataclass(frozen=True, slots=True)
class Gathered:
    """Experts' paintings or bubbles, and which sessions were used or left out.

    Attributes
    ----------
    map_set
        One record for each expert and plate or image, without practice.
    experts
        The sessions whose paintings are in it.
    left_out
        Why other sessions were left out, by id.
    purpose
        What the sessions were for.
    suspect
        Why sessions can't be trusted, one line each; they are left out, too.
    """

    map_set: MapSet
    experts: tuple[MarkingSession, ...]
    left_out: Mapping[str, str]
    purpose: str
    suspect: tuple[str, ...] = ()


def gather(
    data: DataFolder,
    *,
    purpose: str | None = None,
    pack_id: str | None = None,
    sessions: frozenset[str] | None = None,
    keep_failed: bool = False,
) -> Gathered:
    """Return the map set of a data folder's complete expert sessions with one task pack.

    The study decides what a map holds. People who failed the study's controls are left out, and
    named.

    Parameters
    ----------
    data
        The data folder.
    purpose
        Purpose of the sessions; by default main or, if no session has it, the only purpose there
        is.
    pack_id
        Which task pack, by the beginning of its id; needed if there are several.
    sessions
        Use only these complete sessions, whatever their purpose and their controls.
    keep_failed
        Keep experts who failed the controls.

    Raises
    ------
    UserError
        If nothing is left, or the purpose or the pack isn't clear: one line.
    """
    experts, unreadable = _sessions(data)
    if sessions is not None:
        chosen = [expert for expert in experts if expert.session in sessions]
        return _gathered(chosen, {}, chosen[0].purpose if chosen else USUAL_PURPOSE)
    if not experts:
        raise UserError(
            f"{data.root}: contains no expert's session; see: python3 lab.py annotate --help"
        )
    purpose = _purpose(experts, purpose, data)
    experts = [expert for expert in experts if expert.purpose == purpose]
    pack = _pack(experts, pack_id, data)
    left_out: dict[str, str] = {}
    kept = []
    for expert in (expert for expert in experts if expert.pack_id == pack):
        reason = _why_not(expert, keep_failed=keep_failed)
        if reason:
            left_out[expert.session] = reason
        else:
            kept.append(expert)
    if not kept:
        lines = [
            *unreadable.values(),
            *(f"{session}: {reason}" for session, reason in left_out.items()),
        ]
        reasons = "; ".join(lines)
        raise UserError(f"{data.root}: no expert's paintings can be taken ({reasons})")
    return replace(_gathered(kept, left_out, purpose), suspect=tuple(unreadable.values()))


def write_gathered(folder: Path, gathered: Gathered) -> None:
    """Write a map set into a folder, which is made; UserError if it can't be written."""
    try:
        write_map_set(folder, gathered.map_set)
    except OSError as error:
        raise UserError(f"{folder}: can't be written ({error.strerror})") from None


def _sessions(data: DataFolder) -> tuple[list[MarkingSession], dict[str, str]]:
    """Return all sessions with maps, of all studies, and why others can't be read."""
    experts: list[MarkingSession] = []
    unreadable: dict[str, str] = {}
    for study in studies_of("participants").values():
        for kind in study.sessions.values():
            if kind.markings is not None:
                sessions, failed = kind.markings(data)
                experts += sessions
                unreadable |= failed
    return sorted(experts, key=lambda expert: expert.session), unreadable


def _gathered(
    experts: Sequence[MarkingSession], left_out: Mapping[str, str], purpose: str
) -> Gathered:
    marks = [mark for expert in experts for mark in expert.marks()]
    maps = {record.map: values for record, values in marks if values is not None}
    map_set = MapSet(tuple(record for record, _ in marks), maps)
    return Gathered(map_set, tuple(experts), dict(left_out), purpose)


def _purpose(experts: Sequence[MarkingSession], purpose: str | None, data: DataFolder) -> str:
    there = Counter(expert.purpose for expert in experts)
    wanted = purpose or USUAL_PURPOSE
    if wanted in there:
        return wanted
    if purpose is None and len(there) == 1:
        return next(iter(there))
    counts = ", ".join(f"{count} of {name}" for name, count in sorted(there.items()))
    raise UserError(f"{data.root}: no expert's session of purpose {wanted}; there are: {counts}")


def _pack(experts: Sequence[MarkingSession], prefix: str | None, data: DataFolder) -> str:
    there = sorted({expert.pack_id for expert in experts})
    fit = [pack for pack in there if prefix is None or pack.startswith(prefix)]
    if len(fit) == 1:
        return fit[0]
    names = ", ".join(there)
    if not fit:
        raise UserError(f"--pack {prefix}: no expert painted that; take one of {names}")
    raise UserError(f"{data.root}: experts painted several packs ({names}); choose by --pack")


def _why_not(expert: MarkingSession, *, keep_failed: bool) -> str:
    """Return why an expert's markings can't be used; empty if they can."""
    if not expert.complete:
        return "is not complete; annotate with the same code goes on with it"
    if (reason := expert.refusal()) and not keep_failed:
        return f"{reason}; --keep-failed takes the paintings all the same"
    try:
        for _ in expert.marks():
            pass
    except UserError as error:
        return str(error)
    return ""
