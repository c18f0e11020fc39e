"""The studies on a screen, one folder a study."""

from stimuli.catalogue import Catalogue

STUDIES = Catalogue(
    "experiments",
    (
        "accept_reject",
        "accept_reject_accuracy",
        "progressive_reveal",
        "human_ai_team",
        "simulatability",
    ),
)
"""The studies' screens."""
