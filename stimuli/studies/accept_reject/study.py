"""What accept_reject declares to this room."""

from stimuli.catalogue import Late
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.study import Study

STUDY = Study(
    package=__package__ or "",
    protocol=AcceptReject,
    ground_srgb=lambda protocol: protocol.plates.ground_srgb,
    origins=Late("stimuli.studies.accept_reject.origins:origins_of"),
    fresh_plates=Late("stimuli.studies.accept_reject.fresh_plates:fresh_plates"),
)
