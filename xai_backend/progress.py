"""How long work tells how far it is: bars on a terminal, or silence."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Protocol

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
)
from rich.text import Text

from stimuli.rich_terminal import Console

Advance = Callable[[int], None]


class Reporter(Protocol):
    """Reports progress and messages."""

    def stage(
        self, title: str, total: int, done: int = 0
    ) -> contextlib.AbstractContextManager[Advance]:
        """Announce a stage of ``total`` steps, of which ``done`` are done already.

        The context manager returns a function to call with the number of steps done since the last
        call.
        """

    def say(self, line: str) -> None:
        """Print one line."""


class Silent:
    """Reports nothing."""

    @contextlib.contextmanager
    def stage(self, title: str, total: int, done: int = 0) -> Iterator[Advance]:
        """Tell nobody."""
        yield lambda steps: None

    def say(self, line: str) -> None:
        """Tell nobody."""


LARGEST_RATE = 1e5
"""Rates from this one on are written with an exponent, since their digits would take too much
room."""


class Rate(ProgressColumn):
    """Steps per second, or per minute if they are slow."""

    def render(self, task: Task) -> Text:
        """Return the current rate; empty before there is one."""
        speed = task.finished_speed or task.speed
        if not speed:
            return Text("")
        if speed >= 100:
            return Text(f"{speed:.0f}/s" if speed < LARGEST_RATE else f"{speed:.0e}/s")
        return Text(f"{speed:.3g}/s" if speed >= 1 else f"{speed * 60:.3g}/min")


class Clock(ProgressColumn):
    """The remaining time, and in the end the time taken: one column, so that all columns fit."""

    def render(self, task: Task) -> Text:
        """Return the time left or taken; empty before there is an estimate."""
        if task.finished:
            return Text(f"took {_clock(task.finished_time or 0.0)}")
        remaining_s = task.time_remaining
        return Text("" if remaining_s is None else f"{_clock(remaining_s)} left")


def _clock(time_s: float) -> str:
    minutes, seconds = divmod(round(time_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


class Terminal:
    """A progress bar for each stage, with rate and time left; on stderr, to keep stdout clean."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)

    @contextlib.contextmanager
    def stage(self, title: str, total: int, done: int = 0) -> Iterator[Advance]:
        """Show a bar until the stage ends; none for a stage without steps."""
        if total == 0:
            yield lambda steps: None
            return
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
