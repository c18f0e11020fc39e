"""What a builder hands over to `compose`: items with their explanations, by domain.

All kinds of items are equally frequent, also in the half of a test that a short test shows. With
two classes a kind is a true or false positive or negative. With more classes a kind is an output,
and whether it is right. `answers_shown_before` finds items whose answer is shown before people
predict it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from stimuli.io.canonical import keyed_order, seed_of
from stimuli.maps.origin import Origin
from stimuli.studies.simulatability import stimulus

Words = Mapping[tuple[str, str], str]
"""What a term is called, by (term, language); `ANY_LANGUAGE` stands for every other language."""
Use = Literal["learning", "forward", "counterfactual"]
Section = Literal[
    "learning", "forward_pre", "learning_again", "forward_post",
    "counterfactual_pre", "counterfactual_post",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """An example to learn from, or what is predicted.

    Attributes
    ----------
    use, split, source_id
        What it is for; the part of the data that it comes from; its id there. The same id may stand
        in two sets: an item's key is domain, split, use and id together.
    original
        The input.
    true_label, output
        The class of `original`, and the model's output on it.
    explanations
        Of the output on `original`, by method; empty in ``forward``.
    scores
        Of its explanations by weights of words: by method and column (`stimuli.maps.metrics`).
    edits, edited_output
        Of a counterfactual: what is changed, and the model's output then.
    """

    use: Use
    split: str
    source_id: str
    original: stimulus.TextInput | stimulus.TableInput
    true_label: str
    output: str
    explanations: Mapping[str, stimulus.AnyExplanation] = field(default_factory=dict)
    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    edits: tuple[stimulus.Edit, ...] | None = None
    edited_output: str | None = None

    @property
    def predicted(self) -> str:
        """The output that people predict."""
        return self.output if self.edited_output is None else self.edited_output

    @property
    def flips(self) -> bool | None:
        """Whether the change changes the model's output; None but for counterfactuals."""
        return None if self.edited_output is None else self.edited_output != self.output

    def key(self, domain: str) -> str:
        """Return what tells it from every other item: domain, split, use and id."""
        return f"{domain}:{self.split}:{self.use}:{self.source_id}"


@dataclass(frozen=True, slots=True)
class DomainMaterial:
    """One domain's items.

    Attributes
    ----------
    name
        ``text`` or ``tabular``.
    classes
        Ids of the classes; where there are two, the negative one first.
    class_names, terms
        What classes, and columns and values, are called.
    items
        All of them.
    orders
        Orders that must be kept, by method and section: source ids. Where none is given, the
        composer draws one.
    accuracy
        Share of the test split that the task model gets right, and its prototype network (None
        without one); None where it isn't known.
    """

    name: str
    classes: tuple[str, ...]
    items: Sequence[Item]
    class_names: Words = field(default_factory=dict)
    terms: Words = field(default_factory=dict)
    orders: Mapping[tuple[str, Section], Sequence[str]] = field(default_factory=dict)
    accuracy: tuple[float, float | None] | None = None


@dataclass(frozen=True, slots=True)
class Material:
    """All domains.

    Attributes
    ----------
    domains
        At most one text and one tabular domain.
    origins
        Who made a method's explanations, by method.
    method_names
        What a method is called, by (method, language); the suite's own have names already.
    """

    domains: Sequence[DomainMaterial]
    origins: Mapping[str, Origin] = field(default_factory=dict)
    method_names: Words = field(default_factory=dict)


OF_TWO: Final = ("true_positive", "false_positive", "true_negative", "false_negative")
DIAGONALS: Final = (
    ("true_positive", "false_negative"),
    ("false_positive", "true_negative"),
)
"""If flips can't be halved again, one of these pairs has one more of them than the other. So a
person who follows the label, the output on the original or one class is still right on half."""


def outcome_of(true_label: str, output: str, classes: Sequence[str]) -> str:
    """Return which of `tables.OUTCOMES` a label and an output make.

    Parameters
    ----------
    classes
        Of the domain, the positive one last where there are two.
    """
    is_right = true_label == output
    if len(classes) > 2:
        return "right" if is_right else "wrong"
    says = "positive" if output == classes[1] else "negative"
    return f"{'true' if is_right else 'false'}_{says}"


