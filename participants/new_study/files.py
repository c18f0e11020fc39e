"""The files of a new study: copies of a template, under the study's name, and pictures.

The pictures show round and spiky shapes, each drawn from its number.
"""

import io
import keyword
import re
from collections.abc import Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image, ImageDraw

from stimuli.catalogue import TABLE_FILE, is_from_table, studies_of
from stimuli.errors import UserError
from stimuli.io.files import whole_folder, write_whole
from stimuli.pack.folder import FOR_EVERYBODY

SIDE_PX: Final = 256
FINE: Final = 4
"""Pictures are drawn this many times as large, for smooth edges."""
POINTS: Final = 720
GROUND, FIGURE = (64, 64, 64), (225, 225, 225)
MARK = (214, 94, 0)
KINDS: Final = ("round", "spiky")
TEMPLATES: Final = ("words", "pictures", "advice", "rating", "preference", "prediction")
"""Templates of studies, the usual one first."""
SHAPES: Final[Mapping[str, tuple[int, tuple[str, ...]]]] = {
    "pictures": (4, ()), "rating": (6, ("edge", "area")), "preference": (6, ("edge", "area")),
}  # fmt: skip
"""How many pictures of each kind a template has, and how shapes are marked beside."""
TOKEN: Final = "STUDY_NAME"
"""Stands for the study's name in files of the template and in their names."""
CODE: Final = ".txt"
"""Suffix of Python files that aren't modules of the suite."""
NAME: Final = re.compile(r"[a-z][a-z0-9_]*")


def shape_files(template: str) -> dict[str, bytes]:
    """Return the pictures of a template as PNG by path: round and spiky shapes, perhaps marked."""
    count, marks = SHAPES.get(template, (0, ()))
    return {
        f"pictures/{kind}{number}{f'_{mark}' if mark else ''}.png": _png(_radii(kind, number), mark)
        for kind in KINDS
        for number in range(1, count + 1)
        for mark in ("", *marks)
    }


def _radii(kind: str, number: int) -> np.ndarray:
    """Return (POINTS,) the shape's radius by angle, as a share of half the picture."""
    angle = np.linspace(0, 2 * np.pi, POINTS, endpoint=False)
    bumps = number + 4
    if kind == "round":
        return 0.68 + 0.14 * np.cos(bumps * angle)
    saw = np.abs((angle * (bumps + 3) / (2 * np.pi)) % 1 - 0.5) * 2
    return 0.3 + 0.55 * saw**2


def _png(radii: np.ndarray, mark: str) -> bytes:
    """Draw a shape; a mark colours its edge, or the area in its middle."""
    fine = SIDE_PX * FINE
    angle = np.linspace(0, 2 * np.pi, POINTS, endpoint=False)

    def outline(scale: float) -> list[tuple[float, float]]:
        x, y = (fine / 2 * (1 + scale * radii * way) for way in (np.cos(angle), np.sin(angle)))
        return list(zip(x.tolist(), y.tolist(), strict=True))

    picture = Image.new("RGB", (fine, fine), GROUND)
    draw = ImageDraw.Draw(picture)
    draw.polygon(outline(1), fill=MARK if mark == "edge" else FIGURE)
    if mark:
        draw.polygon(outline(0.8), fill=FIGURE if mark == "edge" else MARK)
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


def template_files(name: str, template: str) -> dict[str, bytes]:
    """Return the files of a study from a table by path, as a template has them.

    Parameters
    ----------
    name
        Of the study.
    template
        Of the template, one of `TEMPLATES`.
    """
    files = {f"texts/{path}": data for path, data in _copies("templates/texts", name).items()}
    files |= _copies(f"templates/{template}", name)
    return files | shape_files(template)


def code_files(name: str) -> dict[str, bytes]:
    """Return the modules with which a study from a table may go on in Python, by path."""
    return _copies("code", name)


def write_study(folder: Path, files: Mapping[str, bytes], *, known: bool = False) -> None:
    """Write a new study into a folder.

    Parameters
    ----------
    folder
        The folder; empty, or not there yet.
    files
        Its files by path.
    known
        Whether the lab lists it. Else a killed command may have written it, which then stays.

    Raises
    ------
    UserError
        If the folder isn't empty, or can't be written.
    """
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


def add_code(folder: Path) -> list[str]:
    """Add modules to a study from a table, and return their names; nothing there is changed.

    Raises
    ------
    UserError
        If the folder is no study from a table, has one of these files, or can't be written.
    """
    if not is_from_table(folder):
        raise UserError(f"{folder}: has no {TABLE_FILE}; --code adds code to a study from a table")
    files = code_files(folder.name)
    if there := [name for name in files if (folder / name).exists()]:
        raise UserError(f"{folder / there[0]}: is there already; --code writes over nothing")
    try:
        for name, data in files.items():
            write_whole(folder / name, data)
    except OSError as error:
        raise UserError(f"{folder}: can't be written ({error.strerror})") from None
    return sorted(files)


def _holds(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Return whether a folder holds these files and no others."""
    there = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in there} == files


def _copies(place: str, name: str) -> dict[str, bytes]:
    """Return copies of the files of one of this package's folders, under a study's name."""
    copies = {}
    for path, file in _walk(resources.files(__name__.rpartition(".")[0]).joinpath(place)):
        text = file.read_text(encoding="utf-8").replace(TOKEN, name)
        copies[path.removesuffix(CODE).replace(TOKEN, name)] = text.encode("utf-8")
    return copies


def _walk(folder: Traversable, before: str = "") -> Iterator[tuple[str, Traversable]]:
    """Yield the template's files by path, in order."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _walk(entry, f"{before}{entry.name}/")
        elif not entry.name.endswith(".pyc"):
            yield f"{before}{entry.name}", entry
