"""What a list shows: images with their classes, and how far each step uncovers them."""

from collections import defaultdict
from dataclasses import dataclass

from participants.planning import require_shown, rows_of_list
from stimuli.io.tables import Row
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal import tables


@dataclass(frozen=True, slots=True)
class ShownImage:
    """An image as one method uncovers it.

    Attributes
    ----------
    presentation
        Opaque id.
    image_file, steps_file, prototype_file
        Paths in the pack.
    class_id
        What the image shows.
    pixels
        Pixels uncovered at each step.
    """

    presentation: str
    image_file: str
    steps_file: str
    prototype_file: str | None
    class_id: str
    pixels: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ShownList:
    """The images of one list, in order: those of practice, and those of each sitting."""

    practice: tuple[ShownImage, ...]
    sittings: tuple[tuple[ShownImage, ...], ...]

    @property
    def rounds(self) -> int:
        """Rounds of all sittings."""
        return sum(map(len, self.sittings))


def shown_by(pack: Pack, list_id: str) -> ShownList:
    """Return what a list shows; the key is opened, since every round gives feedback.

    Raises
    ------
    UserError
        If the pack has no such list, or lacks something that the list names.
    """
    own = rows_of_list(pack, tables.LISTS, list_id, "sitting")
    items = {str(row["presentation"]): row for row in pack.table(tables.ITEMS)}
    require_shown(pack, {str(row["presentation"]) for row in own}, items)
    key = {str(row["presentation"]): row for row in pack.table(tables.KEY)}
    pixels = step_pixels(pack)
    sittings: dict[int, list[ShownImage]] = defaultdict(list)
    for row in own:
        name = str(row["presentation"])
        counts = pixels[str(key[name]["item"]), str(key[name]["method"])]
        sittings[int(row["sitting"] or 0)].append(_shown(items[name], key[name], counts))
    practice = tuple(sittings.pop(tables.PRACTICE_SITTING, ()))
    return ShownList(practice, tuple(tuple(sittings[nth]) for nth in sorted(sittings)))


def step_pixels(pack: Pack) -> dict[tuple[str, str], tuple[int, ...]]:
    """Return how many pixels each step uncovers, by item and method."""
    counts: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for row in pack.table(tables.CURVES):
        of_it = counts[str(row["item"]), str(row["method"])]
        of_it[int(row["step"] or 0)] = int(row["pixels"] or 0)
    return {
        one: tuple(count for _, count in sorted(steps.items())) for one, steps in counts.items()
    }


def _shown(item: Row, key: Row, pixels: tuple[int, ...]) -> ShownImage:
    prototype = item["prototype_file"]
    return ShownImage(
        presentation=str(item["presentation"]),
        image_file=str(item["image_file"]),
        steps_file=str(item["steps_file"]),
        prototype_file=None if prototype is None else str(prototype),
        class_id=str(key["class"]),
        pixels=pixels,
    )
