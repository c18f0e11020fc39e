"""What a participant is shown, as data: an input, the model's output and an explanation.

A model reads a sentence or a row of a table. Either can be changed by edits. Each method's
explanations have one type, from which the screen makes a picture. Places are indices of tokens or
columns, from 0. Weights and margins are stated for the domain's positive class, in the units that
the method shows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter

from stimuli.protocol import Section


class Computed(Section):
    """What a method computed; `fitting` names the method whose numbers aren’t finite."""

    model_config = ConfigDict(allow_inf_nan=True)


class TextInput(Computed):
    """A sentence, cut into tokens: words and signs.

    ``glued`` are the places of tokens without a blank before them, such as a full stop's.
    """

    kind: Literal["text"] = "text"
    tokens: tuple[str, ...] = Field(min_length=1, strict=False)
    glued: tuple[int, ...] = Field(default=(), strict=False)

    @property
    def parts(self) -> tuple[str, ...]:
        """What can be changed, in order: the tokens."""
        return self.tokens

    @property
    def text(self) -> str:
        """The sentence as it is written, which people see and models are asked."""
        return "".join(map(str.__add__, self.gaps, self.tokens))

    @property
    def gaps(self) -> tuple[str, ...]:
        """What is before each token: a blank or nothing.

        An empty token was taken away. Its blank stays before a word, but not before other signs.
        """
        gaps, begun, left = [], False, False
        for place, token in enumerate(self.tokens):
            blank = place not in self.glued
            kept = blank or (left and token[:1].isalnum())
            gaps.append(" " if token and begun and kept else "")
            begun, left = begun or bool(token), not token and (left or blank)
        return tuple(gaps)

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Start and end of each token in the text."""
        spans, end = [], 0
        for gap, token in zip(self.gaps, self.tokens, strict=True):
            begin = end + len(gap)
            end = begin + len(token)
            spans.append((begin, end))
        return tuple(spans)

    def replaced(self, tokens: Sequence[str]) -> "TextInput":
        """Return the sentence with other tokens in its places; empty ones are taken away."""
        return self.model_copy(update={"tokens": tuple(tokens)})

    def kept(self, places: Sequence[int]) -> "TextInput":
        """Return the sentence with the tokens of these places alone."""
        there = frozenset(places)
        gaps = self.replaced(
            [token if place in there else "" for place, token in enumerate(self.tokens)]
        ).gaps
        return TextInput(
            tokens=tuple(self.tokens[place] for place in places),
            glued=tuple(at for at, place in enumerate(places) if at and not gaps[place]),
        )


class TableInput(Computed):
    """A row of a table: a value in each column."""

    kind: Literal["table"] = "table"
    columns: tuple[str, ...] = Field(min_length=1, strict=False)
    values: tuple[str, ...] = Field(min_length=1, strict=False)

    @property
    def parts(self) -> tuple[str, ...]:
        """What can be changed, in order: the values."""
        return self.values


Input = Annotated[TextInput | TableInput, Field(discriminator="kind")]
INPUT: TypeAdapter[TextInput | TableInput] = TypeAdapter(Input)


class Edit(Computed):
    """One change of an input.

    Attributes
    ----------
    place
        The token or column that is changed, from 0.
    old, new
        What stood there, and what stands there now.
    """

    place: int = Field(ge=0)
    old: str
    new: str


EDITS: TypeAdapter[tuple[Edit, ...]] = TypeAdapter(tuple[Edit, ...])


def edited(original: TextInput | TableInput, edits: Sequence[Edit]) -> TextInput | TableInput:
    """Return an input with its edits made.

    Raises
    ------
    ValueError
        If an edit's place doesn't exist, or doesn't hold what the edit says.
    """
    parts = list(original.parts)
    for edit in edits:
        if edit.place >= len(parts) or original.parts[edit.place] != edit.old:
            raise ValueError(f"the input doesn't hold {edit.old!r} at place {edit.place}")
        parts[edit.place] = edit.new
    name = "tokens" if isinstance(original, TextInput) else "values"
    return original.model_copy(update={name: tuple(parts)})


def edits_between(
    original: TextInput | TableInput, changed: TextInput | TableInput
) -> tuple[Edit, ...]:
    """Return the edits that lead from one input to another of the same length, by place."""
    pairs = zip(original.parts, changed.parts, strict=True)
    return tuple(
        Edit(place=place, old=old, new=new) for place, (old, new) in enumerate(pairs) if old != new
    )


Places = Annotated[tuple[int, ...], Field(strict=False)]


class Weighted(Computed):
    """A word or a value with its weight.

    Attributes
    ----------
    name
        As it is written in a list, such as ``if (2nd)`` or ``Sex = Male``.
    places
        Where it stands in the input; several where the word occurs several times.
    weight
        Signed: above 0 it speaks for the positive class.
    """

    name: str
    places: Places
    weight: float


