"""Version 1.3: screening, choices, notes, demographics, exports, leases and take-overs."""

import sqlalchemy as sa
from alembic import op

revision = "1.3"
down_revision = "1.2"


def upgrade() -> None:
    """Add the tables, empty, and the columns of a lease."""
    op.add_column("sessions", sa.Column("lease_until_utc", sa.String()))
    op.add_column("sessions", sa.Column("lease_pc", sa.String(16)))
    _add_what_people_did()
    _add_exports()
    op.create_table(
        "takeovers",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("session", sa.String(120), sa.ForeignKey("sessions.session"), nullable=False),
        _text("from_rig"), _text("to_rig"), _text("reason"), _text("taken_utc"),
    )  # fmt: skip
    op.create_index("takeovers_of_a_session", "takeovers", ["session"])


def _add_what_people_did() -> None:
    procedures = "'trivector', 'd15', 'ishihara', 'titration', 'decision', 'by_hand'"
    op.create_table(
        "screenings",
        sa.Column("id", sa.Integer(), primary_key=True),
        _code(), _session(), _text("procedure"), _text("result"), _text("screened_utc"),
        sa.CheckConstraint(f"procedure IN ({procedures})", name="procedure_known"),
    )  # fmt: skip
    op.create_index("screenings_of_a_code", "screenings", ["code"])
    op.create_table(
        "choices",
        sa.Column("id", sa.Integer(), primary_key=True),
        _code(), _text("name"), _text("value"), _session(), _text("chosen_utc"),
    )  # fmt: skip
    op.create_index("choices_of_a_code", "choices", ["code"])
    op.create_table(
        "notes",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("code", sa.String(16), sa.ForeignKey("people.code")),
        _text("kind"), _text("text"), _text("noted_utc"),
        sa.CheckConstraint("kind IN ('incident', 'compensation', 'note')", name="kind_known"),
    )  # fmt: skip
    op.create_index("notes_of_a_code", "notes", ["code"])
    answers = (sa.Column(name, sa.String()) for name in ("age_band", "glasses", "acuity"))
    op.create_table(
        "demographics",
        sa.Column("code", sa.String(16), sa.ForeignKey("people.code"), primary_key=True),
        *answers, sa.Column("language", sa.String()), _text("answered_utc"),
    )  # fmt: skip


def _add_exports() -> None:
    op.create_table(
        "exports",
        sa.Column("id", sa.Integer(), primary_key=True),
        _text("kind"), _text("place"), _text("purpose"), _text("made_utc"),
    )  # fmt: skip
    op.create_table(
        "exported",
        sa.Column("export_id", sa.Integer(), sa.ForeignKey("exports.id"), primary_key=True),
        sa.Column("code", sa.String(16), primary_key=True),
    )
    op.create_index("exported_of_a_code", "exported", ["code"])


def _text(name: str) -> sa.Column:
    return sa.Column(name, sa.String(), nullable=False)


def _code() -> sa.Column:
    return sa.Column("code", sa.String(16), sa.ForeignKey("people.code"), nullable=False)


def _session() -> sa.Column:
    return sa.Column("session", sa.String(120))
