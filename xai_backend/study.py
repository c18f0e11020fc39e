"""What a study declares to this room."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from stimuli.maps.origin import Origin

Metrics = Mapping[str, float]
"""By their names."""


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
        model, device and method, the texts, and whether metrics are wanted. It returns texts in
        Markdown, who made the marks, and each text's metrics (`stimuli.maps.metrics`). None if it
        has no such methods.
    word_metrics
        Takes the names and the texts, and returns each text's metrics of all words' weights.
    """

    build: Callable[..., None]
    marked_words: (
        Callable[[str, str, str, Sequence[str], bool], tuple[list[str], Origin, list[Metrics]]]
        | None
    ) = None
    word_metrics: Callable[[str, str, str, Sequence[str]], list[Metrics]] | None = None
