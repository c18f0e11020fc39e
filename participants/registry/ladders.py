"""How many rungs the ladders have that a lab shows plates from."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from participants.folder import LabFolder
from stimuli.errors import UserError
from stimuli.pack.folder import MANIFEST, read_manifest


def check_rung(pack: Path, axis: str, rung: int) -> None:
    """Refuse a rung that a pack's ladder doesn't have.

    Parameters
    ----------
    pack
        The pack's folder.
    axis, rung
        A lead's confusion axis and rung.

    Raises
    ------
    UserError
        If the rung lies above the ladder, or the pack can't be read.
    """
    length = _length(pack, axis)
    if length is not None and rung > length:
        raise UserError(_beyond(pack, axis, rung, length))


def rung_warning(lab: LabFolder, axis: str, rung: int) -> str | None:
    """Return a warning if a rung lies above the ladder of every pack that a lab has, else None.

    It is no error, since the pack that the lead will see may lie elsewhere.
    """
    lengths: dict[Path, int] = {}
    for folder in _packs(lab):
        try:
            length = _length(folder, axis)
        except UserError:
            # A damaged pack is refused where it is used.
            continue
        if length is not None:
            lengths[folder] = length
    if not lengths or rung <= max(lengths.values()):
        return None
    longest = max(lengths, key=lambda folder: lengths[folder])
    return _beyond(longest, axis, rung, lengths[longest])


def _beyond(pack: Path, axis: str, rung: int, length: int) -> str:
    return (
        f"rung is {rung}; the {axis} ladder of pack {pack.name} has {length} rungs, from 1, the "
        "lowest contrast"
    )


def _packs(lab: LabFolder) -> Iterator[Path]:
    """Yield the packs in the lab folder, and the copies that its data keep."""
    for place in (lab.packs, lab.data.packs):
        yield from (path.parent for path in sorted(place.glob(f"*/{MANIFEST}")))


def _length(pack: Path, axis: str) -> int | None:
    """Return a ladder's length; None where a pack shows no plates on that axis."""
    protocol: Mapping[str, Any] = read_manifest(pack).protocol
    ladder = protocol.get("plates", {}).get(f"ladder_{axis}")
    return len(ladder) if isinstance(ladder, list) else None
