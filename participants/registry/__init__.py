"""The registry: codes instead of names, assignments, consents and running sessions."""

from participants.registry.codes import check_code, new_code
from participants.registry.lists import ListOffer, offers_of
from participants.registry.registry import Assignment, Person, Registry, Role
from participants.registry.sessions import NewSession, Unfinished

__all__ = [
    "Assignment",
    "ListOffer",
    "NewSession",
    "Person",
    "Registry",
    "Role",
    "Unfinished",
    "check_code",
    "new_code",
    "offers_of",
]
