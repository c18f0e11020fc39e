"""What simulatability declares to this room."""

from stimuli.studies.simulatability.origins import origins_of
from stimuli.studies.simulatability.protocol import Simulatability
from stimuli.studies.simulatability.shown_text import texts_of
from stimuli.study import Study

STUDY = Study(
    package=__package__ or "",
    protocol=Simulatability,
    ground_srgb=lambda protocol: protocol.look.ground_srgb,
    origins=origins_of,
    texts=texts_of,
)
