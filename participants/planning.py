"""What every study does when it plans a session from a pack."""

import math
from collections.abc import Collection, Iterable, Mapping
from itertools import takewhile
from typing import Any, Final

from participants.registry import Assignment
from participants.session import Consent, Page, Question, SessionPlan, Step
from participants.session.about_oneself import demographics_form
from stimuli.errors import UserError
from stimuli.io.tables import Row, TableSchema
from stimuli.maps.origin import PEOPLE, RESPONSE_MODEL, Origin
from stimuli.pack import Pack
from stimuli.pack.model import PackKind
from stimuli.protocol import Answers

MINUTES_STEP: Final = 5
BUTTONS: Final = ("left", "right")
# Where nobody noted it, no robot did it: people did.
SOURCES: Final[Mapping[str, str]] = {
    PEOPLE: "debrief_people",
    RESPONSE_MODEL: "debrief_simulated",
    "": "debrief_people",
}
TAKEN_OVER: Final = "debrief_imported"


def rules_of(pack: Pack, study: str, kind: PackKind, whose: str, language: str) -> Any:
    """Return the protocol of a pack from which a session is planned, typed as its study has it.

    Parameters
    ----------
    pack
        The pack.
    study, kind
        What it must be.
    whose
        Whose session needs it, such as ``a lead's``.
    language
        Of the session.

    Raises
    ------
    UserError
        If it is another pack, or its protocol doesn't offer the language.
    """
    manifest, protocol = pack.manifest, pack.protocol
    if (manifest.study, manifest.kind) != (study, kind):
        raise UserError(
            f"pack {pack.pack_id}: is a pack of {manifest.kind} of {manifest.study}; "
            f"{whose} session needs {kind} of {study}"
        )
    if language not in protocol.languages:
        raise UserError(f"language {language!r}: the protocol has {', '.join(protocol.languages)}")
    return protocol


def given_place(given: Assignment | None, orders: Collection[str], why: str = "") -> Assignment:
    """Return what a person was given; UserError, which may say why, if it is no such order."""
    assert given is not None
    if given.order not in orders:
        raise UserError(f"order {given.order!r}: is not {' or '.join(orders)}{why}")
    return given


def sided_keys(session: Answers, choices: tuple[str, str], side: str) -> dict[str, str]:
    """Return the key (or button) of each of two choices, where the first lies on a side."""
    keys = BUTTONS if session.device == "mouse" else (session.left_key, session.right_key)
    return dict(zip(choices, keys if side == "left" else keys[::-1], strict=True))


def plan_of(
    pack: Pack, given: Assignment | None, language: str, steps: Iterable[Step], **more: Any
) -> SessionPlan:
    """Return a plan from a pack.

    Parameters
    ----------
    pack, language, steps
        What the session shows.
    given
        The person's list and order; None where everybody is shown the same.
    **more
        Further attributes of the plan.
    """
    return SessionPlan(
        study=pack.manifest.study,
        pack_id=pack.pack_id,
        protocol_hash=pack.manifest.protocol_hash,
        list_id=given.list if given else "",
        order=given.order if given else "",
        language=language,
        steps=_with_form(tuple(steps)) if pack.protocol.demographics else tuple(steps),
        **more,
    )


def _with_form(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return steps with the form about oneself after the consent and the questions with it."""
    opening = tuple(takewhile(lambda step: isinstance(step, Consent | Question), steps))
    return (*opening, demographics_form(), *steps[len(opening) :])


def minutes_told(tasks: int, expected_s: float) -> str:
    """Return how long tasks of some seconds each take: whole fives of minutes, rounded up."""
    return str(MINUTES_STEP * max(1, math.ceil(tasks * expected_s / 60 / MINUTES_STEP)))


def sources_page(origin: Origin) -> Page:
    """Return the debrief's page that says who made what a pack shows as people's."""
    return Page("debrief_sources", SOURCES.get(origin.kind, TAKEN_OVER))


def rows_of_list(pack: Pack, schema: TableSchema, list_id: str, part: str) -> list[Row]:
    """Return a list's rows of ``lists.csv``, in the order in which they are shown.

    Parameters
    ----------
    pack, schema
        The pack, and the schema of its lists.
    list_id
        Which list.
    part
        The column that says of which part of the session a row is, e.g. ``run``.

    Raises
    ------
    UserError
        If the pack has no such list.
    """
    rows = pack.table(schema)
    own = [row for row in rows if row["list"] == list_id]
    if not own:
        known = ", ".join(sorted({str(row["list"]) for row in rows}))
        raise UserError(f"pack {pack.pack_id}: has no list {list_id!r}; it has {known}")
    return sorted(own, key=lambda row: (row[part], row["position"]))


def require_shown(pack: Pack, wanted: Collection[str], there: Collection[str]) -> None:
    """Raise UserError if a list shows a presentation that ``items.csv`` doesn't have."""
    missing = sorted(set(wanted) - set(there))
    if missing:
        raise UserError(f"pack {pack.pack_id}: lists.csv shows {missing[0]!r}, items.csv has none")
