"""Who earned what in which session, and what of it was paid."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, Row, func, insert, select

from participants.clock import utc_text
from participants.folder import LabFolder, SessionPaths
from participants.lab_settings import PaymentRules
from participants.payments.options import PaymentOptions
from participants.registry import Registry
from participants.registry.sessions import COMPLETE, MAIN, PILOT, RUNNING, STOPPED
from participants.registry.states import REFUSED, session_state
from participants.registry.tables import payments, people, sessions
from stimuli.errors import UserError

if TYPE_CHECKING:
    from participants.journal import Journal

PAID_PURPOSES: Final = (MAIN, PILOT)
SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Account:
    """A session, what it earned, and how much of that was paid.

    Attributes
    ----------
    code, study, session
        Person, study and session.
    date
        When it was last heard of, as a date of this PC.
    state
        One of `SESSION_STATES` that isn't running or declined.
    minutes
        The time in the session, over all sittings, rounded up; None if unknown.
    earned_cents, paid_cents
        In hundredths of the currency.
    currency
        ISO 4217 code.
    paid_on
        The date of the last payment; None if nothing was paid.
    """

    code: str
    study: str
    session: str
    date: date
    state: str
    minutes: int | None
    earned_cents: int
    paid_cents: int
    currency: str
    paid_on: date | None

    @property
    def due_cents(self) -> int:
        """What is still to be paid; 0 if more was paid than earned."""
        return max(0, self.earned_cents - self.paid_cents)


def accounts_of(
    lab: LabFolder, registry: Registry, selection: PaymentOptions
) -> tuple[Account, ...]:
    """Return the accounts of the sessions asked for, by code and date; see `PaymentOptions`."""
    earned = _earned(lab, registry, selection)
    return registry.transact(lambda connection: _settled(connection, earned))


def mark_paid(lab: LabFolder, registry: Registry, selection: PaymentOptions) -> tuple[Account, ...]:
    """Record that everything due is paid now, and return the accounts as they were before.

    Reading what is due and recording the payment is one transaction, so a second command at the
    same time finds nothing due.
    """
    earned = _earned(lab, registry, selection)

    def work(connection: Connection) -> tuple[Account, ...]:
        settled = _settled(connection, earned)
        for account in settled:
            if account.due_cents:
                _pay(connection, account, registry.now())
        return settled

    return registry.transact(work)


def active_minutes(journal: "Journal") -> float:
    """Return the time that a session took, without the time between its parts.

    A part begins with a ``session`` event and ends with the last event before the next.
    """
    total, began, last = 0.0, None, None
    for event in journal.events:
        moment = datetime.fromisoformat(event.t_utc)
        if event.event == "session":
            total += 0.0 if began is None or last is None else (last - began).total_seconds()
            began = moment
        last = moment
    total += 0.0 if began is None or last is None else (last - began).total_seconds()
    return max(0.0, total) / SECONDS


def _earned(lab: LabFolder, registry: Registry, selection: PaymentOptions) -> tuple[Account, ...]:
    """Return the accounts without payments; journals are read outside any transaction."""
    now_utc = utc_text(registry.now())
    rows = registry.transact(lambda connection: _sessions(connection, selection, now_utc))
    accounts = (_account(row, lab, lab.settings.payment, selection) for row in rows)
    within = (account for account in accounts if _is_within(account, selection))
    return tuple(sorted(within, key=lambda account: (account.code, account.date, account.session)))


def _settled(connection: Connection, earned: Iterable[Account]) -> tuple[Account, ...]:
    """Return accounts with their payments."""
    paid = _paid(connection)
    return tuple(
        _with_payment(account, paid[account.session]) if account.session in paid else account
        for account in earned
    )


def _with_payment(account: Account, row: Row) -> Account:
    if row.currencies > 1 or row.currency != account.currency:
        raise UserError(
            f"session {account.session}: was paid in {row.currency}, and is due in "
            f"{account.currency}; write {row.currency} into lab.toml ([payment], currency)"
        )
    return replace(account, paid_cents=row.cents, paid_on=_local_date(row.last_utc))


def _sessions(connection: Connection, selection: PaymentOptions, now_utc: str) -> Sequence[Row]:
    stands = session_state(now_utc).label("stands")
    rows = (
        select(sessions, stands)
        .join(people, people.c.code == sessions.c.code)
        .where(sessions.c.purpose.in_(PAID_PURPOSES), stands.not_in((RUNNING, REFUSED)))
    )
    if selection.study:
        rows = rows.where(sessions.c.study == selection.study)
    if selection.code:
        rows = rows.where(sessions.c.code == selection.code)
    return connection.execute(rows).all()


def _account(row: Row, lab: LabFolder, rules: PaymentRules, selection: PaymentOptions) -> Account:
    minutes = _minutes(lab.data.session(row.session), row)
    by_rule = rules.cents(minutes, complete=row.state == COMPLETE)
    return Account(
        code=row.code,
        study=row.study,
        session=row.session,
        date=_local_date(row.heard_utc),
        state=row.stands,
        minutes=None if minutes is None else int(-(-minutes // 1)),
        earned_cents=by_rule if selection.cents is None else selection.cents,
        paid_cents=0,
        currency=rules.currency,
        paid_on=None,
    )


def _minutes(paths: SessionPaths, row: Row) -> float | None:
    """Return a session's minutes, by its journal or, if it ended the same day, by the registry."""
    from participants.journal import read_journal

    try:
        return active_minutes(read_journal(paths.journal))
    except (UserError, OSError):
        began, ended = row.started_utc, row.ended_utc
    if row.state == STOPPED or ended is None or _local_date(began) != _local_date(ended):
        return None
    took = datetime.fromisoformat(ended) - datetime.fromisoformat(began)
    return took.total_seconds() / SECONDS


def _is_within(account: Account, selection: PaymentOptions) -> bool:
    early = selection.since is not None and account.date < selection.since
    late = selection.until is not None and account.date > selection.until
    return not (early or late)


def _paid(connection: Connection) -> dict[str, Row]:
    rows = select(
        payments.c.session,
        func.sum(payments.c.cents).label("cents"),
        func.max(payments.c.paid_utc).label("last_utc"),
        func.max(payments.c.currency).label("currency"),
        func.count(payments.c.currency.distinct()).label("currencies"),
    )
    rows = rows.where(payments.c.session.is_not(None)).group_by(payments.c.session)
    return {row.session: row for row in connection.execute(rows)}


def _pay(connection: Connection, account: Account, now: datetime) -> None:
    row = {
        "code": account.code,
        "session": account.session,
        "study": account.study,
        "cents": account.due_cents,
        "currency": account.currency,
        "paid_utc": utc_text(now),
    }
    connection.execute(insert(payments).values(row))


def _local_date(utc: str) -> date:
    return datetime.fromisoformat(utc).astimezone().date()
