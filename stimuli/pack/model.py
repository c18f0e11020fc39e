"""What a pack is: a manifest, tables with schemas, and assets by path."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from stimuli.errors import UserError
from stimuli.io.canonical import hash_of, sha256_hex
from stimuli.io.tables import Row, TableSchema
from stimuli.protocol import Protocol, protocol_from_resolved
from stimuli.versions import Schema

PACK_SCHEMA = Schema("pack")
PACK_ID_DIGITS = 32
SKETCH = "sketch-"
SCREENING = "screening-"
"""Prefix of the ids of packs that hold the rules of a screening and no stimuli."""

PackKind = Literal["tasks", "solutions", "screening"]
ReadAsset = Callable[[str], bytes]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of ``pack.json``.

    Attributes
    ----------
    study, kind
        Which study; ``tasks`` (for experts), ``solutions`` (for leads) or ``screening`` (for
        who may become either).
    protocol
        The resolved protocol.
    protocol_hash
        Its hash, 64 hexadecimal digits.
    files
        SHA-256 of every sealed file by its path (``/`` as separator).
    pack_id
        32 hexadecimal digits of the hash of all the above; ``sketch-`` before
        it marks a pack made in memory without a network, ``screening-`` one of kind screening.
    """

    study: str
    kind: PackKind
    protocol: Mapping[str, Any]
    protocol_hash: str
    files: Mapping[str, str]
    pack_id: str

    def document(self) -> dict[str, Any]:
        """Return the manifest as it stands in ``pack.json``."""
        return {
            "schema": PACK_SCHEMA.tag,
            "study": self.study,
            "kind": self.kind,
            "pack_id": self.pack_id,
            "protocol_hash": self.protocol_hash,
            "protocol": dict(self.protocol),
            "files": [{"path": path, "sha256": self.files[path]} for path in sorted(self.files)],
        }


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack that can be read: from a folder whose seal was checked, or in memory."""

    manifest: Manifest
    read_asset: ReadAsset

    @property
    def pack_id(self) -> str:
        """The pack's identity, as it stands in every row of data."""
        return self.manifest.pack_id

    @property
    def protocol(self) -> Protocol:
        """The frozen protocol, typed."""
        return protocol_from_resolved(self.manifest.protocol, f"pack {self.pack_id}")

    def asset(self, path: str) -> bytes:
        """Return a sealed file's bytes; UserError if the pack has none of that path."""
        if path not in self.manifest.files:
            raise UserError(f"pack {self.pack_id}: has no file {path!r}")
        return self.read_asset(path)

    def table(self, schema: TableSchema) -> list[Row]:
        """Return the rows of one of the pack's tables (``<schema.name>.csv``)."""
        path = f"{schema.name}.csv"
        return schema.from_csv(self.asset(path), f"pack {self.pack_id}: {path}")

    def table_if_any(self, schema: TableSchema) -> list[Row]:
        """Return the rows of a table that not every pack has; none if this one lacks it."""
        return self.table(schema) if f"{schema.name}.csv" in self.manifest.files else []

    def paths(self, folder: str) -> Iterator[str]:
        """Yield the paths of the sealed files below a folder, sorted."""
        return (path for path in sorted(self.manifest.files) if path.startswith(f"{folder}/"))


def seal(
    protocol: Protocol,
    protocol_hash: str,
    kind: PackKind,
    hashes: Mapping[str, str],
    *,
    sketch: bool = False,
) -> Manifest:
    """Return the manifest of some content, given as SHA-256 by path."""
    content = (protocol.study, kind, protocol.resolved(), protocol_hash, dict(hashes))
    bare = Manifest(*content, pack_id="")
    mark = SCREENING if kind == "screening" else SKETCH if sketch else ""
    return Manifest(*content, pack_id=mark + pack_id_of(bare))


def is_screening(pack_id: str) -> bool:
    """Return whether an id is that of a pack of kind screening."""
    return pack_id.startswith(SCREENING)


def pack_id_of(manifest: Manifest) -> str:
    """Return the id that follows from a manifest's content (32 hexadecimal digits)."""
    identity = {
        "schema": PACK_SCHEMA.name,
        "study": manifest.study,
        "kind": manifest.kind,
        "protocol_hash": manifest.protocol_hash,
        "files": [[path, manifest.files[path]] for path in sorted(manifest.files)],
    }
    return hash_of(identity)[:PACK_ID_DIGITS]


def pack_in_memory(
    protocol: Protocol, protocol_hash: str, kind: PackKind, files: Mapping[str, bytes]
) -> Pack:
    """Return a pack whose files live in memory: a sketch, or one of kind screening."""
    hashes = {path: sha256_hex(data) for path, data in files.items()}
    manifest = seal(protocol, protocol_hash, kind, hashes, sketch=True)
    return Pack(manifest, dict(files).__getitem__)
