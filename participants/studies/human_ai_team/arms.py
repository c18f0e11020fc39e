"""Which texts and words tell of an arm's help and of the labels, before and after."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from stimuli.maps.origin import PEOPLE, RESPONSE_MODEL
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.origins import (
    examples_learned,
    helps_by_arm,
    swapped_labels,
)
from stimuli.studies.human_ai_team.protocol import (
    HUMAN_ALONE,
    RATIONALE,
    HelpKind,
    help_kind,
)

MAPS: Final = "maps"
OF_ARMS: Final[Mapping[str, str]] = {
    HUMAN_ALONE: "alone",
    "gradcam": "heatmap",
    "extremal_perturbation": "heatmap",
    "salient_object": "salient",
    RATIONALE: "rationale",
}
OF_KINDS: Final[Mapping[HelpKind, str]] = {
    "none": "none",
    "heatmap": MAPS,
    "examples": "examples",
    "text": "words",
}
"""Of maps that a lab gives the builder nothing is known but who made them."""
OF_MAPS: Final[Mapping[str, str]] = {PEOPLE: "people", RESPONSE_MODEL: "simulated"}


@dataclass(frozen=True, slots=True)
class ArmTexts:
    """What the texts of a pack's arm say.

    Attributes
    ----------
    help, debrief
        Names of the texts that explain the help, before and after.
    swapped
        How many labels in validation didn't come from the AI.
    """

    help: str
    debrief: str
    swapped: int

    @property
    def debrief_checks(self) -> str:
        """Name of the text that tells of validation."""
        return "debrief_swapped" if self.swapped else "debrief_checks"


def texts_of(pack: Pack, arm: str) -> ArmTexts:
    """Return which texts a session in an arm shows."""
    about = "learned" if examples_learned(pack, arm) else help_texts(arm)
    after = about
    if about == MAPS:
        after = OF_MAPS.get(helps_by_arm(pack)[arm].kind, MAPS)
    return ArmTexts(f"help_{about}", f"debrief_{after}", swapped_labels(pack))


def help_texts(arm: str) -> str:
    """Return which texts and words tell of an arm's help, such as ``heatmap``.

    The text is ``help_heatmap``, and a screen's words are ``heatmap`` and ``note_heatmap``.
    """
    return OF_ARMS.get(arm) or OF_KINDS[help_kind(arm)]
