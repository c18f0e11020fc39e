"""Explanations of images: how exact, how fast, how faithful, and what a kill leaves."""

from bench.book import Book
from bench.parts import (
    xai_attacks,
    xai_card,
    xai_dask,
    xai_exactness,
    xai_kill,
    xai_methods,
    xai_photographs,
    xai_speed,
    xai_tables,
    xai_variants,
)

BOOK = Book(
    name="xai",
    page="xai_backend",
    title="Explanations of images",
    intro=(
        "This page measures how exact the explanation methods are, how good their maps of real "
        "photographs are, how long they take, and what is lost when a job is killed. "
        "`python3 lab.py bench xai` measures it again. `lab.py explain` and `lab.py build` keep "
        "each finished map by a key: a hash of the method with its parameters and version, the "
        "weights, the preprocessing, the picture and the class. Speeds are those of the machine "
        "named below each part; `--set device=cuda` measures on a graphics card. If you have one "
        "for a few minutes, type `python3 lab.py bench xai --only card --set device=cuda --set "
        "minutes=10`: the part needs no other files, begins with what matters most, and stops in "
        "time."
    ),
    parts=(
        *xai_exactness.PARTS,
        *xai_speed.PARTS,
        *xai_methods.PARTS,
        *xai_card.PARTS,
        *xai_photographs.PARTS,
        *xai_variants.PARTS,
        *xai_attacks.PARTS,
        *xai_tables.PARTS,
        *xai_kill.PARTS,
        *xai_dask.PARTS,
    ),
)
