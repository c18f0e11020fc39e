"""What accept_reject_accuracy declares to this room."""

from stimuli.catalogue import Late
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy
from stimuli.study import Study

STUDY = Study(
    package=__package__ or "",
    protocol=AcceptRejectAccuracy,
    ground_srgb=lambda protocol: protocol.images.ground_srgb,
    origins=Late("stimuli.studies.accept_reject_accuracy.origins:origins_of"),
    texts=Late("stimuli.studies.accept_reject_accuracy.shown_text:texts_of"),
)
