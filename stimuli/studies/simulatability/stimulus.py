"""What a participant is shown: an input, what the model made of it, an explanation."""

from dataclasses import dataclass

from stimuli.studies.simulatability.explanations import AnyExplanation
from stimuli.studies.simulatability.inputs import Edit, TableInput, TextInput


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
