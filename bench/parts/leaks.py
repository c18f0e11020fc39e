"""Does a plate show its digit to those who must see it, and to nobody else?"""

from bench.book import Part
from bench.parts import assumptions, bars, classifiers, displays, every_rung, network

PARTS: tuple[Part, ...] = (
    Part("observer", "What normal, anomalous and dichromatic observers read", bars.measure),
    Part("classifiers", "What a trained network reads without red and green", classifiers.measure),
    Part("rungs", "The same at every rung of the ladder", every_rung.measure),
    Part("cones", "A dichromat with other cones", displays.measure_cones),
    Part("displays", "A display that differs from its profile", displays.measure_displays),
    Part("network", "What the network reads", network.measure),
    Part("assumptions", "What the observers assume", assumptions.measure),
)
