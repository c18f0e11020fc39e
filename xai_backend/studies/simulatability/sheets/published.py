"""What is known of the published study beside its sheets: classes, splits, sizes, accuracies."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from stimuli.maps.origin import IMPORTED, Origin
from stimuli.names import ANY_LANGUAGE
from stimuli.studies.simulatability.material import Use, Words
from xai_backend.studies.simulatability.sheets.lines import Lines
from xai_backend.studies.simulatability.sheets.written_inputs import read_row, read_sentence
from xai_backend.studies.simulatability.trained import AnyInput

ORIGIN: Final = Origin(IMPORTED, "sheets of Hase & Bansal 2020")
SIZES: Final[Mapping[Use, int]] = {"learning": 16, "forward": 32, "counterfactual": 32}
"""How many items a domain has of each use."""
SPLITS: Final[Mapping[Use, str]] = {
    "learning": "validation",
    "forward": "test",
    "counterfactual": "test",
}


@dataclass(frozen=True, slots=True)
class PublishedDomain:
    """A domain of the published study.

    Attributes
    ----------
    name
        Its name, and its folder's.
    classes
        As the sheets have them, the negative one first.
    class_names
        What people read for them, by class and language.
    accuracy
        Share of the test split that the task model gets right, and its prototype network (the
        paper's Table 4).
    read_input
        Reads an input.
    """

    name: Literal["text", "tabular"]
    classes: tuple[str, str]
    class_names: Words
    accuracy: tuple[float, float]
    read_input: Callable[[Lines], AnyInput]


TEXT: Final = PublishedDomain(
    name="text",
    classes=("neg", "pos"),
    class_names={
        ("neg", ANY_LANGUAGE): "negative",
        ("pos", ANY_LANGUAGE): "positive",
        ("neg", "de"): "negativ",
        ("pos", "de"): "positiv",
    },
    accuracy=(0.8093, 0.8064),
    read_input=read_sentence,
)
TABULAR: Final = PublishedDomain(
    name="tabular",
    classes=("below $50K", "above $50K"),
    class_names={
        ("below $50K", ANY_LANGUAGE): "below $50K",
        ("above $50K", ANY_LANGUAGE): "above $50K",
        ("below $50K", "de"): "unter 50.000 $",
        ("above $50K", "de"): "über 50.000 $",
    },
    accuracy=(0.8349, 0.8190),
    read_input=read_row,
)
