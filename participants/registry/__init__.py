"""The registry: codes instead of names, assignments, consents and running sessions."""

from participants.lists import Assignment, ListOffer
from participants.new_person import Role
from participants.registry.assignments import Place, PlaceRules
from participants.registry.people import ConsentAnswer, Person, check_code, new_code
from participants.registry.registry import Registry
from participants.registry.sessions import Here, NewSession, TakenOverError, Unfinished
