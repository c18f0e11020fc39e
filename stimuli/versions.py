"""Versions of the suite, and of the artefacts that pass between rooms.

An artefact names its version, so that later versions of the suite can read it.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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
    major, minor
        The version to write. Every minor version of the same major version can be read.
    steps
        For each older minor version, a pure function that upgrades to the next one.
    """

    name: str
    major: int
    minor: int
    steps: Mapping[int, Callable[[Document], Document]] = field(default_factory=dict)

    @property
    def tag(self) -> str:
        """The text that stands in an artefact, e.g. ``pack/1.0``."""
        return f"{self.name}/{self.major}.{self.minor}"

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
        minor = self._minor_of(tag, where)
        for version in range(minor, self.minor):
            document = self.steps[version](document)
        return {**document, "schema": self.tag}

    def _minor_of(self, tag: object, where: str) -> int:
        name, _, version = str(tag).partition("/")
        major, _, minor = version.partition(".")
        if name != self.name or not (major.isdecimal() and minor.isdecimal()):
            raise UserError(f"{where}: schema is {tag!r}, not {self.tag!r}; is it the right file?")
        if (int(major), int(minor)) > (self.major, self.minor):
            raise UserError(
                f"{where}: written by a newer version ({tag}); this one reads up to {self.tag}: "
                "update Plainsight on this PC"
            )
        if int(major) < self.major:
            raise UserError(f"{where}: version {tag} is too old to read; rebuild it")
        return int(minor)