class Condition(Computed):
    """One condition of a rule: a word or a value that must be there."""

    name: str
    places: Places


class Lime(Computed):
    """A local linear model (Ribeiro et al. 2016).

    ``total`` is the evidence as stated, of which `weights_sum` is the features' share; above .5
    the linear model says the positive class. ``fidelity`` is the share of the probability's
    variance over the samples that it explains (R², weighted as the samples are); None where it
    isn't known. It isn't shown.
    """

    kind: Literal["lime"] = "lime"
    features: tuple[Weighted, ...] = Field(strict=False)
    baseline: float
    weights_sum: float
    total: float
    fidelity: float | None = None


class Anchor(Computed):
    """A rule that is enough for the model's output (Ribeiro et al. 2018).

    ``precision`` and ``coverage`` are shares, 0…1; None where they aren't known.
    """

    kind: Literal["anchor"] = "anchor"
    outcome: str
    conditions: tuple[Condition, ...] = Field(strict=False)
    precision: float | None = None
    coverage: float | None = None


class Prototype(Computed):
    """The training example that a prototype network finds most alike.

    Attributes
    ----------
    prototype
        The example.
    label
        Its class.
    evidence
        The score of the prototype's class, times 10; negative for the negative class. None where
        it isn't known, as of a lab's own examples.
    terms
        What in the input made it alike, from most negative to most positive or as published: by
        how much `evidence` changes without it.
    """

    kind: Literal["prototype"] = "prototype"
    prototype: Input
    label: str
    evidence: float | None
    terms: tuple[Weighted, ...] = Field(strict=False)


class BoundaryStep(Computed):
    """An input on the way to the decision boundary.

    ``edits`` are all that were made so far; ``margin`` is the model's evidence margin there, None
    where it isn't shown.
    """

    edits: tuple[Edit, ...] = Field(strict=False)
    margin: float | None


class Boundary(Computed):
    """A path of edits that changes the model's output.

    ``target`` is the class that it leads to, ``margin`` the original input's evidence margin (None
    where it isn't shown).
    """

    kind: Literal["boundary"] = "boundary"
    target: str
    margin: float | None
    steps: tuple[BoundaryStep, ...] = Field(strict=False)


class Omission(Computed):
    """How much the evidence margin changes when a word or a value is left out."""

    kind: Literal["omission"] = "omission"
    margin: float
    terms: tuple[Weighted, ...] = Field(strict=False)


class Weights(Computed):
    """How much words or values count.

    Attributes
    ----------
    target
        The class that weights above 0 speak for; those below 0 speak for the other class, or
        against `target` where there are more than two. None where weights speak for no class,
        such as those of attention.
    terms
        Words or values with their weights, in the order in which they are listed.
    """

    kind: Literal["weights"] = "weights"
    target: str | None
    terms: tuple[Weighted, ...] = Field(strict=False)

    @property
    def look(self) -> str:
        """What its screens are called: those of attention look otherwise."""
        return "attention" if self.target is None else self.kind


class Composite(Computed):
    """Four methods together; of the boundary the last step alone."""

    kind: Literal["composite"] = "composite"
    lime: Lime
    anchor: Anchor
    boundary: Boundary
    prototype: Prototype


class Rationale(Computed):
    """A lab's own explanation: words, and the places of the input that it speaks of."""

    kind: Literal["rationale"] = "rationale"
    text: str
    places: Places = ()


Explanation = Annotated[
    Lime | Anchor | Prototype | Boundary | Omission | Weights | Composite | Rationale,
    Field(discriminator="kind"),
]
AnyExplanation = Lime | Anchor | Prototype | Boundary | Omission | Weights | Composite | Rationale
EXPLANATION: TypeAdapter[AnyExplanation] = TypeAdapter(Explanation)


@dataclass(frozen=True, slots=True)
class CaseStimulus:
    """An example, or what is predicted.

    Attributes
    ----------
    domain
        ``text`` or ``tabular``.
    original
        The input.
    edits
        What is changed in it, where the model's output on the changed input is predicted; else
        None.
    label
        The true class of `original`; None where it isn't told.
    output
        The model's output on `original`; None where it is what is predicted.
    explanation
        Of the output on `original`; None without one.
    classes
        Ids and words of the classes in the session's language; where there are two, the negative
        one first.
    words
        What columns and values are called in the session's language, where that differs.
    """

    domain: str
    original: TextInput | TableInput
    classes: tuple[tuple[str, str], ...]
    edits: tuple[Edit, ...] | None = None
    label: str | None = None
    output: str | None = None
    explanation: AnyExplanation | None = None
    words: tuple[tuple[str, str], ...] = ()
