"""What progressive_reveal declares to this room."""

from stimuli.catalogue import Late
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from stimuli.study import Study

STUDY = Study(
    package=__package__ or "",
    protocol=ProgressiveReveal,
    ground_srgb=lambda protocol: protocol.images.ground_srgb,
    origins=Late("stimuli.studies.progressive_reveal.origins:origins_of"),
    texts=Late("stimuli.studies.progressive_reveal.shown_text:texts_of"),
)
