"""What simulatability declares to this room."""

from stimuli.catalogue import Late
from stimuli.studies.simulatability.protocol import Simulatability
from stimuli.study import Study

STUDY = Study(
    package=__package__ or "",
    protocol=Simulatability,
    ground_srgb=lambda protocol: protocol.look.ground_srgb,
    origins=Late("stimuli.studies.simulatability.origins:origins_of"),
    texts=Late("stimuli.studies.simulatability.shown_text:texts_of"),
)
