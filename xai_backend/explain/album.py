"""A folder's photographs as a network sees them, each read when it is needed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stimuli.errors import UserError
from xai_backend.explain.precompute import Codes, Picture
from xai_backend.models.frame import InputFrame, read_photo
from xai_backend.progress import Reporter
from xai_backend.store.keys import input_sha256

KEPT = 1024
"""Photographs whose codes stay in memory, some 150 MB; others are read again."""


@dataclass(frozen=True, slots=True)
class Photo:
    """A photograph as the network sees it.

    Attributes
    ----------
    stem
        Its file's name without suffix.
    size
        Width and height of the whole photograph, pixels.
    codes
        RGB codes (H, W, 3) in the network's frame.
    """

    stem: str
    size: tuple[int, int]
    codes: NDArray[np.uint8]


class Album:
    """Photographs, and which of them were left out for which reason.

    Parameters
    ----------
    paths
        Of their files; stems differ.
    frame
        What the network sees of a photograph.
    reporter
        Told of what is skipped.
    """

    def __init__(self, paths: Sequence[Path], frame: InputFrame, reporter: Reporter) -> None:
        self.left_out: dict[str, str] = {}
        self.pictures: list[Picture] = []
        self.sizes: list[tuple[int, int]] = []
        self._frame, self._reporter = frame, reporter
        self._paths = {path.stem: path for path in paths}
        self._kept: dict[str, Photo] = {}
        with reporter.stage("reading images", len(paths)) as advance:
            for path in paths:
                photo = self._photo(path.stem)
                if photo:
                    load = partial(self._codes, photo.stem)
                    self.pictures.append(Picture(photo.stem, input_sha256(photo.codes), load))
                    self.sizes.append(photo.size)
                advance(1)
        self._content = {picture.name: picture.sha256 for picture in self.pictures}

    @property
    def skipped(self) -> list[str]:
        """Why photographs were left out, in their order."""
        return [self.left_out[stem] for stem in self._paths if stem in self.left_out]

    def photos(self) -> Iterator[Photo]:
        """Yield the photographs that weren't left out."""
        for picture in self.pictures:
            photo = self._unchanged(picture.name)
            if photo is not None:
                yield photo

    def skip(self, stem: str, reason: str) -> None:
        """Leave a photograph out."""
        if stem not in self.left_out:
            self.left_out[stem] = reason
            self._reporter.say(f"skipped: {reason}")

    def _codes(self, stem: str) -> Codes | None:
        photo = self._unchanged(stem)
        return None if photo is None else photo.codes

    def _unchanged(self, stem: str) -> Photo | None:
        """Return a photograph if it is still what it was."""
        photo = None if stem in self.left_out else self._photo(stem)
        if photo is not None and input_sha256(photo.codes) != self._content[stem]:
            self.skip(stem, f"{self._paths[stem].name}: was changed meanwhile")
            return None
        return photo

    def _photo(self, stem: str) -> Photo | None:
        if stem in self._kept:
            return self._kept[stem]
        try:
            whole = read_photo(self._paths[stem])
        except UserError as fault:
            self.skip(stem, str(fault))
            return None
        photo = Photo(stem, whole.size, self._frame.codes(whole))
        if len(self._kept) < KEPT:
            self._kept[stem] = photo
        return photo
