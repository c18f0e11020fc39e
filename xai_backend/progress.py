"""How long work tells how far it is: bars on a terminal, or silence."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

Advance = Callable[[int], None]


class Reporter(Protocol):
    """Whoever is told how far work is."""

    def stage(self, title: str, total: int) -> contextlib.AbstractContextManager[Advance]:
        """Announce a stage of ``total`` steps; the value given is called with steps done."""

    def say(self, line: str) -> None:
        """Tell one line."""


class Silent:
    """Tells nobody."""

    @contextlib.contextmanager
    def stage(self, title: str, total: int) -> Iterator[Advance]:
        """Tell nobody."""
        yield lambda steps: None

    def say(self, line: str) -> None:
        """Tell nobody."""


class Terminal:
    """A bar a stage with an estimate, on the error stream, so that output stays clean."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)

    @contextlib.contextmanager
    def stage(self, title: str, total: int) -> Iterator[Advance]:
        """Show a bar until the stage ends."""
        columns = (
            TextColumn("{task.description:<34}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=self._console) as bars:
            task = bars.add_task(title, total=total)
            yield lambda steps: bars.advance(task, steps)

    def say(self, line: str) -> None:
        """Print the line."""
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)
