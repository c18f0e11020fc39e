"""Standstills of the machine while nothing runs: what long runs are to be read against."""

import time

from bench.book import Effort, Measured, Part
from bench.parts.timing_words import lasting
from bench.parts.watching import STANDSTILLS, standstills_said
from experiments.rig.timing.exclusions import witness

WATCHED_S, QUICK_S = 120.0, 2.0


def measure(effort: Effort) -> Measured:
    """Watch the cores for two minutes."""
    watched_s = QUICK_S if effort.quick else WATCHED_S
    effort.say(lasting(watched_s))
    with witness() as still:
        time.sleep(watched_s)
        found = still.standstills
    text = (
        f"{STANDSTILLS} Here it watches for {watched_s:g} s while the bench runs nothing, to show "
        f"what the machine itself causes. {standstills_said(found, still.cores)}"
    )
    lasting_ms = [1000 * (one.until_s - one.from_s) for one in found]
    figures = {"watched_s": watched_s, "cores": still.cores, "standstills": len(found),
               "longest_ms": max(lasting_ms, default=0.0), "all_ms": sum(lasting_ms)}  # fmt: skip
    return Measured(text, figures)


PARTS = (Part("standstills", "Standstills of the machine itself", measure),)
