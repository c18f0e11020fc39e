"""Read journals: check every line, and tolerate a last line that was cut short.

A journal's first event determines which kinds of event it may have.
"""

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from participants.journal.events import EVERY_STUDY, JOURNAL_SCHEMA, Recorded, checked
from participants.journal.recorded import Event, Journal
from participants.journal.sidecar import refuse_edited_sidecar
from participants.journal.storage import CHAIN, ENVELOPE, FIRST_LINK, line_text, link
from stimuli.catalogue import KEY, LAB_FILE, studies_of
from stimuli.errors import UserError
from stimuli.io.given_files import read_bytes
from stimuli.io.inside import odd_kind
from stimuli.io.invalid import place_and_reason


def vocabulary(header: Mapping[str, Any]) -> dict[str, type[Recorded]]:
    """Return a journal's kinds of event, from the fields of its ``session`` event.

    Raises
    ------
    UserError
        If its study isn't among the studies that are known here.
    """
    kind = kind_of(header)
    return {**EVERY_STUDY, **({} if kind is None else kind.events())}


def kind_of(header: Mapping[str, Any]) -> Any:
    """Return a journal's kind of session; None for a role that its study doesn't have.

    Errors as `vocabulary`.
    """
    name, studies = str(header.get("study")), studies_of("participants")
    if name not in studies:
        raise UserError(f"study {name!r} is unknown here; add its folder to `{KEY}` in {LAB_FILE}")
    kinds = studies[name].sessions.values()
    return next((kind for kind in kinds if kind.role == header.get("role")), None)


Vocabulary = Mapping[str, type[Recorded]]


def read_journal(path: Path) -> Journal:
    """Return a journal's events after checking every line against its chain.

    If the session has a sidecar, it must be the one that was made from the journal.

    Raises
    ------
    UserError
        If the file can't be read, a line was changed, moved or is missing (which line), a newer
        version wrote it, or its sidecar was edited.
    """
    journal = journal_from_bytes(read_bytes(path), str(path))
    refuse_edited_sidecar(journal, path)
    return journal


def first_event(path: Path) -> Mapping[str, Any]:
    """Return what a journal's first line says, unchecked; empty if it can't be read.

    It says whose session it is, without reading all of a long journal.
    """
    if odd_kind(path):
        return {}
    try:
        with path.open("rb") as stream:
            line = json.loads(stream.readline())
    except (OSError, ValueError, RecursionError):
        return {}
    return line if isinstance(line, Mapping) else {}


def journal_from_bytes(data: bytes, where: str) -> Journal:
    """Return the journal in a file's bytes; errors as `read_journal`."""
    whole_bytes = data.rfind(b"\n") + 1
    links = [FIRST_LINK]
    lines = []
    for number, text in enumerate(data[:whole_bytes].split(b"\n")[:-1], start=1):
        line = _whole_line(text, number, links[-1], f"{where}, line {number}")
        links.append(line.pop(CHAIN))
        lines.append(line)
    events = _typed(lines, where)
    return Journal(events, data[whole_bytes:], tuple(links[1:]), whole_bytes)


def _whole_line(text: bytes, number: int, previous: str, where: str) -> dict[str, Any]:
    try:
        line = json.loads(text)
        same = isinstance(line, dict) and line_text(line) == text + b"\n"
    except (ValueError, RecursionError):
        # RecursionError comes from brackets nested thousands deep, which no journal writes.
        same = False
    if not same or tuple(line)[:4] != ENVELOPE or tuple(line)[-1] != CHAIN:
        raise UserError(f"{where}: is not a line of a journal; the file was changed")
    if line["seq"] != number:
        raise UserError(f"{where}: is event {line['seq']}; lines are missing or out of order")
    bare = {key: value for key, value in line.items() if key != CHAIN}
    if link(previous, bare) != line[CHAIN]:
        raise UserError(f"{where}: it or the line before was changed after it was written")
    return line


def _typed(lines: list[dict[str, Any]], where: str) -> tuple[Event, ...]:
    if lines and lines[0]["event"] != "session":
        raise UserError(f"{where}, line 1: is not a session event; is it the right file?")
    return tuple(
        _event(line, events, f"{where}, line {line['seq']}")
        for events, part in _parts(lines, where)
        for line in part
    )


def _parts(
    lines: list[dict[str, Any]], where: str
) -> list[tuple[Vocabulary, list[dict[str, Any]]]]:
    """Split at session events: one version wrote each part, which is upgraded from that version."""
    starts = [index for index, line in enumerate(lines) if line["event"] == "session"]
    parts = []
    for start, end in itertools.pairwise([*starts, len(lines)]):
        document = {"schema": lines[start].get("schema"), "lines": lines[start:end]}
        document = JOURNAL_SCHEMA.upgrade(document, f"{where}, line {start + 1}")
        parts.append((_vocabulary(lines[start], where), document["lines"]))
    return parts


def _vocabulary(header: dict[str, Any], where: str) -> Vocabulary:
    try:
        return vocabulary(header)
    except UserError as error:
        raise UserError(f"{where}, line {header['seq']}: {error}") from None


def _event(line: dict[str, Any], events: Vocabulary, where: str) -> Event:
    envelope = [line[key] for key in ENVELOPE]
    values = {key: value for key, value in line.items() if key not in ENVELOPE}
    try:
        _, fields = checked(events, line["event"], values)
    except ValidationError as error:
        raise UserError(f"{where}: {line['event']}: {place_and_reason(error)}") from None
    except ValueError as error:
        raise UserError(f"{where}: {error}") from None
    return Event(*envelope, fields)
