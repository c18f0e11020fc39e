"""Texts in place of images: what they change in a protocol and a build."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn

from stimuli.cases import deviations_in_words
from stimuli.protocol import Deviation
from stimuli.studies.human_ai_team.protocol import RATIONALE, of_cases
from xai_backend.packs.text_cases import read_texts
from xai_backend.studies.human_ai_team.images import Candidate

ARMS: Final = ("confidence", RATIONALE)
"""Of a pack of texts without a protocol file."""
OF_PIXELS: Final = (
    "images", "attack", "system.layer", "help.arms", "help.extremal_variant", "help.neighbours",
)  # fmt: skip
"""Deviations from the paper, or their sections, that say nothing where texts are judged."""


def text_candidates(path: Path) -> list[Candidate]:
    """Return the texts of a table, in order; errors as `read_texts`."""
    return [
        Candidate(item, one.label, _without_pixels, texts=one.texts)
        for item, one in read_texts(path).items()
    ]


def _without_pixels() -> NoReturn:
    raise AssertionError("a text has no pixels")


def text_changes(*, named_arms: bool) -> dict[str, Any]:
    """Return what texts change in a protocol; the arms unless a file names its own."""
    changes: dict[str, Any] = {"cases": "texts", "prior": {"asked": False}}
    return changes if named_arms else {**changes, "help": {"arms": list(ARMS)}}


def text_deviations(protocol: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the deviations of a protocol, as plain values, said of texts."""
    kept = [one for one in protocol["deviations"] if not one["field"].startswith(OF_PIXELS)]
    said = deviations_in_words(kept, partial(of_cases, "texts"))
    own = (
        Deviation(
            field="cases",
            published="People judge labels of photographs.",
            here="People judge labels of texts.",
            reason="The AI is one that reads texts.",
        ),
        Deviation(
            field="prior.asked",
            published="Before each image people say whether they have ever seen such a thing.",
            here="Nothing is asked before a text.",
            reason="The label of a text isn't a thing that can be seen.",
        ),
    )
    return [*said, *(one.model_dump() for one in own)]
