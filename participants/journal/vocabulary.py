"""Which kinds of event a session's journal may hold."""

from collections.abc import Mapping
from typing import Any

from participants.journal.events import EVERY_STUDY, Recorded
from stimuli.catalogue import KEY, LAB_FILE, studies_of
from stimuli.errors import UserError


def vocabulary(header: Mapping[str, Any]) -> dict[str, type[Recorded]]:
    """Return a journal's kinds of event, from the fields of its ``session`` event.

    Raises
    ------
    UserError
        If its study isn't among the studies that are known here.
    """
    kind = kind_of(header)
    return {**EVERY_STUDY, **({} if kind is None else kind.events())}


def kind_of(header: Mapping[str, Any]) -> Any:
    """Return a journal's kind of session; None for a role that its study doesn't have.

    Errors as `vocabulary`.
    """
    name, studies = str(header.get("study")), studies_of("participants")
    if name not in studies:
        raise UserError(f"study {name!r} is unknown here; add its folder to `{KEY}` in {LAB_FILE}")
    kinds = studies[name].sessions.values()
    return next((kind for kind in kinds if kind.role == header.get("role")), None)
