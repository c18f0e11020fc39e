"""Which texts and words tell of an arm's help, before and after."""

from collections.abc import Mapping
from typing import Final

from stimuli.maps.origin import PEOPLE, RESPONSE_MODEL
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.origins import helps_by_arm
from stimuli.studies.human_ai_team.protocol import HUMAN_ALONE, HelpKind, help_kind

MAPS: Final = "maps"
OF_ARMS: Final[Mapping[str, str]] = {
    HUMAN_ALONE: "alone",
    "gradcam": "heatmap",
    "extremal_perturbation": "heatmap",
    "salient_object": "salient",
}
OF_KINDS: Final[Mapping[HelpKind, str]] = {
    "none": "none",
    "heatmap": MAPS,
    "examples": "examples",
    "text": "words",
}
"""Of maps that a lab gives the builder nothing is known but who made them."""
OF_MAPS: Final[Mapping[str, str]] = {PEOPLE: "people", RESPONSE_MODEL: "simulated"}


def help_texts(arm: str) -> str:
    """Return which texts and words tell of an arm's help, such as ``heatmap``.

    The text is ``help_heatmap``, and a screen's words are ``heatmap`` and ``note_heatmap``.
    """
    return OF_ARMS.get(arm) or OF_KINDS[help_kind(arm)]


def debrief_text(pack: Pack, arm: str) -> str:
    """Return the text of the debrief that says where an arm's help came from."""
    about = help_texts(arm)
    if about == MAPS:
        about = OF_MAPS.get(helps_by_arm(pack)[arm].kind, MAPS)
    return f"debrief_{about}"
