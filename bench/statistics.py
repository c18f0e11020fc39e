"""The statistics: reference values, truth checks, speed and scale."""

from bench.book import Book
from bench.parts import (
    band_coverage,
    few_people,
    inference,
    intervals,
    lmer,
    mixed,
    report_changes,
    reports,
    resampling,
    reveal_scale,
    savings,
    truth,
)

BOOK = Book(
    name="statistics",
    title="Statistics",
    intro=(
        "This page measures how far the statistics can be trusted: it compares fits with "
        "published values, and measures the coverage of intervals and computing times. "
        "`python3 lab.py bench "
        "statistics` measures it again."
    ),
    parts=(
        *mixed.PARTS,
        *inference.PARTS,
        *intervals.PARTS,
        *few_people.PARTS,
        *lmer.PARTS,
        *band_coverage.PARTS,
        *savings.PARTS,
        *resampling.PARTS,
        *truth.PARTS,
        *report_changes.PARTS,
        *reports.PARTS,
        *reveal_scale.PARTS,
    ),
)
