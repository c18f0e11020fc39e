"""Classes of ILSVRC: WordNet ids, words and definitions from the files that come with it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from scipy.io import loadmat

from stimuli.errors import UserError
from stimuli.names import ANY_LANGUAGE, WNID, first_words, read_names

META: Final = "meta.mat"
WORD_FILES: Final = ("LOC_synset_mapping.txt", "synset_words.txt")


@dataclass(frozen=True, slots=True)
class Synsets:
    """What is known of the classes.

    Attributes
    ----------
    order
        WordNet ids in their order, which is the order of the outputs of most networks.
    names, definitions
        By WordNet id and language.
    by_number
        WordNet ids by their number in the development kit, from 1.
    """

    order: tuple[str, ...] = ()
    names: Mapping[tuple[str, str], str] = field(default_factory=dict)
    definitions: Mapping[tuple[str, str], str] = field(default_factory=dict)
    by_number: Mapping[int, str] = field(default_factory=dict)


def synsets_among(folders: tuple[Path, ...]) -> Synsets:
    """Return what the first file of words, and the first ``meta.mat``, in some folders say.

    Raises
    ------
    UserError
        If one of the files can't be read.
    """
    kit = next((path for one in folders if (path := one / META).is_file()), None)
    found = Synsets() if kit is None else _of_kit(kit)
    places = (one / name for one in folders for name in WORD_FILES)
    words = next((path for path in places if path.is_file()), None)
    if words is None:
        return found
    names = read_names(words)
    order = tuple(sorted(label for label, _ in names))
    return Synsets(order, names, found.definitions, found.by_number)


def _of_kit(path: Path) -> Synsets:
    """Return the classes that have none below them, by the development kit's ``meta.mat``."""
    try:
        rows = np.atleast_1d(loadmat(path, squeeze_me=True)["synsets"])
        kept = [
            (int(row["ILSVRC2012_ID"]), str(row["WNID"]), str(row["words"]), str(row["gloss"]))
            for row in rows
            if int(row["num_children"]) == 0
        ]
    except Exception as fault:  # A torn file fails in many ways within scipy.
        raise UserError(
            f"{path}: is not the development kit's meta.mat ({type(fault).__name__}); copy it again"
        ) from None
    if not kept or not all(WNID.fullmatch(wnid) for _, wnid, _, _ in kept):
        raise UserError(f"{path}: contains no classes of ILSVRC2012; copy it again")
    return Synsets(
        order=tuple(sorted(wnid for _, wnid, _, _ in kept)),
        names=first_words({(wnid, ANY_LANGUAGE): words for _, wnid, words, _ in kept}),
        definitions={(wnid, "en"): gloss for _, wnid, _, gloss in kept if gloss},
        by_number={number: wnid for number, wnid, _, _ in kept},
    )
