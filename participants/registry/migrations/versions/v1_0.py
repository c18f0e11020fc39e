"""Version 1.0: its tables were made without alembic."""

revision = "1.0"
down_revision = None


def upgrade() -> None:
    """Leave the tables as they are."""
