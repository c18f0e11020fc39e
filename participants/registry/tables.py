"""Tables of the registry."""

from typing import Final

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
)

from stimuli.versions import Schema

REGISTRY_SCHEMA: Final = Schema("registry")
SCHEMA_KEY: Final = "schema"
# Names of screening procedures, and kinds of notes.
PROCEDURES: Final = ("trivector", "d15", "ishihara", "titration", "decision", "by_hand")
NOTE_KINDS: Final = ("incident", "compensation", "note")
REMARK: Final = "note"
"""The kind of a note that says nothing went wrong."""

metadata = MetaData()


def _one_of(column: str, allowed: tuple[str, ...]) -> str:
    names = ", ".join(f"'{name}'" for name in allowed)
    return f"{column} IN ({names})"


# Times are ISO 8601 in UTC with microseconds and Z: they sort and compare as text, on
# every database alike.

meta = Table(
    "meta",
    metadata,
    Column("key", String, primary_key=True),
    Column("value", String, nullable=False),
)

people = Table(
    "people",
    metadata,
    Column("code", String(16), primary_key=True),
    Column("role", String, nullable=False),
    Column("purpose", String, nullable=False),
    Column("axis", String),
    Column("rung", Integer),
    Column("enrolled_utc", String, nullable=False),
    CheckConstraint("role IN ('lead', 'expert', 'participant')", name="role_known"),
    CheckConstraint("(axis IS NULL) = (rung IS NULL)", name="axis_with_rung"),
)

assignments = Table(
    "assignments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("code", ForeignKey("people.code"), nullable=False),
    Column("study", String, nullable=False),
    Column("pack_id", String, nullable=False),
    Column("purpose", String, nullable=False),
    Column("rig", String, nullable=False),
    Column("list", String, nullable=False),
    Column("order", String, nullable=False),
    Column("assigned_utc", String, nullable=False),
    Column("accept_side", String),
    Index("one_assignment_a_pack", "code", "pack_id", "purpose", unique=True),
)

sessions = Table(
    "sessions",
    metadata,
    Column("session", String(120), primary_key=True),
    Column("code", ForeignKey("people.code"), nullable=False),
    Column("study", String, nullable=False),
    Column("pack_id", String, nullable=False),
    Column("purpose", String, nullable=False),
    Column("rig", String, nullable=False),
    Column("state", String, nullable=False),
    Column("trials_done", Integer, nullable=False),
    Column("started_utc", String, nullable=False),
    Column("heard_utc", String, nullable=False),
    Column("ended_utc", String),
    Column("disqualified_utc", String),
    # Until when it counts as running without a heartbeat, and on which PC it runs.
    Column("lease_until_utc", String),
    Column("lease_pc", String(16)),
    # The journal's length and last chain when it was last closed; see participants.anchor.
    Column("journal_lines", Integer),
    Column("journal_chain", String(64)),
    # The data folder that it was recorded in; see Registry.folder_id.
    Column("data_folder", String(16)),
    CheckConstraint("state IN ('running', 'stopped', 'complete')", name="state_known"),
    Index("sessions_of_a_code", "code"),
)

consents = Table(
    "consents",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("code", ForeignKey("people.code"), nullable=False),
    Column("session", String(120)),
    Column("text", String, nullable=False),
    Column("version", String, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("language", String, nullable=False),
    Column("agreed", Boolean, nullable=False),
    Column("answered_utc", String, nullable=False),
    Index("consents_of_a_code", "code"),
)

screenings = Table(
    "screenings",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("code", ForeignKey("people.code"), nullable=False),
    Column("session", String(120)),
    Column("procedure", String, nullable=False),
    Column("result", String, nullable=False),
    Column("screened_utc", String, nullable=False),
    CheckConstraint(_one_of("procedure", PROCEDURES), name="procedure_known"),
    Index("screenings_of_a_code", "code"),
)

# What a person chose, such as told_result = no; the last one of a name counts.
choices = Table(
    "choices",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("code", ForeignKey("people.code"), nullable=False),
    Column("name", String, nullable=False),
    Column("value", String, nullable=False),
    Column("session", String(120)),
    Column("chosen_utc", String, nullable=False),
    Index("choices_of_a_code", "code"),
)

notes = Table(
    "notes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("code", ForeignKey("people.code")),
    Column("kind", String, nullable=False),
    Column("text", String, nullable=False),
    Column("noted_utc", String, nullable=False),
    CheckConstraint(_one_of("kind", NOTE_KINDS), name="kind_known"),
    Index("notes_of_a_code", "code"),
)

# Payments for sessions. The row of somebody who took their data back stays without code and
# session, so that sums stay right: hence no foreign key to sessions.
payments = Table(
    "payments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("code", ForeignKey("people.code")),
    Column("session", String(120)),
    Column("study", String, nullable=False),
    Column("cents", Integer, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("paid_utc", String, nullable=False),
    Index("payments_of_a_code", "code"),
)

# Who comes when, and on which rig; came_utc is when a session of that day began or went on.
appointments = Table(
    "appointments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("code", ForeignKey("people.code"), nullable=False),
    Column("study", String, nullable=False),
    Column("rig", String, nullable=False),
    Column("begins_utc", String, nullable=False),
    Column("minutes", Integer, nullable=False),
    Column("revision", Integer, nullable=False, default=0),
    Column("came_utc", String),
    Index("appointments_of_a_code", "code"),
)

demographics = Table(
    "demographics",
    metadata,
    Column("code", ForeignKey("people.code"), primary_key=True),
    Column("age_band", String),
    Column("glasses", String),
    Column("acuity", String),
    Column("language", String),
    Column("answered_utc", String, nullable=False),
    Column("gender", String),
)

# Exports, and the people whose data were in them.
exports = Table(
    "exports",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", String, nullable=False),
    Column("place", String, nullable=False),
    Column("purpose", String, nullable=False),
    Column("made_utc", String, nullable=False),
)

# The code may be of another lab, whose data were copied here: no foreign key.
exported = Table(
    "exported",
    metadata,
    Column("export_id", ForeignKey("exports.id"), primary_key=True),
    Column("code", String(16), primary_key=True),
    Index("exported_of_a_code", "code"),
)

takeovers = Table(
    "takeovers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("session", ForeignKey("sessions.session"), nullable=False),
    Column("from_rig", String, nullable=False),
    Column("to_rig", String, nullable=False),
    Column("reason", String, nullable=False),
    Column("taken_utc", String, nullable=False),
    Index("takeovers_of_a_session", "session"),
)

# A withdrawal outlives the person's other rows: no foreign key.
withdrawals = Table(
    "withdrawals",
    metadata,
    Column("code", String(16), primary_key=True),
    Column("withdrawn_utc", String, nullable=False),
)
