"""Explanations of images: how exact, how fast, how faithful, and what a kill leaves."""

from tests.bench.book import Book
from tests.bench.parts import xai_exactness, xai_kill, xai_photographs, xai_speed, xai_tables

BOOK = Book(
    name="xai",
    page="xai_backend",
    title="Explanations of images",
    intro=(
        "Every method has one verb, `explain`, and every map one key: a hash of the method with "
        "its parameters and version, the weights, the preprocessing, the picture, and the class. "
        "`lab.py explain` and `lab.py build` keep finished maps by that key. Here is how exact "
        "the methods are, what their maps are worth on real photographs, what they cost, and what "
        "a kill leaves of a job. Speeds are those of the machine named below each part; "
        "none was measured on a graphics card so far (`--set device=cuda` does)."
    ),
    parts=(
        *xai_exactness.PARTS,
        *xai_speed.PARTS,
        *xai_photographs.PARTS,
        *xai_tables.PARTS,
        *xai_kill.PARTS,
    ),
)
