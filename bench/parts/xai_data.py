"""Real photographs and real networks, where this computer has them."""

import csv
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stimuli.errors import UserError
from stimuli.io.canonical import hash_of
from stimuli.places import DATA_VARIABLE

CLASS_INDEX = "imagenet_class_index.json"
NETWORKS = {
    "squeezenet1_1": "squeezenet1_1_torchvision_fp32.pt",
    "mobilenet_v2": "mobilenet_v2_torchvision_fp16w.pt",
}
LACKING = (
    f"{DATA_VARIABLE} has to name a folder that holds `imagenet/imagenette160` with its table "
    "`imagenette160.csv`, `imagenet/sample_orig` and `weights` (see each network's file below): "
    + ", ".join(NETWORKS.values())
)


@dataclass(frozen=True, slots=True)
class Photograph:
    """A photograph and what is on it.

    Attributes
    ----------
    path
        Its file.
    label
        Index of its class, 0 … 999.
    """

    path: Path
    label: int


def weights_of(network: str) -> Path:
    """Return the file of a network's weights; UserError where there is none."""
    return _there(_root() / "weights" / NETWORKS[network])


def photographs(count: int) -> list[Photograph]:
    """Return photographs of many classes, the same ones for the same count.

    Three in ten are those at full size, one class each; the others are drawn by seed from
    the ten classes of imagenette, equally many of each.
    """
    full = _full_size()
    large = _shuffled(full)[: round(0.3 * count)]
    by_class: dict[int, list[Photograph]] = {}
    for photograph in _small():
        by_class.setdefault(photograph.label, []).append(photograph)
    orders = [_shuffled(some) for _, some in sorted(by_class.items())]
    turns = [photograph for turn in zip(*orders, strict=False) for photograph in turn]
    return [*large, *turns[: count - len(large)]]


def imagenette() -> Path:
    """Return the table of the small photographs, which lie in the folder of its name."""
    return _there(_root() / "imagenet" / "imagenette160.csv")


def class_names() -> list[str]:
    """Return the classes' names in order."""
    index = json.loads(_there(_root() / "imagenet" / CLASS_INDEX).read_text(encoding="utf-8"))
    return [index[str(k)][1].replace("_", " ") for k in range(len(index))]


def _shuffled(some: Sequence[Photograph]) -> list[Photograph]:
    """Return photographs in an order that hangs on their files' names alone."""
    return sorted(some, key=lambda photograph: hash_of(["bench xai", photograph.path.name]))


def _full_size() -> list[Photograph]:
    index = json.loads(_there(_root() / "imagenet" / CLASS_INDEX).read_text(encoding="utf-8"))
    label_of = {wnid: int(label) for label, (wnid, _) in index.items()}
    folder = _there(_root() / "imagenet" / "sample_orig")
    paths = sorted(folder.glob("*.JPEG"))
    return [Photograph(path, label_of[path.name.partition("_")[0]]) for path in paths]


def _small() -> Sequence[Photograph]:
    folder = imagenette().with_suffix("")
    with imagenette().open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [Photograph(folder / row["file"], int(row["class_index"])) for row in rows]


def _root() -> Path:
    named = os.environ.get(DATA_VARIABLE)
    if not named:
        raise UserError(f"bench xai: no photographs. {LACKING}")
    return Path(named)


def _there(path: Path) -> Path:
    if not path.exists():
        raise UserError(f"bench xai: {path} isn't there. {LACKING}")
    return path
