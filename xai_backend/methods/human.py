"""Maps from elsewhere: painted in the lab, ClickMe's, or made by another program."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from safetensors import SafetensorError
from safetensors.numpy import load_file
from torch import Tensor

from stimuli.errors import UserError
from stimuli.io.canonical import files_sha256
from stimuli.io.inside import refuse_odd
from stimuli.maps.map_set import MAP_TABLE, MAP_TENSORS, SMALLEST_SIDE_PX, read_map_set
from stimuli.maps.origin import IMPORTED, Origin
from xai_backend.determinism import not_finite
from xai_backend.models.frame import InputFrame

Floats = NDArray[np.float32]
SIDES = 0.02
"""Share by which a map's proportions may differ from its photograph's."""


@dataclass(frozen=True, slots=True)
class Human:
    """Maps that weren't computed here, by item or by the image's file stem.

    Attributes
    ----------
    maps
        float32 (H, W) each, of any size; people's are ≥ 0. See `read_human_maps`, `read_maps`.
    """

    maps: Mapping[str, Floats]

    name: ClassVar[str] = "human"
    version: ClassVar[int] = 1

    def explain(
        self, stems: Sequence[str], sizes: Sequence[tuple[int, int]], frame: InputFrame
    ) -> Tensor:
        """Return maps, float32 (n, crop_px, crop_px), of images in a network's frame.

        Parameters
        ----------
        stems
            File names without suffix.
        sizes
            Width and height of each whole image, pixels. A map covers the whole image,
            at whatever size, and is framed as the image is.
        frame
            What the network sees.

        Raises
        ------
        UserError
            If an image has no map, or one of other proportions.
        """
        framed = [self._framed(stem, size, frame) for stem, size in zip(stems, sizes, strict=True)]
        return torch.from_numpy(np.stack(framed))

    def _framed(self, stem: str, size: tuple[int, int], frame: InputFrame) -> Floats:
        if stem not in self.maps:
            raise UserError(
                f"{stem}: there is no map of this image; add {stem}.png or .npy to the maps"
            )
        values = self.maps[stem]
        height, width = values.shape
        if abs(width / height * size[1] / size[0] - 1) > SIDES:
            raise UserError(
                f"{stem}: its map is {width}×{height}, but the image {size[0]}×{size[1]}: "
                "not the same proportions"
            )
        picture = Image.fromarray(values).resize(size, Image.Resampling.BILINEAR)
        return np.asarray(frame.picture(picture), dtype=np.float32)


def read_human_maps(folder: Path) -> Human:
    """Return people's maps from a map set, or from a folder of grey PNG or ``.npy`` files.

    In a map set of the suite (with ``maps.csv``) each painter's maps are scaled to a maximum of 1,
    and the maps of an item are averaged. Else each file is a map, named by its image's stem, such
    as ClickMe's bubble counts. Negative values count as 0.

    Raises
    ------
    UserError
        If the folder holds no maps, or one can't be read.
    """
    return _read_folder(folder, signed=False)


def read_maps(folder: Path) -> Human:
    """Return any maps of a folder, such as those of a method that another program has.

    They may have the forms that `read_human_maps` takes, or be in a file ``.safetensors`` by the
    image's stem, as `explain` writes them. Negative values are evidence against the class, and are
    kept.

    Raises
    ------
    UserError
        If the folder holds no maps, or one can't be read.
    """
    return _read_folder(folder, signed=True)


def _read_folder(folder: Path, *, signed: bool) -> Human:
    if (folder / MAP_TABLE).is_file():
        return Human(MappingProxyType(_painted(folder)))
    files = _map_files(folder)
    if not files:
        raise UserError(
            f"{folder}: contains neither a map set nor maps in grey PNG, .npy or .safetensors"
        )
    maps: dict[str, Floats] = {}
    for path in files:
        for stem, values in READERS[path.suffix.lower()](path):
            if stem in maps:
                raise UserError(f"{folder}: there are two maps of {stem}; remove one")
            plain = _checked(values, path)
            maps[stem] = plain if signed else np.maximum(plain, 0)
    return Human(MappingProxyType(maps))


def origins_of(folder: Path) -> set[Origin]:
    """Return who made a folder's maps, with the hash of the files.

    If the files aren't a map set, only the folder's name is known.

    Raises
    ------
    UserError
        If the folder can't be read.
    """
    if not (folder / MAP_TABLE).is_file():
        return {
            Origin(IMPORTED, folder.resolve().name, sha256=files_sha256(_map_files(folder), folder))
        }
    sha256 = files_sha256([folder / MAP_TABLE, folder / MAP_TENSORS], folder)
    return {replace(record.made_by, sha256=sha256) for record in read_map_set(folder).records}


def _map_files(folder: Path) -> list[Path]:
    try:
        return sorted(p for p in folder.iterdir() if p.suffix.lower() in READERS)
    except OSError as fault:
        raise UserError(f"{folder}: is no folder of maps ({fault.strerror})") from None


def _painted(folder: Path) -> dict[str, Floats]:
    painted = read_map_set(folder)
    by_item: dict[str, list[Floats]] = {}
    for record in painted.records:
        if record.map in painted.maps:
            values = np.maximum(painted.maps[record.map], 0)
            peak = float(values.max())
            by_item.setdefault(record.item, []).append(values / peak if peak > 0 else values)
    if not by_item:
        raise UserError(f"{folder}: its map set contains no maps")
    for item, values in by_item.items():
        if len({value.shape for value in values}) > 1:
            raise UserError(f"{folder}: the maps of {item} have different sizes")
    return {
        item: np.stack(values).mean(axis=0, dtype=np.float32) for item, values in by_item.items()
    }


_Named = Iterator[tuple[str, NDArray[np.generic]]]


def _array(path: Path) -> _Named:
    with _readable(path):
        yield path.stem, np.load(path, allow_pickle=False)


def _png(path: Path) -> _Named:
    with _readable(path), Image.open(path) as file:
        deep = file.mode.startswith(("I", "F"))
        yield path.stem, np.asarray(file if deep else file.convert("L"))


def _tensors(path: Path) -> _Named:
    with _readable(path):
        yield from sorted(load_file(path).items())


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    refuse_odd(path)
    try:
        yield
    except (
        OSError, ValueError, SyntaxError, EOFError, SafetensorError, Image.DecompressionBombError
    ) as fault:  # fmt: skip
        raise UserError(f"{path}: is not a readable map ({fault})") from None


READERS: Final[Mapping[str, Callable[[Path], _Named]]] = MappingProxyType(
    {".npy": _array, ".png": _png, ".safetensors": _tensors}
)
"""How a file of maps is read, by its suffix: pairs of an image's stem and its map."""


def _checked(values: NDArray[np.generic], path: Path) -> Floats:
    if values.ndim != 2 or values.dtype.kind not in "biuf":
        raise UserError(f"{path}: is {values.dtype} {values.shape}, not one number a pixel")
    if min(values.shape) < SMALLEST_SIDE_PX:
        size = "×".join(map(str, values.shape))
        raise UserError(f"{path}: is {size} px; maps need at least {SMALLEST_SIDE_PX} px a side")
    plain = values.astype(np.float32)
    if fault := not_finite(plain):
        raise UserError(f"{path}: its map can't be shown: {fault}")
    return plain
