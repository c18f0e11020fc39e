"""What a study declares to this room."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Study:
    """How a study's packs are built.

    Attributes
    ----------
    build
        The command ``build NAME``, as Typer takes it: its options, help and examples. Every command
        of the room imports this function's module, so the function imports networks and protocols
        only when it runs.
    """

    build: Callable[..., None]
