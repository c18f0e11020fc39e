"""How each study's packs are built, one folder a study."""

from stimuli.catalogue import Catalogue
from xai_backend.study import Study


def _declare_from_rules(name: str) -> Study:
    from xai_backend.packs.from_rules import study_from_rules

    return study_from_rules(name)


STUDIES = Catalogue(
    "xai_backend",
    (
        "accept_reject",
        "accept_reject_accuracy",
        "progressive_reveal",
        "human_ai_team",
        "simulatability",
    ),
    otherwise=_declare_from_rules,
)
"""The studies' declarations for this room."""
