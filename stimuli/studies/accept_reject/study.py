"""What accept_reject declares to this room."""

from stimuli.catalogue import Later
from stimuli.studies.accept_reject.origins import origins_of
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.study import Study

STUDY = Study(
    package=__package__ or "",
    protocol=AcceptReject,
    ground_srgb=lambda protocol: protocol.plates.ground_srgb,
    origins=origins_of,
    fresh_plates=Later(f"{__package__}.tasks:fresh_plates"),
)
