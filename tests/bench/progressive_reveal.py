"""Study progressive_reveal: what its packs show, measured on real photographs and digits."""

from tests.bench.book import Book
from tests.bench.parts import reveal_truth

BOOK = Book(
    name="progressive_reveal",
    page="progressive_reveal_figures",
    title="progressive_reveal in figures",
    intro=(
        "What [progressive_reveal](progressive_reveal.md) says of itself, measured. Photographs "
        "and weights are those that `PLAINSIGHT_DATA` names."
    ),
    parts=(*reveal_truth.PARTS,),
)
