"""What the presenters of all studies' tasks share in a window."""

from collections.abc import Hashable
from typing import Generic

from experiments.engine.picture import Layers, Picture
from experiments.pages.context import SessionContext
from experiments.pages.settings import AnyPainter, ScreenSettings
from experiments.pages.timed_choice import ChoiceScreen
from experiments.pages.waiting import Waiting
from experiments.screens.trial import fixation_layers
from participants.session import SessionPlan


class WindowPresenter(Generic[AnyPainter]):
    """Presents a study's tasks in a real window; a study adds a method for each kind of task.

    Parameters
    ----------
    context
        The open window, the actor and the recorder.
    settings
        Settings of the screens.
    plan
        The session's plan.
    waiting
        Handles the chords that pause and end the session.

    Raises
    ------
    UserError
        If something that the plan shows doesn't fit on the screen.
    """

    def __init__(
        self,
        context: SessionContext,
        settings: ScreenSettings[AnyPainter],
        plan: SessionPlan,
        waiting: Waiting,
    ) -> None:
        self._context, self._stage, self._waiting = context, context.stage, waiting
        self._settings, self._look, self._words = settings, settings.look, settings.words
        self._painter = settings.painter
        self._part: Hashable = None
        self._prepare(plan)

    def _prepare(self, plan: SessionPlan) -> None:
        """Make what all tasks of the plan need, and refuse what doesn't fit (UserError)."""
        raise NotImplementedError

    def _choices(
        self, stimulus: str, later_event: str = "later_shown", fixation: Layers | None = None
    ) -> ChoiceScreen:
        """Return what runs timed choices of a kind of stimulus; see `ChoiceScreen`."""
        mark = self._stage.picture(fixation or fixation_layers(self._look))
        lag_s = self._settings.rig.lag_s
        return ChoiceScreen(self._context, self._waiting, mark, lag_s, stimulus, later_event)

    def _begin(self, part: Hashable) -> None:
        """Begin a block if a task is the first of its part of the session."""
        if part != self._part:
            self._part = part
            self._waiting.begin_block()

    def _kept(self, name: str, layers: Layers) -> Picture:
        """Return a picture on the card; the album saves one of each name."""
        picture = self._stage.picture(layers)
        self._context.album.keep(name, self._stage, picture)
        return picture
