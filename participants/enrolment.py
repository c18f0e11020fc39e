"""Whether a pack has a list for the axis and rung that a lead is enrolled with."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from participants.folder import LabFolder
from participants.lists import ListOffer, fitting, places_of
from participants.new_person import NewPerson
from participants.study import session_kind_of
from stimuli.errors import UserError
from stimuli.pack import Pack, open_pack
from stimuli.pack.folder import MANIFEST, open_lazily

LEAD: Final = "lead"
UNCHECKED: Final = (
    "no pack in the lab folder has plates to check axis and rung against; --pack DIR checks them"
)


def check_pack(folder: Path, new: NewPerson) -> None:
    """Refuse a person for whom a pack has no list.

    Parameters
    ----------
    folder
        The pack.
    new
        Role, axis and rung of the new person.

    Raises
    ------
    UserError
        If the pack is for another role, has no list for this axis and rung, or can't be read.
    """
    pack = open_pack(folder)
    wanted = session_kind_of(pack).role
    if wanted != new.role:
        raise UserError(f"--pack {folder}: is for the role {wanted}, not {new.role}")
    if new.role == LEAD:
        fitting(session_kind_of(pack).offers(pack), new.axis, new.rung)


def check_known_packs(lab: LabFolder, new: NewPerson) -> str | None:
    """Refuse a lead for whom no pack that a lab knows has a list.

    Returns
    -------
    str or None
        What couldn't be checked, if something couldn't.

    Raises
    ------
    UserError
        If no pack has such a list, or the lead has no axis and every pack needs one.
    """
    known = [offers for pack in _packs(lab) if (offers := _offers(pack))]
    if new.axis is None:
        if not any(offer.axis is None for offers in known for offer in offers):
            raise UserError(
                "a lead needs --axis and --rung, which plates are made for; to find them enrol "
                "with --role participant and use screen; if the lead's pack shows no plates, name "
                "it with --pack DIR"
            )
        return None
    places = [offer for offers in known for offer in offers if offer.axis is not None]
    if not places:
        return UNCHECKED
    if not any((offer.axis, offer.rung) == (new.axis, new.rung) for offer in places):
        raise UserError(
            f"no pack in the lab folder has a list for {new.axis} rung {new.rung}; they have: "
            f"{places_of(places)}; if the lead's pack is elsewhere, name it with --pack DIR"
        )
    return None


def _packs(lab: LabFolder) -> Iterator[Pack]:
    """Yield the packs in the lab folder, and the copies in its data folder."""
    for place in (lab.packs, lab.data.packs):
        for path in sorted(place.glob(f"*/{MANIFEST}")):
            # A damaged pack is refused where it is used.
            with suppress(UserError):
                yield open_lazily(path.parent)


def _offers(pack: Pack) -> Sequence[ListOffer]:
    """Return a pack's lists if it is for leads and can be read."""
    try:
        kind = session_kind_of(pack)
        return kind.offers(pack) if kind.role == LEAD else ()
    except (UserError, OSError):
        return ()
