"""Version 1.2: who was disqualified, and when."""

import sqlalchemy as sa
from alembic import op

revision = "1.2"
down_revision = "1.1"


def upgrade() -> None:
    """Add the time; nobody was disqualified before."""
    op.add_column("sessions", sa.Column("disqualified_utc", sa.String()))
