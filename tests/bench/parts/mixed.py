"""Mixed models."""

from tests.bench.book import Part

PARTS: tuple[Part, ...] = ()
