"""Whether a network has learned from judged images: by their names, and by their content."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, Final

from stimuli.errors import UserError
from stimuli.images.sets import SUFFIXES
from stimuli.io.canonical import file_sha256
from stimuli.io.given_files import read_text
from xai_backend.progress import Reporter
from xai_backend.studies.human_ai_team.images import Candidate
from xai_backend.studies.human_ai_team.source import Source

NAMED: Final = 3
"""Most images that a line names."""
_OF_IMAGENET: Final = re.compile(r"n\d{8}_\d+")
"""Name of a training image of ImageNet."""
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_WNID_FOLDER: Final = re.compile(r"(n\d{8})(?:[-_ ].*)?")


@dataclass(frozen=True, slots=True)
class TrainingList:
    """The images from which a network has learned.

    Attributes
    ----------
    places
        Folder and name, without ending, of each image; the folder is empty if it isn't known.
    hashes
        SHA-256 of the images' files, as far as known.
    """

    places: frozenset[tuple[str, str]]
    hashes: frozenset[str]

    def has_name(self, item: str) -> bool:
        """Return whether an image's folder and name are in the list.

        If one of the two folders isn't known, only the names are compared.
        """
        folder, name = place_of(item)
        if (folder, name) in self.places or ("", name) in self.places:
            return True
        return not folder and any(other == name for _, other in self.places)

    def has_content(self, path: Path | None) -> bool:
        """Return whether a file's content is in the list."""
        return bool(self.hashes) and path is not None and file_sha256(path) in self.hashes


def read_training_list(path: Path, judged: Collection[Path]) -> TrainingList:
    """Return a training list.

    Parameters
    ----------
    path
        A folder with the images, or a text or CSV with one image on each line. The image's path is
        the first cell with an image's suffix, else a first cell named like ImageNet's training
        images. A cell of 64 hexadecimal digits is the file's SHA-256.
    judged
        Files to look for: in a folder only files of their sizes are read.

    Raises
    ------
    UserError
        If it can't be read, or names no image.
    """
    if path.is_dir():
        sizes = {one.stat().st_size for one in judged}
        files = [one for one in path.rglob("*") if one.suffix.lower() in SUFFIXES]
        alike = [one for one in files if one.stat().st_size in sizes]
        places = frozenset(place_of(one.relative_to(path).as_posix()) for one in files)
        found = TrainingList(places, frozenset(map(file_sha256, alike)))
    else:
        found = _of_lines(path)
    if not found.places and not found.hashes:
        raise UserError(f"--seen {path}: names no image")
    return found


def place_of(item: str) -> tuple[str, str]:
    """Return an image's folder (if it begins with a WordNet id, the id) and name without suffix."""
    path = PurePosixPath(item.replace("\\", "/"))
    folder = path.parent.name
    match = _WNID_FOLDER.fullmatch(folder)
    return (match[1] if match else folder), path.stem


def _of_lines(path: Path) -> TrainingList:
    places, hashes = set(), set()
    for line in read_text(path).splitlines():
        cells = [cell.strip() for cell in re.split(r"[,;\t ]+", line.strip()) if cell.strip()]
        hashes.update(cell for cell in cells if _HASH.fullmatch(cell))
        named = [cell for cell in cells if PurePosixPath(cell).suffix.lower() in SUFFIXES]
        named = named or [cell for cell in cells[:1] if _OF_IMAGENET.search(cell)]
        places.update(place_of(cell) for cell in named[:1])
    return TrainingList(frozenset(places), frozenset(hashes))


@dataclass(frozen=True, slots=True)
class Learned:
    """Images of a source that a network has learned from, by item."""

    of: str
    by_name: frozenset[str]
    by_content: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        """Images that are in the list by name or by content."""
        return self.by_name | self.by_content

    def described(self, judged: Collection[str]) -> dict[str, Any]:
        """Return, as plain JSON values, how many of some images the network has learned from."""
        return {
            "seen_in_training": {
                "list": self.of,
                "by_name": len(self.by_name.intersection(judged)),
                "by_content": len(self.by_content.intersection(judged)),
            }
        }


def without_learned(
    source: Source, seen: Path | None, leave_out: bool, reporter: Reporter
) -> tuple[Source, Learned | None]:
    """Return a source, if wanted without the images that the network has learned from, and these.

    Without a list, images named like ImageNet's training images are reported, and None is returned:
    it isn't known whether the network has learned from them.

    Raises
    ------
    UserError
        If the list can't be read.
    """
    judged = source.judged
    if seen is None:
        _say_names(judged, source.of.classifier.name, reporter)
        return source, None
    listed = read_training_list(seen, [one.path for one in judged if one.path is not None])
    found = Learned(
        seen.name,
        frozenset(one.item for one in judged if listed.has_name(one.item)),
        frozenset(one.item for one in judged if listed.has_content(one.path)),
    )
    reporter.say(
        f"--seen {seen.name}: of {len(judged)} images {len(found.by_name)} are in it by name, "
        f"{len(found.by_content)} by content{_some(found.all)}"
        + ("; they are left out" if leave_out and found.all else "")
    )
    if not leave_out:
        return source, found
    kept = tuple(one for one in judged if one.item not in found.all)
    return replace(source, judged=kept), found


def _say_names(judged: Sequence[Candidate], network: str, reporter: Reporter) -> None:
    named = [one.item for one in judged if _OF_IMAGENET.fullmatch(place_of(one.item)[1])]
    if named:
        reporter.say(
            f"caution: {len(named)} of {len(judged)} images are called like ImageNet's training "
            f"images{_some(named)}; if {network} has learned from them, it is too often right. "
            "Give its training list with --seen"
        )


def _some(items: Iterable[str]) -> str:
    found = sorted(items)
    more = ", …" if len(found) > NAMED else ""
    return f" ({', '.join(found[:NAMED])}{more})" if found else ""
