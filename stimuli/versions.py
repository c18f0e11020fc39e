"""Versions of the suite, and of the artefacts that pass between rooms.

An artefact names its version, so that later versions of the suite can read it.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from stimuli.errors import UserError


@cache
def suite_version() -> str:
    """Return the suite's version as its project file states it."""
    path = Path(__file__).resolve().parents[1] / "pyproject.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))["project"]["version"]


Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Schema:
    """A named artefact format with a version.

    Attributes
    ----------
    name
        What the artefact is: ``pack``, ``protocol``, ``journal``, ``mapset``.
    steps
        One for each earlier minor version, in order: a pure function that returns a document of
        that version as one of the next. Version 1.0 has none.
    """

    name: str
    steps: tuple[Callable[[Document], Document], ...] = ()

    @property
    def tag(self) -> str:
        """The text that stands in an artefact, e.g. ``pack/1.0``."""
        return f"{self.name}/1.{len(self.steps)}"

    def upgrade(self, document: Document, where: str) -> Document:
        """Return the document as one of the present version.

        Parameters
        ----------
        document
            The artefact's top-level table; its key ``schema`` holds the tag.
        where
            The file, for the message.

        Raises
        ------
        UserError
            If the tag is missing, is another artefact's, or is from a newer version.
        """
        tag = document.get("schema") if isinstance(document, Mapping) else None
        for step in self.steps[self._minor_of(tag, where) :]:
            document = step(document)
        return {**document, "schema": self.tag}

    def _minor_of(self, tag: object, where: str) -> int:
        name, _, version = str(tag).partition("/")
        major, _, minor = version.partition(".")
        if name != self.name or not (major.isdecimal() and minor.isdecimal() and int(major)):
            raise UserError(f"{where}: schema is {tag!r}, not {self.tag!r}; is it the right file?")
        if (int(major), int(minor)) > (1, len(self.steps)):
            raise UserError(
                f"{where}: written by a newer version ({tag}); this one reads up to {self.tag}: "
                "update Plainsight on this PC"
            )
        return int(minor)
