"""Who gave the labels, as a pack says it."""

from typing import Final

from stimuli.maps.origin import Origin
from stimuli.pack import Pack
from stimuli.studies.accept_reject.origins import arms_of

_LABELS: Final = {"S": "S's labels", "E": "E's labels"}


def origins_of(pack: Pack) -> dict[str, Origin]:
    """Return who gave the labels that a pack shows, by what they are in words."""
    return {_LABELS[solver]: origin for (solver, _), origin in arms_of(pack).items()}
