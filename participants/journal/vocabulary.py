"""Which kinds of event a session's journal may hold."""

from collections.abc import Mapping
from typing import Any

from participants.journal.events import EVERY_STUDY, Recorded
from stimuli.catalogue import studies_of


def vocabulary(header: Mapping[str, Any]) -> dict[str, type[Recorded]]:
    """Return a journal's kinds of event, from the fields of its ``session`` event."""
    study = studies_of("participants").get(str(header.get("study")))
    kinds = () if study is None else study.sessions.values()
    own = next((kind.events() for kind in kinds if kind.role == header.get("role")), {})
    return {**EVERY_STUDY, **own}
