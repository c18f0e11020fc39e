"""Which kinds of event a session's journal may hold."""

from collections.abc import Mapping
from typing import Any, Final

from participants.journal.events import (
    EVERY_STUDY,
    AcceptRejectTrialEnd,
    AcceptRejectTrialStart,
    Recorded,
)
from participants.studies.accept_reject.annotation_events import (
    AnnotationTrialEnd,
    AnnotationTrialStart,
)
from participants.studies.progressive_reveal.bubbling_events import BubbleTrialEnd, BubbleTrialStart
from participants.studies.progressive_reveal.events import (
    Copy,
    RevealFlip,
    RevealTrialEnd,
    RevealTrialStart,
)

EXPERT: Final = "expert"
"""An expert's session shows other things than a lead's, under the same kinds of event."""

EVENTS: Mapping[str, dict[str, type[Recorded]]] = {
    "accept_reject": {
        **EVERY_STUDY,
        "trial_start": AcceptRejectTrialStart,
        "trial_end": AcceptRejectTrialEnd,
    },
    "progressive_reveal": {
        **EVERY_STUDY,
        "trial_start": RevealTrialStart,
        "flip": RevealFlip,
        "trial_end": RevealTrialEnd,
        "copy": Copy,
    },
}

EXPERT_EVENTS: Mapping[str, dict[str, type[Recorded]]] = {
    "accept_reject": {
        **EVERY_STUDY,
        "trial_start": AnnotationTrialStart,
        "trial_end": AnnotationTrialEnd,
    },
    "progressive_reveal": {
        **EVERY_STUDY,
        "trial_start": BubbleTrialStart,
        "trial_end": BubbleTrialEnd,
    },
}


def vocabulary(header: Mapping[str, Any]) -> dict[str, type[Recorded]]:
    """Return a journal's kinds of event, from the fields of its ``session`` event."""
    studies = EXPERT_EVENTS if header.get("role") == EXPERT else EVENTS
    return studies.get(str(header.get("study")), EVERY_STUDY)
