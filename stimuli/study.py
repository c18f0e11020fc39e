"""What a study declares to this room."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from typing import Any

from stimuli.protocol.base import Protocol


@dataclass(frozen=True, slots=True)
class Study:
    """What a study shows, and by which rules.

    Attributes
    ----------
    package
        The package that holds ``protocol.toml``, the published design.
    protocol
        The type of its protocol.
    ground_srgb
        Returns the sRGB code (0…255) of the ground on which a protocol shows its stimuli.
    """

    package: str
    protocol: type[Protocol]
    ground_srgb: Callable[[Any], tuple[int, int, int]]

    def published(self) -> str:
        """Return the text of ``protocol.toml``."""
        return resources.files(self.package).joinpath("protocol.toml").read_text(encoding="utf-8")
