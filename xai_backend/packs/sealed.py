"""Where a pack goes and how it is written: once, and never over another one."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from stimuli.errors import UserError
from stimuli.io.canonical import sha256_hex
from stimuli.pack import Pack, open_pack, write_pack
from stimuli.pack.folder import MANIFEST, read_manifest
from stimuli.pack.model import PackKind, pack_id_of, pack_in_memory, seal
from stimuli.places import lab_root
from stimuli.protocol import Protocol, protocol_hash
from stimuli.study import font_files, unshowable
from xai_backend.progress import Reporter
from xai_backend.provenance import provenance


def sealed(
    out: Path,
    protocol: Protocol,
    kind: PackKind,
    files: Mapping[str, bytes],
    about: Mapping[str, Any],
    reporter: Reporter,
) -> Pack:
    """Write a pack, unless exactly this pack is there already.

    Raises
    ------
    UserError
        If another pack is there, a font can't be had, or the pack shows a text that its fonts can't
        draw.
    """
    files = {**files, **font_files(protocol)}
    if lacking := unshowable(pack_in_memory(protocol, protocol_hash(protocol), kind, files)):
        raise UserError(f"{lacking}; use other characters, or name a font (docs/scripts.md)")
    hashes = {path: sha256_hex(data) for path, data in files.items()}
    wanted = pack_id_of(seal(protocol, protocol_hash(protocol), kind, hashes))
    if (out / MANIFEST).exists():
        there = open_pack(out)
        if there.pack_id != wanted:
            raise UserError(
                f"{out}: contains another pack ({there.pack_id}); name a new folder with --out"
            )
        return there
    write_pack(out, protocol, kind, files, about)
    reporter.say(f"sealed: {out}")
    return open_pack(out)


def checked_out(out: Path | None, protocol: Protocol, kind: PackKind, suffix: str = "") -> Path:
    """Return the folder for a pack, after `check_out`: ``out``, or one among the lab's packs.

    Parameters
    ----------
    out
        The folder that the user named; None for one among the lab's packs.
    protocol, kind
        Protocol and kind of the pack.
    suffix
        End of the name of a folder among the lab's packs.

    Raises
    ------
    UserError
        If another pack or other files are there, or the folder can't be made.
    """
    identity = protocol_hash(protocol)
    usual = default_out(protocol, identity)
    chosen = out or usual.with_name(f"{usual.name}{suffix}")
    check_out(chosen, identity, kind)
    return chosen


def default_out(protocol: Protocol, identity: str) -> Path:
    """Return a pack's folder among the lab's packs."""
    return lab_root() / "packs" / f"{protocol.study}-{protocol.name}-{identity[:8]}"


def check_out(out: Path, protocol: str | None, kind: PackKind) -> None:
    """Raise UserError for a folder that isn't empty, unless it holds the same kind of pack.

    `protocol` is the protocol's hash: a build with the same hash continues there. It is None if the
    build still has to settle the protocol; then `checked_out` must follow.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        there = out.exists()
    except OSError as error:
        raise UserError(f"{out}: can't be made ({error.strerror}); choose another --out") from None
    if not there:
        return
    if not out.is_dir():
        raise UserError(f"{out}: is a file; name a new folder with --out")
    if not any(out.iterdir()):
        return
    if not (out / MANIFEST).exists():
        raise UserError(f"{out}: is not empty; name a new folder with --out")
    found = read_manifest(out)
    if found.kind != kind or protocol not in (None, found.protocol_hash):
        raise UserError(f"{out}: contains another pack; name a new folder with --out")


def about(begun: datetime, device: str) -> dict[str, Any]:
    """Return what is recorded beside a pack's seal: versions, machine, times."""
    ended = datetime.now(UTC)
    return {
        **provenance(device),
        "begun_utc": begun.isoformat(timespec="seconds"),
        "ended_utc": ended.isoformat(timespec="seconds"),
        "seconds": round((ended - begun).total_seconds(), 1),
    }
