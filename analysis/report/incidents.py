"""Unplanned events in sessions: pauses, other windows, the experimenter's notes."""

from dataclasses import dataclass
from typing import Annotated

from analysis.data.sessions import Sessions
from analysis.report.about import about
from analysis.report.declared import ReportTable
from analysis.report.listing import cut
from analysis.report.parts import Column, Paragraph
from analysis.report.wording import count


@dataclass(frozen=True, slots=True)
class Incident:
    """A note that an experimenter wrote during a session."""

    participant: Annotated[str, about("Code of the participant.")]
    session: Annotated[str, about("The session.")]
    t_utc: Annotated[str, about("When, ISO 8601 in UTC.")]
    at: Annotated[str, about("At which step.")]
    text: Annotated[str, about("The note.")]


@dataclass(frozen=True, slots=True)
class Incidents:
    """Unplanned events in sessions."""

    sessions: Annotated[int, about("Sessions with a journal.")]
    paused_sessions: Annotated[int, about("Of these, sessions that were paused.")]
    unfocused_sessions: Annotated[int, about("Sessions that lost the keyboard's focus.")]
    notes_written: Annotated[int, about("Notes of experimenters.")]
    notes: Annotated[tuple[Incident, ...], about("The notes.")]


def count_incidents(sessions: Sessions | None) -> Incidents:
    """Return incidents; those of withdrawn sessions are left out.

    Parameters
    ----------
    sessions
        What the journals say; None without journals.
    """
    facts = [fact for fact in (sessions.facts if sessions else ()) if not fact.withdrawn]
    return Incidents(
        sessions=len(facts),
        paused_sessions=sum(fact.pauses > 0 for fact in facts),
        unfocused_sessions=sum(fact.focus_losses > 0 for fact in facts),
        notes_written=sum(len(fact.incidents) for fact in facts),
        notes=tuple(
            Incident(fact.participant, fact.session, note.t_utc, note.at, note.text)
            for fact in facts
            for note in fact.incidents
        ),
    )


def incident_sentence(found: Incidents) -> Paragraph | None:
    """Return how many sessions were paused or lost the keyboard's focus; None without journals."""
    if not found.sessions:
        return None
    notes = count(found.notes_written, "note")
    return Paragraph(
        f"Of {count(found.sessions, 'session')} with a journal, {found.paused_sessions} "
        f"{_were(found.paused_sessions)} paused and {found.unfocused_sessions} lost the "
        f"keyboard’s focus to another window; the experimenters wrote {notes}."
    )


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


def _when(row: Incident) -> str:
    return f"{row.t_utc[:16].replace('T', ' ')}, at {row.at.replace('end', 'the end')}"


INCIDENTS = ReportTable(
    "incidents",
    lambda frame: frame.incidents.notes or None,
    "Incidents that experimenters wrote down.",
    (
        Column("Participant", "participant"),
        Column("When", _when, str, "UTC"),
        Column("Note", "text"),
    ),
    cut=lambda rows: cut(rows, "notes", "incidents", lambda row: True, ""),
)
