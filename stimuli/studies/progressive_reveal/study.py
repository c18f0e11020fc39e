"""What progressive_reveal declares to this room."""

from stimuli.names import ShownText, shown_texts
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.origins import origins_of
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from stimuli.studies.progressive_reveal.tables import CLASSES
from stimuli.study import Study


def texts_of(pack: Pack, language: str) -> tuple[ShownText, ...]:
    """Return the names of classes; see `stimuli.study.Study.texts`."""
    rows, usual = pack.table(CLASSES), pack.protocol.languages[0]
    return shown_texts("the names of classes", rows, ("class",), "name", language, usual)


STUDY = Study(
    package=__package__ or "",
    protocol=ProgressiveReveal,
    ground_srgb=lambda protocol: protocol.images.ground_srgb,
    origins=origins_of,
    texts=texts_of,
)
