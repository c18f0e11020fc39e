"""What the registry learns from a screening's journal, event by event or from all of it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, insert, select

from participants.journal import Event, Journal
from participants.registry.tables import choices, screenings
from participants.screening.events import SCREENED, TOLD_RESULT
from participants.screening.records import (
    decided,
    enter,
    enter_decision,
    read,
)
from participants.screening.stages import result_of
from participants.screening.verdict import Verdict


def learn_event(
    connection: Connection,
    code: str,
    session: str,
    kind: str,
    fields: Mapping[str, Any],
    stamp: str,
) -> None:
    """Enter what one event of a screening says, if the registry keeps it.

    Parameters
    ----------
    connection
        Of a transaction.
    code, session
        Whose, and where.
    kind, fields
        The event.
    stamp
        When, as `participants.journal.clock.utc_text` has it.
    """
    if kind == "answer" and fields["question"] == TOLD_RESULT:
        _choose(connection, code, session, str(fields["value"]), stamp)
    elif kind == SCREENED:
        _learn_result(connection, code, session, fields["procedure"], fields["result"], stamp)


def learn_screening(connection: Connection, journal: Journal) -> None:
    """Enter what the registry doesn't know yet of a screening; again it changes nothing."""
    code, session = (str(journal.header[name]) for name in ("participant", "session"))
    known = Counter(
        connection.scalars(select(screenings.c.procedure).where(screenings.c.session == session))
    )
    # A titration enters a decision too, after the one by the thresholds.
    chosen = connection.scalar(select(choices.c.id).where(choices.c.session == session))
    for event in journal.events:
        if event.event == SCREENED and known[event["procedure"]]:
            continue
        if _is_choice(event) and chosen is not None:
            continue
        learn_event(connection, code, session, event.event, event.fields, event.t_utc)


def _is_choice(event: Event) -> bool:
    return event.event == "answer" and event["question"] == TOLD_RESULT


def _choose(connection: Connection, code: str, session: str, value: str, stamp: str) -> None:
    row = {"code": code, "name": TOLD_RESULT, "value": value, "session": session}
    connection.execute(insert(choices).values(**row, chosen_utc=stamp))


def _learn_result(
    connection: Connection,
    code: str,
    session: str,
    procedure: Any,
    record: Mapping[str, Any],
    stamp: str,
) -> None:
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
