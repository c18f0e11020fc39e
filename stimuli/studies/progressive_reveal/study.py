"""What progressive_reveal declares to this room."""

from stimuli.studies.progressive_reveal.origins import origins_of
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from stimuli.studies.progressive_reveal.shown_text import texts_of
from stimuli.study import Study

STUDY = Study(
    package=__package__ or "",
    protocol=ProgressiveReveal,
    ground_srgb=lambda protocol: protocol.images.ground_srgb,
    origins=origins_of,
    texts=texts_of,
)
