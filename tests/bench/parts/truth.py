"""Truth checks."""

from tests.bench.book import Part

PARTS: tuple[Part, ...] = ()
