"""The plates: all quality bars and speeds."""

from tests.bench.book import Book
from tests.bench.parts import leaks

BOOK = Book(
    name="plates",
    title="Plates",
    intro="How well the plates hide and show their digits, and how fast they are made.",
    parts=leaks.PARTS,
)
