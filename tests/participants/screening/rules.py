"""The published rules of a screening, and the same with changes."""

from typing import Any, Final

from stimuli.protocol import load_protocol
from stimuli.screening.rules import Screening

PUBLISHED: Final[dict[str, Any]] = load_protocol("accept_reject").resolved()["screening"]
RULES: Final = Screening(**PUBLISHED)


def changed(**changes: float) -> Screening:
    """Return the rules with changes."""
    return Screening(**PUBLISHED | changes)
