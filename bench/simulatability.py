"""Study simulatability: what its analysis finds of worlds whose truth is known."""

from bench.book import Book
from bench.parts import simulated_headlines
from bench.parts.simulated_predictions import BIAS, SPEED

BOOK = Book(
    name="simulatability",
    title="What the analysis of simulatability finds",
    intro=(
        "This page says what `analyse simulatability` finds in simulated studies whose truth is "
        "known, and how the published estimator compares with others. `python3 lab.py bench "
        "simulatability` measures it again. The raw answers of the published study were never "
        "published, so its numbers can’t be computed again. The predictions are simulated; "
        "participants and items differ (`analysis/studies/simulatability/"
        "simulated.py`), and how much they differ is an assumption."
    ),
    parts=(BIAS, *simulated_headlines.PARTS, SPEED),
    page="simulatability_truth",
)
