"""Who and what a session in a window has around it."""

from dataclasses import dataclass

from experiments.engine.stage import Stage
from experiments.pages.album import Album
from experiments.robot_input.actor import Actor
from participants.journal import Recorder


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
    """

    stage: Stage
    actor: Actor
    album: Album
    recorder: Recorder
