"""Version 1.6: the data folder in which a session is recorded."""

import sqlalchemy as sa
from alembic import op

revision = "1.6"
down_revision = "1.5"


def upgrade() -> None:
    """Make the column; of earlier sessions only the rig is known."""
    op.add_column("sessions", sa.Column("data_folder", sa.String(16)))
