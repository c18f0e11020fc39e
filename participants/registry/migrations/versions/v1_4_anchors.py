"""Version 1.4: how long a session's journal was, and its last link."""

import sqlalchemy as sa
from alembic import op

revision = "1.4"
down_revision = "1.3"


def upgrade() -> None:
    """Add the columns; of earlier sessions nothing is known."""
    op.add_column("sessions", sa.Column("journal_lines", sa.Integer()))
    op.add_column("sessions", sa.Column("journal_chain", sa.String(64)))
