"""The files of a new study: copies of the template, under the study's name, and pictures.

The pictures show round and spiky shapes, each drawn from its number.
"""

import io
import keyword
import re
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image, ImageDraw

from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.io.files import whole_folder
from stimuli.pack.folder import FOR_EVERYBODY

SIDE_PX: Final = 256
FINE: Final = 4
"""Pictures are drawn this many times as large, for smooth edges."""
POINTS: Final = 720
GROUND, FIGURE = (64, 64, 64), (225, 225, 225)
KINDS: Final = ("round", "spiky")
EACH: Final = 4
TOKEN: Final = "STUDY_NAME"
"""Stands for the study's name in files of the template and in their names."""
CODE: Final = ".txt"
"""Suffix of the template's Python files, which aren't modules of the suite."""
WORDS, PICTURES = "protocol.words.toml", "protocol.pictures.toml"
NAME: Final = re.compile(r"[a-z][a-z0-9_]*")


def shape_files() -> dict[str, bytes]:
    """Return the pictures as PNG by path: four round and four spiky shapes."""
    return {
        f"pictures/{kind}{number}.png": _png(_radii(kind, number))
        for kind in KINDS
        for number in range(1, EACH + 1)
    }


def _radii(kind: str, number: int) -> np.ndarray:
    """Return (POINTS,) the shape's radius by angle, as a share of half the picture."""
    angle = np.linspace(0, 2 * np.pi, POINTS, endpoint=False)
    bumps = number + 4
    if kind == "round":
        return 0.68 + 0.14 * np.cos(bumps * angle)
    saw = np.abs((angle * (bumps + 3) / (2 * np.pi)) % 1 - 0.5) * 2
    return 0.3 + 0.55 * saw**2


def _png(radii: np.ndarray) -> bytes:
    fine = SIDE_PX * FINE
    angle = np.linspace(0, 2 * np.pi, POINTS, endpoint=False)
    x, y = (fine / 2 * (1 + radii * way) for way in (np.cos(angle), np.sin(angle)))
    picture = Image.new("RGB", (fine, fine), GROUND)
    ImageDraw.Draw(picture).polygon(list(zip(x.tolist(), y.tolist(), strict=True)), fill=FIGURE)
    data = io.BytesIO()
    picture.resize((SIDE_PX, SIDE_PX), Image.Resampling.LANCZOS).save(data, "PNG", optimize=True)
    return data.getvalue()


def check_name(name: str) -> None:
    """Raise UserError if a name can't be that of a new study."""
    if not NAME.fullmatch(name) or keyword.iskeyword(name):
        raise UserError(
            f"{name!r}: is no valid name of a study; use small letters, digits and _, such as moods"
        )
    if name in studies_of("stimuli"):
        raise UserError(f"{name}: there is a study of this name; choose another name")
    spec = find_spec(name)
    if spec is not None and spec.origin is not None:
        raise UserError(f"{name}: Python has a module of this name; choose another name")


def study_files(name: str, *, pictures: bool) -> dict[str, bytes]:
    """Return the files of a new study by path.

    Parameters
    ----------
    name
        Of the study.
    pictures
        Whether its items are pictures.
    """
    protocol, other = (PICTURES, WORDS) if pictures else (WORDS, PICTURES)
    found = {}
    for path, file in _walk(resources.files(__name__.rpartition(".")[0]).joinpath("template")):
        if path != other:
            text = file.read_text(encoding="utf-8").replace(TOKEN, name)
            target = "protocol.toml" if path == protocol else path.removesuffix(CODE)
            found[target.replace(TOKEN, name)] = text.encode("utf-8")
    return found | (shape_files() if pictures else {})


def write_study(folder: Path, *, pictures: bool, known: bool = False) -> None:
    """Write a new study into a folder that has its name.

    Parameters
    ----------
    folder
        The folder; empty, or not there yet.
    pictures
        Whether its items are pictures.
    known
        Whether the lab lists it. Else a killed command may have written it, which then stays.

    Raises
    ------
    UserError
        If the folder isn't empty, or can't be written.
    """
    files = study_files(folder.name, pictures=pictures)
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            if not known and folder.is_dir() and _holds(folder, files):
                return
            raise UserError(f"{folder}: is not empty; choose another name, or another --in")
        with whole_folder(folder) as aside:
            aside.chmod(FOR_EVERYBODY)
            for path, data in files.items():
                target = aside / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
    except OSError as error:
        raise UserError(
            f"{folder}: can't be written ({error.strerror}); choose another --in"
        ) from None


def _holds(folder: Path, files: dict[str, bytes]) -> bool:
    """Return whether a folder holds these files and no others."""
    there = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in there} == files


def _walk(folder: Traversable, before: str = "") -> Iterator[tuple[str, Traversable]]:
    """Yield the template's files by path, in order."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _walk(entry, f"{before}{entry.name}/")
        elif not entry.name.endswith(".pyc"):
            yield f"{before}{entry.name}", entry
