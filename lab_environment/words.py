"""What setting up says: its lines on the screen, and what it can't mend."""

import sys


class SetupError(Exception):
    """Why the environment can't be made, in one line for the user."""


def say(text: str) -> None:
    """Write one line to standard error; standard output belongs to the verb."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
