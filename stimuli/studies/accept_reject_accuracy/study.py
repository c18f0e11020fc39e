"""What accept_reject_accuracy declares to this room."""

from typing import Final

from stimuli.cases import judged_texts
from stimuli.maps.origin import Origin
from stimuli.names import ShownText, shown_texts
from stimuli.pack import Pack
from stimuli.studies.accept_reject.origins import arms_of
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy
from stimuli.studies.accept_reject_accuracy.tables import LABELS
from stimuli.study import Study

_LABELS: Final = {"S": "S's labels", "E": "E's labels"}


def origins_of(pack: Pack) -> dict[str, Origin]:
    """Return who gave the labels that a pack shows, by what they are in words."""
    return {_LABELS[solver]: origin for (solver, _), origin in arms_of(pack).items()}


def texts_of(pack: Pack, language: str) -> tuple[ShownText, ...]:
    """Return labels and judged texts; see `stimuli.study.Study.texts`."""
    rows, usual = pack.table(LABELS), pack.protocol.languages[0]
    return (
        *shown_texts("the names of labels", rows, ("label",), "name", language, usual),
        *judged_texts(pack, language),
    )


STUDY = Study(
    package=__package__ or "",
    protocol=AcceptRejectAccuracy,
    ground_srgb=lambda protocol: protocol.images.ground_srgb,
    origins=origins_of,
    texts=texts_of,
)
