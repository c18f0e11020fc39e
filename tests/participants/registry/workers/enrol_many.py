"""Processes that enrol people at once, give each a place and begin a session."""

import multiprocessing
import sys
from multiprocessing.synchronize import Barrier

from participants.registry import ListOffer, NewSession, Place, PlaceRules, Registry

OFFERS = [ListOffer(f"l{number}", "deutan", 3) for number in range(4)]
ORDERS = ("without_first", "with_first")


def enrol(url: str, rig: str, people: int, together: Barrier) -> None:
    """Enrol people from one PC, and print the code and place of each."""
    study = {"study": "accept_reject", "pack_id": "pack", "rig": rig}
    together.wait()
    registry = Registry.open(url)
    lines = []
    for _ in range(people):
        code = registry.enrol("lead", axis="deutan", rung=3)
        given = registry.assign(Place(code, **study), PlaceRules(OFFERS, ORDERS, 1, 3600.0))
        registry.start_session(NewSession(f"s-{code}", code, "lead", purpose="main", **study))
        lines.append(f"{rig} {code} {given.list} {given.order}\n")
    sys.stdout.write("".join(lines))
    sys.stdout.flush()


if __name__ == "__main__":
    url, processes, people, rigs = sys.argv[1], *map(int, sys.argv[2:])
    # What was imported is there in all of them: Python starts once.
    fork = multiprocessing.get_context("fork")
    together = fork.Barrier(processes)
    at = [f"rig-{number % rigs}" for number in range(processes)]
    running = [
        fork.Process(target=enrol, args=(url, rig, people // processes, together)) for rig in at
    ]
    for process in running:
        process.start()
    for process in running:
        process.join()
    sys.exit(max(abs(process.exitcode) for process in running))
