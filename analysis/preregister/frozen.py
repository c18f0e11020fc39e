"""The record of a preregistration: what was frozen, as ``preregistration.json`` holds it."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from analysis.preregister.declared import Given, Registered
from analysis.report.parts import Section
from stimuli.errors import UserError
from stimuli.io.canonical import file_sha256
from stimuli.protocol import Protocol, protocol_from_resolved
from stimuli.versions import Schema

RECORD: Final = "preregistration.json"
PAGE: Final = "preregistration.html"
MARKDOWN: Final = "preregistration.md"


def _with_ids(document: dict[str, Any]) -> dict[str, Any]:
    """Return a record of version 1.0, which knows sections only by title, as one of 1.1."""
    sections = document["sections"].items()
    return document | {
        "sections": [{"id": "", "title": title, "role": role} for title, role in sections]
    }


SCHEMA: Final = Schema("preregistration", 1, 1, {0: _with_ids})


@dataclass(frozen=True, slots=True)
class PlannedSection:
    """A planned section of the report.

    Attributes
    ----------
    id
        Id of its question; empty in old records, which know its title alone.
    title
        Its title then.
    role
        Primary or secondary.
    """

    id: str
    title: str
    role: str

    def is_of(self, section: Section) -> bool:
        """Return whether a section of a report is this one.

        An id that was made of the title tells no more than the title.
        """
        if self.id == section.anchor:
            return True
        by_title = self.id in ("", Section(self.title, ()).anchor)
        return by_title and self.title in (section.title, *section.former_titles)


@dataclass(frozen=True, slots=True)
class Frozen:
    """A preregistration as it was frozen.

    Attributes
    ----------
    study
        The study, by its name in the catalogue.
    protocol, protocol_hash
        The rules, and their hash.
    participants
        How many are to be analysed.
    sections
        The planned sections of the report.
    registered_utc
        When, ISO 8601.
    suite
        Version of the suite that wrote it.
    changed
        Documents beside the record that are missing or aren't as they were written.
    """

    study: str
    protocol: Protocol
    protocol_hash: str
    participants: int
    sections: tuple[PlannedSection, ...]
    registered_utc: str
    suite: str
    changed: tuple[str, ...]


def record_of(registered: Registered, given: Given, documents: Mapping[str, str]) -> dict[str, Any]:
    """Return what ``preregistration.json`` holds; `documents` are SHA-256 by file name."""
    power = given.power
    return {
        "schema": SCHEMA.tag,
        "study": given.protocol.catalogue_name,
        "registered_utc": given.registered_utc,
        "protocol_hash": given.protocol_hash,
        "participants": given.participants,
        "rationale": given.rationale,
        "power": None if power is None else {"asked": power.asked, "enough": power.enough},
        "sections": [
            {"id": Section(one.section, (), one.id).anchor, "title": one.section, "role": one.role}
            for one in registered.analyses
        ],
        "hypotheses": [asdict(one) for one in registered.hypotheses],
        "versions": dict(given.versions),
        "documents": dict(documents),
        "protocol": given.protocol.resolved(),
    }


def read_frozen(folder: Path) -> Frozen:
    """Return the preregistration in a folder.

    Raises
    ------
    UserError
        If there is none, it can't be read, or is of a newer version.
    """
    path = folder / RECORD
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise UserError(
            f"--preregistration {folder}: contains no {RECORD}; name the folder that "
            "lab.py preregister wrote"
        ) from None
    except ValueError:
        raise UserError(f"{path}: is not readable JSON; copy it again") from None
    document = SCHEMA.upgrade(document, str(path))
    documents = document["documents"]
    changed = [
        name for name, digest in documents.items() if not _is_as_written(folder / name, digest)
    ]
    return Frozen(
        study=document["study"],
        protocol=protocol_from_resolved(document["protocol"], str(path)),
        protocol_hash=document["protocol_hash"],
        participants=document["participants"],
        sections=tuple(PlannedSection(**one) for one in document["sections"]),
        registered_utc=document["registered_utc"],
        suite=document["versions"]["plainsight"],
        changed=tuple(changed),
    )


def _is_as_written(path: Path, digest: str) -> bool:
    return path.is_file() and file_sha256(path) == digest
