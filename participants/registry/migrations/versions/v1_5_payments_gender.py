"""Version 1.5: what was paid for sessions, and the gender people told."""

import sqlalchemy as sa
from alembic import op

revision = "1.5"
down_revision = "1.4"


def upgrade() -> None:
    """Make table and column; what notes say of earlier payments stays in the notes."""
    op.create_table(
        "payments",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("code", sa.String(16), sa.ForeignKey("people.code")),
        sa.Column("session", sa.String(120)),
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("cents", sa.Integer(), nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("paid_utc", sa.String(), nullable=False),
    )
    op.create_index("payments_of_a_code", "payments", ["code"])
    op.add_column("demographics", sa.Column("gender", sa.String()))
