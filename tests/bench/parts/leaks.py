"""Does a plate show its digit to those who must see it, and to nobody else?"""

from tests.bench.book import Part
from tests.bench.parts import bars

PARTS: tuple[Part, ...] = (
    Part("observer", "What normal, anomalous and dichromatic observers read", bars.measure),
)
