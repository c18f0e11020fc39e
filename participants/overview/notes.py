"""Notes on people and on the lab: incidents, compensation, anything else; never names."""

import re
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection, insert, select

from participants.clock import utc_text
from participants.journal.events import LONGEST_NOTE
from participants.registry import Registry
from participants.registry.sessions import person_row
from participants.registry.tables import NOTE_KINDS, notes, people
from stimuli.errors import UserError

E_MAIL: Final = re.compile(r"\S+@\S+")
# Dates, times and the ids of sessions are digits that reach nobody.
TIMES: Final = re.compile(
    r"\d{8}T\d{6}Z|\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\.\s?\d{1,2}\.\s?\d{4}|\d{1,2}/\d{1,2}/\d{4}"
    r"|\d{1,2}:\d{2}(:\d{2})?"
)
TELEPHONE: Final = re.compile(r"(?<![\w.])\+?\(?\d(?:[\s()/.-]{0,2}\d){6,}")


def check_nameless(text: str) -> str:
    """Return a note without spaces around it.

    Raises
    ------
    UserError
        If it is empty or too long, or holds what looks like an e-mail address or a telephone
        number: a note names nobody.
    """
    text = text.strip()
    if not 0 < len(text) <= LONGEST_NOTE:
        raise UserError(f"a note has 1 to {LONGEST_NOTE} characters; this one has {len(text)}")
    for what, found in (
        ("an e-mail address", E_MAIL.search(text)),
        ("a telephone number", TELEPHONE.search(TIMES.sub(" ", text))),
    ):
        if found:
            raise UserError(
                f"{found.group().strip()!r} looks like {what}: notes name nobody; keep contacts "
                "outside the lab folder"
            )
    return text


def note(registry: Registry, kind: str, text: str, code: str | None = None) -> None:
    """Enter a note.

    Parameters
    ----------
    registry
        The lab's registry.
    kind
        incident, compensation or note.
    text
        What happened; see `check_nameless`.
    code
        Whom it is about; None for the lab.

    Raises
    ------
    UserError
        If the kind or the code is unknown, the person has withdrawn, or the text of a note on
        the lab has somebody's code in it.
    """
    if kind not in NOTE_KINDS:
        raise UserError(f"no kind of note {kind!r}; take one of {', '.join(NOTE_KINDS)}")
    nameless = check_nameless(text)
    row = {"code": code, "kind": kind, "text": nameless}

    def work(connection: Connection) -> None:
        if code is not None:
            person_row(connection, code)
        _refuse_codes(connection, nameless, code)
        connection.execute(insert(notes).values(noted_utc=utc_text(registry.now()), **row))

    registry.transact(work)


def notes_of(connection: Connection) -> tuple[Mapping[str, Any], ...]:
    """Return all notes, oldest first: when, kind, code (None for the lab's) and text."""
    columns = (notes.c.noted_utc, notes.c.kind, notes.c.code, notes.c.text)
    rows = connection.execute(select(*columns).order_by(notes.c.id))
    return tuple(dict(row._mapping) for row in rows)


def _refuse_codes(connection: Connection, text: str, own: str | None) -> None:
    """Refuse a note with the code of somebody else: it would outlive that person's withdrawal."""
    for code in connection.scalars(select(people.c.code)):
        if code in text and code != own:
            raise UserError(
                f"the note names {code}; say whom it is about with --code, once for each"
            )
