"""What accept_reject declares to this room."""

from stimuli.studies.accept_reject.origins import origins_of
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.study import FreshPlates, Study


def _make_plates(protocol: AcceptReject, code: str, attempt: int) -> FreshPlates:
    # The digits are imported for whoever's rung is found alone.
    from stimuli.studies.accept_reject.tasks import fresh_plates

    return fresh_plates(protocol, code, attempt)


STUDY = Study(
    package=__package__ or "",
    protocol=AcceptReject,
    ground_srgb=lambda protocol: protocol.plates.ground_srgb,
    origins=origins_of,
    fresh_plates=_make_plates,
)
