"""Which sealed packs a session can use, who may come next for a pack, and enrolling somebody."""

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from participants.day.figures import planned_people, samples_of
from participants.enrolment import LEAD, check_pack
from participants.folder import LabFolder
from participants.lists import ListOffer
from participants.new_person import NewPerson
from participants.overview.due import due
from participants.registry import Person, Registry, outbox
from participants.screening.records import enrol_by_hand
from participants.study import SessionKind, session_kind_of
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.pack import Pack
from stimuli.pack.folder import MANIFEST, open_lazily, read_manifest
from stimuli.pack.model import PackKind
from stimuli.protocol import protocol_hash


@dataclass(frozen=True, slots=True)
class FoundPack:
    """A pack of the lab.

    Attributes
    ----------
    folder
        The pack's folder.
    study
        The study's name in the catalogue; empty if the manifest can't be used.
    kind
        ``solutions`` (for `run`) or ``tasks`` (for `annotate`).
    languages
        The pack's languages.
    screens
        Whether people can be screened for it.
    refusal
        Why no session can be started with it; empty if one can.
    """

    folder: Path
    study: str = ""
    kind: PackKind = "solutions"
    languages: tuple[str, ...] = ()
    screens: bool = False
    refusal: str = ""


def found_packs(lab: LabFolder, more: Iterable[Path] = ()) -> tuple[FoundPack, ...]:
    """Return the packs in the lab folder and those in other given folders.

    Only manifests are read; a pack's seal is checked when somebody chooses the pack.

    Parameters
    ----------
    lab
        The lab folder, of which ``packs`` is searched as `run STUDY` does.
    more
        Folders of further packs.
    """
    of_lab = [path.parent for path in sorted(lab.packs.glob(f"*/{MANIFEST}"))]
    folders = dict.fromkeys([*(folder.expanduser().absolute() for folder in more), *of_lab])
    packs = (_pack_in(folder) for folder in folders)
    return tuple(pack for pack in packs if pack is not None)


def _pack_in(folder: Path) -> FoundPack | None:
    """Return the pack in a folder; None if no session shows packs of its kind."""
    try:
        manifest = read_manifest(folder)
        protocol = Pack(manifest, lambda path: b"").protocol
        study = protocol.catalogue_name
        if study not in studies_of("experiments"):
            raise UserError(f"{folder}: study {study} is not on this PC")
    except UserError as refusal:
        return FoundPack(folder, refusal=str(refusal))
    kinds = studies_of("experiments")[study].sessions
    if manifest.kind not in kinds:
        return None
    return FoundPack(
        folder,
        study,
        manifest.kind,
        tuple(protocol.languages),
        screens=manifest.kind == "solutions" and "screening" in kinds,
    )


When = Literal["overdue", "now", "later", "new"]
ORDER: Final[tuple[When, ...]] = ("now", "overdue", "later", "new")
"""Order in which people are shown."""
PEOPLE_S: Final = ("main", "pilot", "test")
"""Purposes that people are enrolled for."""
ROBOTS: Final = ("robot",)
CANDIDATE: Final = "participant"
"""Role of somebody who hasn't been screened yet."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Somebody who may come next.

    Attributes
    ----------
    code, purpose
        The person's code and purpose.
    when
        ``new`` for somebody who hasn't begun; else see `participants.overview.due.Due.when`.
    from_utc, until_utc
        When the session may continue, and until when the person's place is kept.
    rig
        The rig on which an unfinished session continues; empty for a new one.
    """

    code: str
    purpose: str
    when: When
    from_utc: str = ""
    until_utc: str | None = None
    rig: str = ""


@dataclass(frozen=True, slots=True)
class Enrolment:
    """The roles, purposes and places for enrolments with a pack.

    Attributes
    ----------
    roles
        Roles, the usual one first.
    purposes
        Purposes.
    places
        Axis and rung of each list for a lead; empty if lists are for anybody.
    """

    roles: tuple[str, ...]
    purposes: tuple[str, ...]
    places: tuple[tuple[str, int], ...]


