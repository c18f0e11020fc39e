"""The studies on a screen, one folder a study."""

from typing import TYPE_CHECKING

from stimuli.catalogue import Catalogue

if TYPE_CHECKING:
    from experiments.study import Study


def _declare_choices(name: str) -> "Study":
    from experiments.plain_choice import declare_choices

    return declare_choices(name)


STUDIES = Catalogue(
    "experiments",
    (
        "accept_reject",
        "accept_reject_accuracy",
        "progressive_reveal",
        "human_ai_team",
        "simulatability",
    ),
    otherwise=_declare_choices,
)
"""The studies' screens. An external study needs an ``experiments`` module only if its trials are
more than a text, a picture and answers."""
