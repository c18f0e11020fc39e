"""What a session in a window has around it: people, clock, settings, an album of its screens."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from PIL import Image

from experiments.engine.picture import Drawn
from experiments.engine.stage import Stage
from experiments.robot_input.actor import Actor
from participants.journal import Recorder
from stimuli.errors import UserError


class Album:
    """Saves screens as PNG, read back from the graphics card.

    Parameters
    ----------
    folder
        Where they go; None keeps nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._kept: set[str] = set()
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UserError(f"{folder}: can't be made ({error.strerror})") from None

    def keep(self, name: str, stage: Stage, picture: Drawn | None) -> None:
        """Save what a frame with this picture looks like, if none of that name was saved."""
        if self._folder is None or name in self._kept:
            return
        self._kept.add(name)
        path = self._folder / f"{len(self._kept):02d}-{name}.png"
        # A session waits for this: two thirds of the usual time, for files a fifth larger.
        Image.fromarray(stage.pixels_of(picture)).save(path, compress_level=1)


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
