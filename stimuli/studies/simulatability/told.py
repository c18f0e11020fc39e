"""Inputs whose output is predicted, though something shown tells it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from stimuli.studies.simulatability.explanations import AnyExplanation, Boundary, Composite
from stimuli.studies.simulatability.inputs import TableInput, TextInput, edited
from stimuli.studies.simulatability.material import Item


@dataclass(frozen=True, slots=True)
class Told:
    """An item whose answer another item, or an explanation, tells.

    Attributes
    ----------
    item
        What is predicted.
    teller
        What shows the same input with the model's output.
    method
        Whose explanation shows it; empty where the teller itself does.
    """

    item: Item
    teller: Item
    method: str = ""


def tested_input(item: Item) -> TextInput | TableInput:
    """Return the input on which the model's output is predicted."""
    return item.original if item.edits is None else edited(item.original, item.edits)


def told(items: Iterable[Item], methods: Iterable[str] = ()) -> Iterator[Told]:
    """Yield items of a domain whose answer is told.

    Examples and the originals of counterfactuals are shown with their outputs. A path to the
    decision boundary tells outputs on the inputs along it.

    Parameters
    ----------
    items
        All items of a domain.
    methods
        Methods whose explanations are looked at.
    """
    every = list(items)
    tested = {tested_input(item): item for item in every if item.use != "learning"}
    for teller in every:
        if teller.use != "forward" and teller.original in tested:
            yield Told(tested[teller.original], teller)
        for method in methods:
            for step in _path(teller, teller.explanations.get(method)):
                if step in tested:
                    yield Told(tested[step], teller, method)


def _path(item: Item, explanation: AnyExplanation | None) -> Iterator[TextInput | TableInput]:
    if isinstance(explanation, Composite):
        yield from _path(item, explanation.boundary)
    elif isinstance(explanation, Boundary):
        for step in explanation.steps:
            yield edited(item.original, step.edits)
