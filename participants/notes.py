"""Notes on people and on the lab: incidents, compensation, anything else; never names.

One rule holds for everything that an experimenter writes: notes and reasons name nobody. Names
can't be recognised in general. What looks like a contact, a title with a name or a participant code
(however it is written) is refused before it is saved, because a journal can't be corrected.
"""

import re
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Connection, insert, select

from participants.clock import utc_text
from participants.folder import DataFolder, SessionPaths
from participants.registry import Registry
from participants.registry.people import LENGTH, LETTERS, SIGNS, check_code
from participants.registry.sessions import person_row
from participants.registry.tables import NOTE_KINDS, notes
from stimuli.errors import UserError

E_MAIL: Final = re.compile(r"\S+@\S+")
# Dates, times and session ids are digits that aren't telephone numbers.
TIMES: Final = re.compile(
    r"\d{8}T\d{6}Z|\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\.\s?\d{1,2}\.\s?\d{4}|\d{1,2}/\d{1,2}/\d{4}"
    r"|\d{1,2}:\d{2}(:\d{2})?"
)
TELEPHONE: Final = re.compile(r"(?<![\w.])\+?\(?\d(?:[\s()/.-]{0,2}\d){6,}")
TITLED: Final = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof|Herrn?|Frau)\b\.?\s+[A-ZÄÖÜ]\w+")
# As people write a code: in lower case, too, and with spaces or hyphens between the signs. Each
# start is looked at, since a word before a code may consist of the same signs.
CODE: Final = re.compile(
    rf"(?<![^\W_])(?=([{LETTERS}](?:[\s-]{{0,3}}[{SIGNS}]){{{LENGTH - 1}}})(?![^\W_]))",
    re.IGNORECASE,
)
SESSION: Final = re.compile(r"\d{8}T\d{6}Z-\w+-\w+")
LEFT_OUT: Final = "…"
IN_SESSIONS = "incident"
"""The kind of the notes that are written during a session, or at its end."""


class NamingError(UserError):
    """A note or a reason names somebody; ``named`` is the part that does so."""

    def __init__(self, message: str, named: str) -> None:
        super().__init__(message)
        self.named = named


def check_nameless(text: str, own_code: str | None = None) -> str:
    """Return a note without spaces around it.

    Parameters
    ----------
    text
        The note.
    own_code
        The code of the person whom it is about; other codes are refused.

    Raises
    ------
    UserError
        If it is empty or too long.
    NamingError
        If it names somebody; see `refuse_names`.
    """
    from participants.journal.events import LONGEST_NOTE  # takes longer than to list notes

    text = text.strip()
    if not 0 < len(text) <= LONGEST_NOTE:
        raise UserError(f"a note has 1 to {LONGEST_NOTE} characters; this one has {len(text)}")
    refuse_names(text, own_code)
    return text


def refuse_names(text: str, own_code: str | None = None, where: str = "") -> None:
    """Refuse text that names somebody.

    Parameters
    ----------
    text
        A note or a reason.
    own_code
        The code that it may contain.
    where
        What the message begins with, such as the option or the file that holds the text.

    Raises
    ------
    NamingError
        If it holds what looks like an e-mail address, a telephone number or a name, or a
        participant code.
    """
    before = f"{where}: " if where else ""
    for what, pattern, read in (
        ("an e-mail address", E_MAIL, text),
        ("a telephone number", TELEPHONE, TIMES.sub(" ", text)),
        ("a name", TITLED, text),
    ):
        if match := pattern.search(read):
            named = match.group().strip()
            raise NamingError(
                f"{before}{named!r} looks like {what}: notes and reasons name nobody; keep "
                "contacts outside the lab folder",
                named,
            )
    for written in CODE.findall(text):
        if _code_of(written) not in (own_code, None):
            raise NamingError(
                f"{before}{written!r} is a participant code: write a note about somebody with "
                "--code, once for each; other notes and reasons have no codes",
                written,
            )


def without_people(text: str) -> str:
    """Return a text in which dots stand in place of session ids and participant codes.

    A journal can't be corrected, so whatever a PC's checks say of other sessions isn't written
    into it.
    """
    text = SESSION.sub(LEFT_OUT, text)
    for written in CODE.findall(text):
        if _code_of(written) is not None:
            text = text.replace(written, LEFT_OUT)
    return text


def _code_of(written: str) -> str | None:
    try:
        return check_code(written)
    except UserError:
        return None


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
        If the kind or the code is unknown, the person has withdrawn, or the text names somebody.
    """
    if kind not in NOTE_KINDS:
        raise UserError(f"no kind of note {kind!r}; take one of {', '.join(NOTE_KINDS)}")
    row = {"code": code, "kind": kind, "text": check_nameless(text, own_code=code)}

    def work(connection: Connection) -> None:
        if code is not None:
            person_row(connection, code)
        connection.execute(insert(notes).values(noted_utc=utc_text(registry.now()), **row))

    registry.transact(work)


def notes_of(registry: Registry, data: DataFolder) -> tuple[Mapping[str, Any], ...]:
    """Return all notes, oldest first, including those in sessions' journals.

    Each has a time, kind, code (None for the lab's), session (None outside sessions) and text.
    """

    def work(connection: Connection) -> list[Mapping[str, Any]]:
        columns = (notes.c.noted_utc, notes.c.kind, notes.c.code, notes.c.text)
        rows = connection.execute(select(*columns).order_by(notes.c.id))
        return [dict(row._mapping) for row in rows]

    known = [{**row, "session": None} for row in registry.transact(work)]
    in_sessions = (row for paths in data.sessions() for row in notes_in(paths))
    return tuple(sorted([*known, *in_sessions], key=itemgetter("noted_utc")))


def notes_in(paths: SessionPaths) -> Iterator[Mapping[str, Any]]:
    """Yield the notes that a session's journal holds; none if there is no whole journal."""
    # Most journals have none, and needn't be read line by line.
    if not paths.journal.is_file() or b'"event":"note"' not in paths.journal.read_bytes():
        return
    from participants.journal import read_journal

    try:
        journal = read_journal(paths.journal)
    except UserError:
        return
    for event in journal.of("note"):
        yield {
            "noted_utc": event.t_utc,
            "kind": IN_SESSIONS,
            "code": journal.header["participant"],
            "session": paths.session,
            "text": event["text"],
        }
