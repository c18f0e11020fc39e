"""What a study declares to this room."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stimuli.maps.origin import Origin


@dataclass(frozen=True, slots=True)
class Study:
    """How a study's packs are built.

    Attributes
    ----------
    build
        The command ``build NAME``, as Typer takes it: its options, help and examples. Every command
        of the room imports this function's module, so the function imports networks and protocols
        only when it runs.
    marked_words
        Marks the words of texts that count most for a model, for any study: takes the names of
        model, device and method, and the texts. It returns texts in Markdown, and who made the
        marks. None if it has no such methods.
    """

    build: Callable[..., None]
    marked_words: Callable[[str, str, str, Sequence[str]], tuple[list[str], Origin]] | None = None
