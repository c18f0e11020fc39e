"""What a model reads, a sentence or a table's row, and what is changed in it."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from stimuli.protocol.base import Section


class TextInput(Section):
    """A sentence, cut into tokens: words and signs, as they are shown with spaces between."""

    kind: Literal["text"] = "text"
    tokens: tuple[str, ...] = Field(min_length=1, strict=False)

    @property
    def parts(self) -> tuple[str, ...]:
        """What can be changed, in order: the tokens."""
        return self.tokens


class TableInput(Section):
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


class Edit(Section):
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
