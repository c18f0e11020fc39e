"""Wait for the word, then enrol a lead, take a place and begin a session."""

import sys
import time
from pathlib import Path

from participants.registry import ListOffer, NewSession, Place, PlaceRules, Registry

url, go, rig = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
offers = [ListOffer(f"l{number}", "deutan", 3) for number in range(4)]
study = {"study": "accept_reject", "pack_id": "pack", "rig": rig}
print("ready", flush=True)
while not go.exists():
    time.sleep(0.002)
registry = Registry.open(url)
code = registry.enrol("lead", axis="deutan", rung=3)
orders = ("without_first", "with_first")
given = registry.assign(Place(code, **study), PlaceRules(offers, orders, 1, 3600.0))
registry.start_session(NewSession(f"s-{code}", code, "lead", purpose="main", **study))
print(code, given.list, given.order, flush=True)
