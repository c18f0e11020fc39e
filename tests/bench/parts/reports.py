"""Reports at scale."""

from tests.bench.book import Part

PARTS: tuple[Part, ...] = ()
