"""Small protocols of the study, and their material."""

from dataclasses import replace
from functools import cache
from typing import Any

from stimuli.protocol import load_protocol
from stimuli.studies.human_ai_team.material import Material
from stimuli.studies.human_ai_team.protocol import HumanAiTeam
from stimuli.studies.human_ai_team.sketch import sketch_material

SMALL = {
    "images": {"size_px": 28, "resize_px": 28},
    "bins": {"per_bin": 2, "adversarial_per_level": 2, "sheets": 3, "trials_per_sheet": 6},
    "validation": {"trials": 4, "right_trials": 2, "pass_right": 4},
    "session": {"practice_trials": 2},
}
TEXTS = {
    "cases": "texts",
    "prior": {"asked": False},
    "bins": {"adversarial_per_level": 0},
    "help": {"arms": ("confidence", "human_alone", "text", "rationale")},
}
"""What a protocol changes where texts are judged."""


def protocol_of(**changes: Any) -> HumanAiTeam:
    """Return a small protocol with changes."""
    sections = {name: {**section, **changes.get(name, {})} for name, section in SMALL.items()}
    return load_protocol("human_ai_team", None, {**changes, **sections})


@cache
def small_material() -> Material:
    """Return the sketch's material of the small protocol."""
    return sketch_material(protocol_of())


def with_case(material: Material, **changes: Any) -> Material:
    """Return material whose first main image is changed."""
    first, *others = material.main
    return replace(material, main=[replace(first, **changes), *others])
