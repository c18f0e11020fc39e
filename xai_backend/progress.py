"""How long work tells how far it is: bars on a terminal, or silence."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
)
from rich.text import Text

Advance = Callable[[int], None]


class Reporter(Protocol):
    """Whoever is told how far work is."""

    def stage(
        self, title: str, total: int, done: int = 0
    ) -> contextlib.AbstractContextManager[Advance]:
        """Announce a stage of ``total`` steps, some of them done before.

        The value given is called with the number of steps that were done meanwhile.
        """

    def say(self, line: str) -> None:
        """Tell one line."""


class Silent:
    """Tells nobody."""

    @contextlib.contextmanager
    def stage(self, title: str, total: int, done: int = 0) -> Iterator[Advance]:
        """Tell nobody."""
        yield lambda steps: None

    def say(self, line: str) -> None:
        """Tell nobody."""


LARGEST_RATE = 1e5
"""From here on a rate's digits would take too much of the line."""


class Rate(ProgressColumn):
    """Steps a second, or a minute where they are slow."""

    def render(self, task: Task) -> Text:
        """Return the rate of late, empty before there is one."""
        speed = task.finished_speed or task.speed
        if not speed:
            return Text("")
        if speed >= 100:
            return Text(f"{speed:.0f}/s" if speed < LARGEST_RATE else f"{speed:.0e}/s")
        return Text(f"{speed:.3g}/s" if speed >= 1 else f"{speed * 60:.3g}/min")


class Clock(ProgressColumn):
    """How long it takes yet, and in the end how long it took: one column, so that all fit."""

    def render(self, task: Task) -> Text:
        """Return the time left or taken; nothing before there is an estimate."""
        if task.finished:
            return Text(f"took {_clock(task.finished_time or 0.0)}")
        remaining_s = task.time_remaining
        return Text("" if remaining_s is None else f"{_clock(remaining_s)} left")


def _clock(time_s: float) -> str:
    minutes, seconds = divmod(round(time_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


class Terminal:
    """A bar a stage with rate and time left, on the error stream, so that output stays clean."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)

    @contextlib.contextmanager
    def stage(self, title: str, total: int, done: int = 0) -> Iterator[Advance]:
        """Show a bar until the stage ends."""
        columns = (
            TextColumn("{task.description:<34}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            Rate(),
            Clock(),
        )
        with Progress(*columns, console=self._console, expand=True) as bars:
            task = bars.add_task(title, total=total, completed=done)
            yield lambda steps: bars.advance(task, steps)

    def say(self, line: str) -> None:
        """Print the line."""
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)
