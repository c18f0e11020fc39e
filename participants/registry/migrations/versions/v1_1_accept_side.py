"""Version 1.1: on which side acceptance lies belongs to a place of the design."""

import sqlalchemy as sa
from alembic import op

revision = "1.1"
down_revision = "1.0"


def upgrade() -> None:
    """Add the side; people who were assigned before have none."""
    op.add_column("assignments", sa.Column("accept_side", sa.String()))
