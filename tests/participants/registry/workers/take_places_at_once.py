"""Processes that at once enrol a participant each, take a sheet and an arm, and begin a session."""

import multiprocessing
import sys
from multiprocessing.synchronize import Barrier

from participants.registry import ListOffer, NewSession, Place, PlaceRules, Registry

SHEETS = [ListOffer(f"sheet-{number:02d}") for number in range(1, 16)]
ARMS = ("a", "b", "c", "d", "e")


def take_place(url: str, rig: str, together: Barrier) -> None:
    """Enrol a participant, and print the code and what was given."""
    study = {"study": "human_ai_team", "pack_id": "pack", "rig": rig}
    together.wait()
    registry = Registry.open(url)
    code = registry.enrol("participant")
    rules = PlaceRules(SHEETS, ARMS, seed=1, drop_after_s=7200.0, sides=("left", "right"))
    given = registry.assign(Place(code, **study), rules)
    registry.start_session(NewSession(f"s-{code}", code, "participant", purpose="main", **study))
    sys.stdout.write(f"{code} {given.list} {given.order} {given.accept_side}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    url, processes = sys.argv[1], int(sys.argv[2])
    # What was imported is there in all of them: Python starts once.
    fork = multiprocessing.get_context("fork")
    together = fork.Barrier(processes)
    running = [
        fork.Process(target=take_place, args=(url, f"rig-{number % 2}", together))
        for number in range(processes)
    ]
    for process in running:
        process.start()
    for process in running:
        process.join()
    sys.exit(max(abs(process.exitcode) for process in running))