def kinds_of(classes: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds of items of a domain: two for each class."""
    if len(classes) == 2:
        return OF_TWO
    return tuple(f"{name} ({is_it})" for name in classes for is_it in ("right", "wrong"))


def kind_of(true_label: str, output: str, classes: Sequence[str]) -> str:
    """Return the kind of item that a label and an output make."""
    outcome = outcome_of(true_label, output, classes)
    return outcome if len(classes) == 2 else f"{output} ({outcome})"


def short_half(
    items: Sequence[Item], domain: str, classes: Sequence[str], key: str
) -> frozenset[str]:
    """Return the keys of the items that a short test shows: half of each kind.

    Half of them flip, in each kind where the numbers allow it, else over all.

    Parameters
    ----------
    items
        Of one test, balanced.
    domain, classes
        The items' domain, and its classes.
    key
        Root of every keyed draw.
    """
    use = items[0].use
    more = _with_more_flips(classes, seed_of(key, domain, use, "diagonal"))
    chosen: set[str] = set()
    for kind in kinds_of(classes):
        cell = [item for item in items if kind_of(item.true_label, item.output, classes) == kind]
        wanted = len(cell) // 2
        if use == "forward":
            chosen |= _first(wanted, cell, domain, key)
            continue
        flipping = (wanted + (kind in more)) // 2
        chosen |= _first(flipping, (item for item in cell if item.flips), domain, key)
        chosen |= _first(wanted - flipping, (item for item in cell if not item.flips), domain, key)
    return frozenset(chosen)


def _with_more_flips(classes: Sequence[str], seed: int) -> frozenset[str]:
    """Return half of the kinds: those with one more flip where flips can't be halved.

    With more than two classes, at least half of these are kinds with a right output, so that the
    true label predicts no more than half.
    """
    if len(classes) == 2:
        return frozenset(DIAGONALS[seed % 2])
    kinds = kinds_of(classes)
    return frozenset(kinds[2 * at + at % 2] for at in range(len(classes)))


def _first(count: int, items: Iterable[Item], domain: str, key: str) -> set[str]:
    return set(keyed_order((item.key(domain) for item in items), key, "short")[:count])


@dataclass(frozen=True, slots=True)
class ShownBefore:
    """An item whose answer is shown by another item or by an explanation.

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


def tested_input(item: Item) -> stimulus.TextInput | stimulus.TableInput:
    """Return the input on which the model's output is predicted."""
    return item.original if item.edits is None else stimulus.edited(item.original, item.edits)


def answers_shown_before(
    items: Iterable[Item], orders: Sequence[Sequence[str]], methods: Iterable[str] = ()
) -> Iterator[ShownBefore]:
    """Yield items of a domain whose answer is shown before people give it.

    Examples and the originals of counterfactuals are shown with their outputs. A path to the
    decision boundary shows the outputs for the inputs along it.

    Parameters
    ----------
    items
        All items of a domain.
    orders
        The orders of the tests: what a later test shows comes too late to matter.
    methods
        Methods whose explanations are looked at.
    """
    every = list(items)
    tested: dict[stimulus.TextInput | stimulus.TableInput, list[Item]] = {}
    for item in every:
        if item.use in orders[0]:
            tested.setdefault(tested_input(item), []).append(item)
    places = [{"learning": -1} | {test: n for n, test in enumerate(order)} for order in orders]
    for teller in every:
        if teller.use == "forward" or teller.use not in places[0]:
            continue
        for method, instance in _inputs_of(teller, methods):
            for item in tested.get(instance, ()):
                if any(place[teller.use] <= place[item.use] for place in places):
                    yield ShownBefore(item, teller, method)


def _inputs_of(
    teller: Item, methods: Iterable[str]
) -> Iterator[tuple[str, stimulus.TextInput | stimulus.TableInput]]:
    """Yield the inputs whose output an item shows, with the method (empty: the item itself)."""
    yield "", teller.original
    for method in methods:
        for step in _path(teller, teller.explanations.get(method)):
            yield method, step


def _path(
    item: Item, explanation: stimulus.AnyExplanation | None
) -> Iterator[stimulus.TextInput | stimulus.TableInput]:
    if isinstance(explanation, stimulus.Composite):
        yield from _path(item, explanation.boundary)
    elif isinstance(explanation, stimulus.Boundary):
        for step in explanation.steps:
            yield stimulus.edited(item.original, step.edits)
