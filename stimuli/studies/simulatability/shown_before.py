"""Items whose answer is shown somewhere before people predict it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from stimuli.studies.simulatability.explanations import AnyExplanation, Boundary, Composite
from stimuli.studies.simulatability.inputs import TableInput, TextInput, edited
from stimuli.studies.simulatability.material import Item


@dataclass(frozen=True, slots=True)
class ShownBefore:
    """An item whose answer another item or an explanation shows.

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


def answers_shown_before(
    items: Iterable[Item], tests: Sequence[str], methods: Iterable[str] = ()
) -> Iterator[ShownBefore]:
    """Yield items of a domain whose answer is shown before people give it.

    Examples and the originals of counterfactuals are shown with their outputs. A path to the
    decision boundary shows the outputs for the inputs along it.

    Parameters
    ----------
    items
        All items of a domain.
    tests
        The tests in their order: what a later test shows comes too late to matter.
    methods
        Methods whose explanations are looked at.
    """
    every = list(items)
    tested: dict[TextInput | TableInput, list[Item]] = {}
    for item in every:
        if item.use in tests:
            tested.setdefault(tested_input(item), []).append(item)
    place = {"learning": -1} | {test: nth for nth, test in enumerate(tests)}
    for teller in every:
        if teller.use == "forward" or teller.use not in place:
            continue
        for method, given in _shown(teller, methods):
            for item in tested.get(given, ()):
                if place[teller.use] <= place[item.use]:
                    yield ShownBefore(item, teller, method)


def _shown(teller: Item, methods: Iterable[str]) -> Iterator[tuple[str, TextInput | TableInput]]:
    """Yield the inputs whose output an item shows, with the method (empty: the item itself)."""
    yield "", teller.original
    for method in methods:
        for step in _path(teller, teller.explanations.get(method)):
            yield method, step


def _path(item: Item, explanation: AnyExplanation | None) -> Iterator[TextInput | TableInput]:
    if isinstance(explanation, Composite):
        yield from _path(item, explanation.boundary)
    elif isinstance(explanation, Boundary):
        for step in explanation.steps:
            yield edited(item.original, step.edits)
