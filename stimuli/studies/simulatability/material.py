"""What a builder hands over to `compose`: items with their explanations, by domain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from stimuli.maps.origin import Origin
from stimuli.studies.simulatability.explanations import AnyExplanation
from stimuli.studies.simulatability.inputs import Edit, TableInput, TextInput

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
    edits, edited_output
        Of a counterfactual: what is changed, and the model's output then.
    """

    use: Use
    split: str
    source_id: str
    original: TextInput | TableInput
    true_label: str
    output: str
    explanations: Mapping[str, AnyExplanation] = field(default_factory=dict)
    edits: tuple[Edit, ...] | None = None
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
