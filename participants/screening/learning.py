"""What the registry learns from a screening's journal, event by event or from all of it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, select

from participants.journal import Journal
from participants.registry.tables import screenings
from participants.screening.events import SCREENED
from participants.screening.records import (
    decided,
    enter,
    enter_decision,
    read,
)
from participants.screening.stages import result_of
from participants.screening.verdict import Verdict


def learn_screening(connection: Connection, journal: Journal) -> None:
    """Enter what the registry doesn't know yet of a screening; again it changes nothing."""
    code, session = (str(journal.header[name]) for name in ("participant", "session"))
    known = Counter(
        connection.scalars(select(screenings.c.procedure).where(screenings.c.session == session))
    )
    for event in journal.of(SCREENED):
        if not known[event["procedure"]]:
            learn_result(connection, code, session, event.fields, event.t_utc)


def learn_result(
    connection: Connection, code: str, session: str, fields: Mapping[str, Any], stamp: str
) -> None:
    """Enter what one stage of a screening found, or what the rules decided.

    Parameters
    ----------
    connection
        Of a transaction.
    code, session
        Whose, and where.
    fields
        Of the event ``screened``.
    stamp
        When, as `participants.clock.utc_text` has it.
    """
    procedure, record = fields["procedure"], fields["result"]
    if procedure == "decision":
        verdict = Verdict(record["role"], record["axis"], tuple(record["reasons"]))
        enter_decision(connection, code, decided(verdict, None), session, stamp)
        return
    result = result_of(procedure, record)
    enter(connection, code, procedure, result, session, stamp)
    if procedure == "titration":
        verdict = _last_verdict(connection, code) or Verdict("lead", record["axis"], ())
        found = decided(replace(verdict, axis=record["axis"]), result)
        enter_decision(connection, code, found, session, stamp)


def _last_verdict(connection: Connection, code: str) -> Verdict | None:
    rows = select(screenings.c.result).where(
        screenings.c.code == code, screenings.c.procedure == "decision"
    )
    text = connection.scalar(rows.order_by(screenings.c.id.desc()).limit(1))
    return None if text is None else read("decision", text).verdict
