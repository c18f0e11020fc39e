"""What happened in sessions beside the design: pauses, other windows, the experimenter's notes."""

from collections.abc import Mapping
from typing import Any

from analysis.data.sessions import Sessions
from analysis.report.declared import ReportTable, Results
from analysis.report.listing import cut
from analysis.report.parts import Column, Paragraph
from analysis.report.wording import count


def incident_results(sessions: Sessions | None) -> dict[str, Any]:
    """Return incidents as they stand in results.json; those of withdrawn sessions are left out.

    Parameters
    ----------
    sessions
        What the journals say; None without journals.
    """
    facts = [fact for fact in (sessions.facts if sessions else ()) if not fact.withdrawn]
    return {
        "sessions": len(facts),
        "paused_sessions": sum(fact.pauses > 0 for fact in facts),
        "unfocused_sessions": sum(fact.focus_losses > 0 for fact in facts),
        "notes_written": sum(len(fact.incidents) for fact in facts),
        "notes": [
            {
                "participant": fact.participant,
                "session": fact.session,
                "t_utc": note.t_utc,
                "at": note.at,
                "text": note.text,
            }
            for fact in facts
            for note in fact.incidents
        ],
    }


def incident_sentence(results: Results) -> Paragraph | None:
    """Return how many sessions were paused or lost the keyboard's focus; None without journals."""
    # A study outside the suite may be older than this.
    found = results.get("incidents")
    if not found or not found["sessions"]:
        return None
    notes = count(found["notes_written"], "note")
    return Paragraph(
        f"Of {count(found['sessions'], 'session')} with a journal, {found['paused_sessions']} "
        f"{_were(found['paused_sessions'])} paused and {found['unfocused_sessions']} lost the "
        f"keyboard’s focus to another window; the experimenters wrote {notes}."
    )


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


def _when(row: Mapping[str, Any]) -> str:
    return f"{row['t_utc'][:16].replace('T', ' ')}, at {row['at'].replace('end', 'the end')}"


INCIDENTS = ReportTable(
    "incidents",
    lambda results: results.get("incidents", {}).get("notes") or None,
    "Incidents that experimenters wrote down.",
    (
        Column("Participant", "participant"),
        Column("When", _when, str, "UTC"),
        Column("Note", "text"),
    ),
    cut=lambda rows: cut(rows, "notes", "incidents", lambda row: True, "in order"),
)
