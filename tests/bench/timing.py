"""Timing: what a person would see and press, measured from outside the process."""

from tests.bench.book import Book, Part
from tests.bench.parts import (
    timing_load,
    timing_pairs,
    timing_presses,
    timing_rates,
    timing_soak,
    timing_standstills,
    timing_start,
)

BOOK = Book(
    name="timing",
    title="Timing",
    intro=(
        "Every figure here is measured from outside: a photodiode (a process that watches the "
        "pixels of a virtual display) stamps when the marker's patch changes, a button box "
        "(another process) makes real key and button events. An error is what a program recorded "
        "minus what these two saw and did; its mean is a constant lag, its SD is jitter. The trial "
        "is run by the suite and by a plain PsychoPy script, with real-time priority for both. "
        "There is no screen and no vertical sync here, swaps are paced by the clock: figures of a "
        "lab PC come from `python3 lab.py timing` with a photodiode at that PC."
    ),
    parts=(
        Part("pairs", "Suite and plain PsychoPy", timing_pairs.measure),
        Part("presses", "No press is lost", timing_presses.measure),
        Part("load", "A busy PC", timing_load.measure),
        Part("rates", "Rates of usual displays", timing_rates.measure),
        *timing_standstills.PARTS,
        *(timing_soak.part(name) for name in timing_soak.PLANS),
        Part("start", "From the command to the first page", timing_start.measure),
    ),
)
