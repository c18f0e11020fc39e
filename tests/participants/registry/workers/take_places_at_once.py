"""Wait for the word, then enrol a participant, take a sheet and an arm, and begin a session."""

import sys
import time
from pathlib import Path

from participants.registry import ListOffer, NewSession, Registry

url, go, rig = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
sheets = [ListOffer(f"sheet-{number:02d}") for number in range(1, 16)]
arms = ("a", "b", "c", "d", "e")
study = {"study": "human_ai_team", "pack_id": "pack", "rig": rig}
print("ready", flush=True)
while not go.exists():
    time.sleep(0.002)
registry = Registry.open(url)
code = registry.enrol("participant")
given = registry.assign(
    code, sheets, arms, seed=1, drop_after_s=7200.0, sides=("left", "right"), **study
)
registry.start_session(NewSession(f"s-{code}", code, "participant", purpose="main", **study))
print(code, given.list, given.order, given.accept_side, flush=True)
