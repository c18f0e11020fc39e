"""How each study's packs are built, one folder a study."""

from stimuli.catalogue import Catalogue, Later

STUDIES = Catalogue(
    "xai_backend",
    (
        "accept_reject",
        "accept_reject_accuracy",
        "progressive_reveal",
        "human_ai_team",
        "simulatability",
    ),
    otherwise=Later("xai_backend.packs.from_rules:study_from_rules"),
)
"""The studies' declarations for this room."""