def candidates(lab: LabFolder, pack: FoundPack, *, robots: bool) -> tuple[Candidate, ...]:
    """Return the people who may come next for a pack, those who are due first.

    Parameters
    ----------
    lab, pack
        The lab folder with the registry, and the pack to show.
    robots
        Return codes of robots instead of people's.
    """
    opened = open_lazily(pack.folder)
    study, roles = opened.manifest.study, _roles(pack, session_kind_of(opened))
    with closing(Registry.of(lab)) as registry:
        # As in `participants due`: after a failure the journal may be ahead of the registry.
        outbox.catch_up(lab.data, registry)
        people = {
            person.code: person for person in registry.list() if _fits(person, roles, robots=robots)
        }
        waiting = [
            visit for visit in due(lab, registry) if visit.study == study and visit.code in people
        ]
    coming = [
        Candidate(
            visit.code, visit.purpose, _when(visit.when), visit.from_utc, visit.until_utc, visit.rig
        )
        for visit in waiting
    ]
    new = [
        Candidate(person.code, person.purpose, "new")
        for person in people.values()
        if person.sessions == 0
    ]
    return tuple(sorted([*coming, *new], key=lambda candidate: ORDER.index(candidate.when)))


@dataclass(frozen=True, slots=True)
class HowFar:
    """How far a pack's sample is.

    Attributes
    ----------
    complete
        People of purpose main who completed it.
    planned
        How many its preregistration plans; None without one in the lab folder.
    """

    complete: int
    planned: int | None

    @property
    def is_full(self) -> bool:
        """Whether as many people as are planned have completed it."""
        return self.planned is not None and self.complete >= self.planned


def how_far(lab: LabFolder, packs: Iterable[FoundPack]) -> dict[Path, HowFar]:
    """Return how far the samples of the packs that people's sessions show are, by folder."""
    with closing(Registry.of(lab)) as registry:
        samples = {sample.pack_id: sample.complete for sample in samples_of(lab, registry)}
    by_folder = {}
    for pack in packs:
        if not pack.refusal and pack.kind == "solutions":
            manifest = read_manifest(pack.folder)
            rules = protocol_hash(Pack(manifest, lambda path: b"").protocol)
            complete = samples.get(manifest.pack_id, 0)
            by_folder[pack.folder] = HowFar(complete, planned_people(lab, rules))
    return by_folder


def comes_again(lab: LabFolder, code: str) -> str:
    """Return from when somebody may come again, ISO 8601; empty for at once, or never."""
    with closing(Registry.of(lab)) as registry:
        waits = (wait for wait in due(lab, registry) if (wait.code, wait.when) == (code, "later"))
        return next((wait.from_utc for wait in waits), "")


def enrolment_for(pack: FoundPack, *, robots: bool) -> Enrolment:
    """Return the possible enrolments with a pack."""
    opened = open_lazily(pack.folder)
    kind = session_kind_of(opened)
    offers: tuple[ListOffer, ...] = kind.offers(opened) if kind.role == LEAD else ()
    places = sorted({(offer.axis, offer.rung) for offer in offers if offer.axis and offer.rung})
    purposes = ROBOTS if robots else PEOPLE_S
    roles = kind.roles[:1] if robots else _roles(pack, kind)
    return Enrolment(roles, purposes, tuple(places))


def enrol_here(lab: LabFolder, pack: FoundPack, new: NewPerson) -> str:
    """Enrol somebody for a pack, and return the new code.

    Raises
    ------
    UserError
        If no list of the pack fits the person, or role, axis and rung don't go together.
    """
    if new.role == session_kind_of(open_lazily(pack.folder)).role:
        check_pack(pack.folder, new)
    with closing(Registry.of(lab)) as registry:
        return enrol_by_hand(registry, new)[0]


def _roles(pack: FoundPack, kind: SessionKind) -> tuple[str, ...]:
    """Return the roles of people who may come, including candidates if the pack has a screening."""
    return (CANDIDATE, *kind.roles) if pack.screens else kind.roles


def _fits(person: Person, roles: tuple[str, ...], *, robots: bool) -> bool:
    fits = person.role in roles and not person.withdrawn
    return fits and (person.purpose == "robot") == robots


def _when(text: str) -> When:
    return next(when for when in ORDER if when == text)
