"""The statistics: reference values, truth checks, speed and scale."""

from tests.bench.book import Book
from tests.bench.parts import mixed, reports, resampling, truth

BOOK = Book(
    name="statistics",
    title="Statistics",
    intro="Reference values met, intervals that cover, and what it costs.",
    parts=(*mixed.PARTS, *resampling.PARTS, *truth.PARTS, *reports.PARTS),
)
