"""A person's page: what is recorded of somebody, in sections, without the arm."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from participants.appointments.book import Appointment, appointments_of
from participants.command_line import local_minute
from participants.day.disqualified import missed_of, why_disqualified
from participants.day.sections import Rows, Section, money, purpose_in
from participants.folder import LabFolder
from participants.overview.details import details_of
from participants.payments.ledger import Account, accounts_of
from participants.payments.options import PaymentOptions
from participants.registry import Person, Registry
from participants.texts.rig import RigWords

if TYPE_CHECKING:
    from participants.session.qualification import Missed


@dataclass(frozen=True, slots=True)
class PersonPage:
    """What is known of a person.

    Attributes
    ----------
    person
        As the registry has them.
    details
        Their rows by table; see `details_of`.
    accounts
        What they earned and were paid, by session.
    appointments
        Their appointments.
    missed
        Why they were disqualified, once for each session that says so here.
    """

    person: Person
    details: Mapping[str, Sequence[Mapping[str, Any]]]
    accounts: tuple[Account, ...]
    appointments: tuple[Appointment, ...]
    missed: tuple["Missed", ...] = ()

    @classmethod
    def of(cls, lab: LabFolder, registry: Registry, code: str) -> "PersonPage":
        """Return a person's page; UserError if nothing is kept of the code."""
        details = details_of(lab, registry, code)
        accounts = accounts_of(lab, registry, PaymentOptions(code=code))
        looked = (
            missed_of(lab.data, row["session"])
            for row in details.get("sessions", ())
            if row["disqualified_utc"]
        )
        return cls(
            registry.person(code),
            details,
            accounts,
            appointments_of(registry, code),
            tuple(missed for missed in looked if missed is not None),
        )

    @property
    def receipt_cents(self) -> int:
        """What a receipt can be written for: what is due, else what was paid."""
        return self.due_cents or sum(account.paid_cents for account in self.accounts)

    @property
    def due_cents(self) -> int:
        """What is still to be paid, in hundredths of the currency."""
        return sum(account.due_cents for account in self.accounts)

    @property
    def ahead(self) -> Appointment | None:
        """The appointment ahead; None if there is none."""
        return next(
            (appointment for appointment in self.appointments if appointment.state == "ahead"), None
        )


def person_sections(page: PersonPage, words: RigWords) -> tuple[Section, ...]:
    """Return a person's sections, those without anything left out."""
    rows, states = page.details, {account.session: account.state for account in page.accounts}
    parts: tuple[tuple[str, Rows], ...] = (
        ("sessions", tuple(_session(row, states, words) for row in rows.get("sessions", ()))),
        (
            "appointments_all",
            tuple(_appointment(appointment, words) for appointment in page.appointments),
        ),
        ("payments", tuple(_account(account, words) for account in page.accounts)),
        ("consents", tuple(_consent(row, words) for row in rows.get("consents", ()))),
        ("screenings", tuple(_screening(row, words) for row in rows.get("screenings", ()))),
        ("notes", tuple(_note(row) for row in rows.get("notes", ()))),
    )
    why = tuple(why_disqualified(missed, page.person.purpose, words) for missed in page.missed)
    lines = {"sessions": why}
    filled = ((name, rows_of_part) for name, rows_of_part in parts if rows_of_part)
    return tuple(
        Section(words[f"person_{name}"], rows_of_part, lines.get(name, ()))
        for name, rows_of_part in filled
    )


def _session(row: Mapping[str, Any], states: Mapping[str, str], words: RigWords) -> dict[str, Any]:
    state = states.get(row["session"], "")
    name = f"state_{state.replace(' ', '_')}"
    return {
        "began": local_minute(row["started_utc"]),
        "study": row["study"],
        "purpose": purpose_in(row["purpose"], words),
        "rig": row["rig"],
        "trials": row["trials_done"],
        "state": words.words.get(name, row["state"]),
    }


def _appointment(appointment: Appointment, words: RigWords) -> dict[str, Any]:
    state = words[f"appointment_{appointment.state}"]
    return {"when": local_minute(appointment.begins_utc), "rig": appointment.rig, "state": state}


def _account(account: Account, words: RigWords) -> dict[str, Any]:
    sums = {"earned": account.earned_cents, "paid": account.paid_cents, "due": account.due_cents}
    amounts = {name: money(cents, words) for name, cents in sums.items()}
    return {
        "day": account.date.isoformat(),
        "study": account.study,
        **amounts,
        "currency": account.currency,
    }


def _consent(row: Mapping[str, Any], words: RigWords) -> dict[str, Any]:
    return {
        "when": local_minute(row["answered_utc"]),
        "to_what": words.words.get(f"text_{row['text']}", row["text"]),
        "answer": words["agreed" if row["agreed"] else "declined"],
    }


def _screening(row: Mapping[str, Any], words: RigWords) -> dict[str, Any]:
    procedure = row["procedure"]
    title = words.words.get(f"procedure_{procedure}", procedure)
    return {"when": local_minute(row["screened_utc"]), "text": title}


def _note(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"when": local_minute(row["noted_utc"]), "text": row["text"]}
