"""Timing: what a person would see and press, measured from outside the process."""

from bench.book import Book, Part
from bench.parts import (
    timing_load,
    timing_pairs,
    timing_presses,
    timing_rates,
    timing_sessions,
    timing_soak,
    timing_standstills,
    timing_start,
    timing_watch,
)

BOOK = Book(
    name="timing",
    title="Timing",
    intro=(
        "This page measures how exact onsets, durations and presses are. `python3 lab.py bench "
        "timing` measures it again. Two processes observe from outside: a photodiode watches the "
        "pixels of a virtual display and stamps when the marker's patch changes, and a button box "
        "makes real key and button events. An error is what a program recorded minus what these "
        "two saw and did. Its mean is a constant lag, its SD is jitter. The suite and a plain "
        "PsychoPy script run the same trial, both with real-time priority. There is no screen and "
        "no vertical sync here, so the clock paces swaps. For the figures of a lab PC use "
        "`python3 lab.py timing` with a photodiode at that PC."
    ),
    parts=(
        Part("pairs", "Suite and plain PsychoPy", timing_pairs.measure),
        timing_watch.PART,
        Part("presses", "No press is lost", timing_presses.measure),
        Part("load", "A busy PC", timing_load.measure),
        Part("rates", "Rates of usual displays", timing_rates.measure),
        *timing_standstills.PARTS,
        *(timing_soak.part(name) for name in timing_soak.PLANS),
        timing_sessions.PART,
        Part("start", "From the command to the first page", timing_start.measure),
    ),
)
