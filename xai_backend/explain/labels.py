"""What is on photographs, as a lab's table says it, in a network's outputs."""

from collections.abc import Sequence
from pathlib import Path

from stimuli.errors import UserError
from stimuli.images.sets import rows_of
from stimuli.images.spelling import folded


def outputs_of_labels(
    file: Path, images: Sequence[str], categories: Sequence[str], outputs: int
) -> dict[str, tuple[str, frozenset[int]]]:
    """Return images' labels, and which outputs of a network are called so, by the file's stem.

    Parameters
    ----------
    file
        A CSV ``image,label``: an image's file name or its stem; a class of the network by its
        name, written in any way, or by its number.
    images
        Names of the files; rows of other images are left alone.
    categories
        What the outputs are called; empty if nothing tells them.
    outputs
        How many there are.

    Raises
    ------
    UserError
        If the file can't be read, names none of the images or one twice, or a label is no
        class of the network's.
    """
    stems = {name: Path(name).stem for name in images}
    stems |= {stem: stem for stem in stems.values()}
    places: dict[str, set[int]] = {}
    for number, category in enumerate(categories):
        places.setdefault(folded(category), set()).add(number)
    found: dict[str, tuple[str, frozenset[int]]] = {}
    for line, row in enumerate(rows_of(file, ("image", "label")), start=2):
        stem = stems.get(Path(row["image"].replace("\\", "/")).name)
        if stem is None:
            continue
        if stem in found:
            raise UserError(f"{file}, line {line}: {row['image']} has a label already")
        numbers = places.get(folded(row["label"])) or _number(row["label"], outputs)
        if not numbers:
            raise UserError(
                f"{file}, line {line}: {row['label']} is no class of the network; "
                + (f"its classes are called {categories[0]}, …" if categories else "give numbers")
            )
        found[stem] = (row["label"], frozenset(numbers))
    if not found:
        raise UserError(f"{file}: names none of the photographs (column image)")
    return found


def _number(label: str, outputs: int) -> set[int]:
    """Return the output of a number, in a set of one; empty if it is none."""
    return {int(label)} if label.isdecimal() and int(label) < outputs else set()
