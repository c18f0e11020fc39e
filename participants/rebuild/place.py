"""The place of the design that a journal's person holds, from the journal and the pack's copy."""

from dataclasses import dataclass

from participants.dataset.pack_copy import open_pack_copy
from participants.folder import DataFolder
from participants.journal import Journal
from participants.registry import Assignment
from participants.study import ANYWHERE, Place, SessionKind, session_kind_of
from stimuli.errors import UserError
from stimuli.pack import Pack


@dataclass(frozen=True, slots=True)
class Held:
    """What a journal tells of its person's place.

    Attributes
    ----------
    place
        Axis and rung of the person's list.
    given
        List, order and side of acceptance; None where everybody is shown the same.
    """

    place: Place = ANYWHERE
    given: Assignment | None = None


def held_in(data: DataFolder, journal: Journal) -> Held | None:
    """Return the place that a journal's person holds; None without the pack's copy.

    Parameters
    ----------
    data
        The data folder, which keeps copies of packs.
    journal
        A session's.
    """
    header = journal.header
    try:
        pack = open_pack_copy(data, str(header["pack_id"]))
        kind = session_kind_of(pack)
        if kind.orders is None:
            return Held()
        offers = {offer.list: offer for offer in kind.offers(pack)}
    except (UserError, KeyError):
        return None
    offer = offers.get(str(header["list"]))
    place = ANYWHERE if offer is None else (offer.axis, offer.rung)
    given = Assignment(header["list"], header["order"], _side(kind, pack, journal))
    return Held(place, given)


def _side(kind: SessionKind, pack: Pack, journal: Journal) -> str | None:
    """Return the side that gives a plan with the keys that were pressed; None if unclear."""
    pressed = _pressed(journal)
    fit = [side for side in kind.sides if _agree(kind, pack, journal, side, pressed)]
    return fit[0] if len(fit) == 1 else None


def _agree(
    kind: SessionKind, pack: Pack, journal: Journal, side: str, pressed: set[tuple[str, str]]
) -> bool:
    header = journal.header
    given = Assignment(header["list"], header["order"], side)
    try:
        plan = kind.plan(pack, given, str(header["language"]), str(header["participant"]))
    except (UserError, KeyError):
        return False
    stated = {("accept", header["accept_key"]), ("reject", header["reject_key"])}
    told = pressed | {(answer, key) for answer, key in stated if key}
    return bool(told) and all(plan.keys.get(answer, key) == key for answer, key in told)


def _pressed(journal: Journal) -> set[tuple[str, str]]:
    """Return which keys gave which decisions, from the last press of each trial."""
    keys: dict[int, str] = {}
    told: set[tuple[str, str]] = set()
    for event in journal.of("response", "trial_end"):
        if event.event == "response":
            keys[event["trial"]] = str(event["key"])
        elif event["trial"] in keys and "decision" in event.fields:
            told.add((str(event["decision"]), keys[event["trial"]]))
    return told
