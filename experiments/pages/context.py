"""Who and what a session in a window has around it."""

from dataclasses import dataclass, field
from typing import Protocol

from experiments.engine.stage import Stage
from experiments.pages.album import Album
from experiments.robot_input.actor import Actor
from participants.journal import Recorder


class Watch(Protocol):
    """Keeps the registry informed; asked where nothing is timed."""

    def idle(self) -> None:
        """Let the registry know that the session lives, if it wasn't told for a while."""

    def news(self) -> str:
        """Return the word that tells what went wrong with the registry; empty when it was told."""


class Unwatched:
    """Nobody is informed of the session."""

    def idle(self) -> None:
        """Do nothing."""

    def news(self) -> str:
        """Return that there is nothing to tell."""
        return ""


@dataclass(frozen=True, slots=True)
class SessionContext:
    """What everything that shows or asks something in a session works with.

    Attributes
    ----------
    stage
        The open window.
    actor
        Who answers; it learns what is waited for.
    album
        Keeps pictures of the screens.
    recorder
        Keeps what happened.
    watch
        Keeps the registry informed while a page stands.
    """

    stage: Stage
    actor: Actor
    album: Album
    recorder: Recorder
    watch: Watch = field(default_factory=Unwatched)
