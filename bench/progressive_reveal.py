"""Study progressive_reveal: what its packs show and its rounds are like, measured."""

from bench.book import Book
from bench.parts import (
    reveal_agreement,
    reveal_careless,
    reveal_entry,
    reveal_protopnet,
    reveal_schedules,
    reveal_steps,
    reveal_truth,
    reveal_typing,
)

BOOK = Book(
    name="progressive_reveal",
    page="progressive_reveal_figures",
    title="progressive_reveal in figures",
    intro=(
        "This page measures what the packs and rounds of "
        "[progressive_reveal](progressive_reveal.md) show. `python3 lab.py bench "
        "progressive_reveal` measures it again; `PLAINSIGHT_DATA` names the folder of its "
        "photographs and weights."
    ),
    parts=(
        *reveal_schedules.PARTS,
        *reveal_protopnet.PARTS,
        *reveal_steps.PARTS,
        *reveal_entry.PARTS,
        *reveal_typing.PARTS,
        *reveal_agreement.PARTS,
        *reveal_truth.PARTS,
        *reveal_careless.PARTS,
    ),
)
