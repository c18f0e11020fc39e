"""How the report writes shares."""

from collections.abc import Callable
from typing import Any, Final

from analysis.report.wording import bare_percent, percent, rounded

SHARE: Final[Callable[[Any], str]] = rounded(percent, 1)
BARE: Final[Callable[[Any], str]] = rounded(bare_percent, 1)
"""For limits beside a share."""
