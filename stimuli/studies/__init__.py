"""The studies, and what an item of each is."""

from stimuli.catalogue import Catalogue

STUDIES = Catalogue(
    "stimuli",
    (
        "accept_reject",
        "accept_reject_accuracy",
        "progressive_reveal",
        "human_ai_team",
        "simulatability",
    ),
)
