"""Explanations of images: how exact, how fast, how faithful, and what a kill leaves."""

from tests.bench.book import Book
from tests.bench.parts import xai_photographs

BOOK = Book(
    name="xai",
    page="xai_backend",
    title="Explanations",
    intro="",
    parts=(*xai_photographs.PARTS,),
)
