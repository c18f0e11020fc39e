"""People, places and sessions to fill a registry with."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from participants.registry import ListOffer, NewSession, Place, PlaceRules

OFFERS = tuple(ListOffer(f"l{number}", "deutan", 3) for number in range(4))
ORDERS = ("without_first", "with_first")
DROP_AFTER_S = 3600.0


class Clock:
    def __init__(self):
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self):
        return self.now

    def wait(self, seconds):
        self.now += timedelta(seconds=seconds)


def lead(registry, **changes):
    return registry.enrol("lead", **{"axis": "deutan", "rung": 3, **changes})


def assign(registry, code, offers=OFFERS, **changes):
    of_rules = {name: changes.pop(name) for name in ("drop_after_s", "sides") if name in changes}
    rules = PlaceRules(offers, ORDERS, **{"seed": 1, "drop_after_s": DROP_AFTER_S, **of_rules})
    return registry.assign(replace(Place(code, "accept_reject", "pack", "rig-1"), **changes), rules)


def session_of(code, session="s-1", **changes):
    new = NewSession(session, code, "lead", "accept_reject", "pack", "main", "rig-1")
    return replace(new, **changes)
