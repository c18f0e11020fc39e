"""The studies: who takes part, what they go through, and what becomes of their answers."""

from stimuli.catalogue import Catalogue

STUDIES = Catalogue(
    "participants",
    (
        "accept_reject",
        "accept_reject_accuracy",
        "progressive_reveal",
        "human_ai_team",
        "simulatability",
    ),
)
