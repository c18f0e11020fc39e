"""What accept_reject_accuracy declares to this room."""

from stimuli.studies.accept_reject_accuracy.origins import origins_of
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy
from stimuli.studies.accept_reject_accuracy.shown_text import texts_of
from stimuli.study import Study

STUDY = Study(
    package=__package__ or "",
    protocol=AcceptRejectAccuracy,
    ground_srgb=lambda protocol: protocol.images.ground_srgb,
    origins=origins_of,
    texts=texts_of,
)
