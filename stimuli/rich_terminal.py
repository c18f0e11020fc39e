"""The terminal with colours, tables and progress, of which the signs in texts are no part."""

from collections.abc import Iterable

from rich.console import Console as RichConsole
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment

from stimuli.terminal import printable


class Console(RichConsole):
    """A console of rich; every text in it is printed as `printable` returns it."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield what is shown of something; only rich itself gives the terminal commands."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))
