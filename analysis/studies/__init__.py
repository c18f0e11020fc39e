"""The studies, and what each reports."""

from stimuli.catalogue import Catalogue

STUDIES = Catalogue(
    "analysis",
    (
        "accept_reject",
        "accept_reject_accuracy",
        "progressive_reveal",
        "human_ai_team",
        "simulatability",
    ),
)
"""How each study is analysed."""
