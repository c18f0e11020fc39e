"""The copy of a pack that a dataset keeps: its manifest and tables, without stimuli."""

from dataclasses import replace
from pathlib import Path

from participants.folder import DataFolder, is_kept
from participants.replaced import REPLACED, replaced_hashes
from stimuli.errors import UserError
from stimuli.io.files import is_left_over
from stimuli.pack import Pack
from stimuli.pack.folder import Damage, damage_of, read_manifest, refuse_damage
from stimuli.pack.model import Manifest


def open_pack_copy(data: DataFolder, pack_id: str) -> Pack:
    """Return a pack as far as a dataset keeps it, after checking its seal.

    All its tables must be there, as they were built. Stimuli may lie beside them, where somebody
    put the whole pack there: all of them then, and checked too. The code of somebody who took
    their data back may be replaced (`participants.replaced`).

    Raises
    ------
    UserError
        If the copy is missing or is of another pack, or if files are missing, extra or changed:
        which.
    """
    folder = data.pack_copy(pack_id)
    if not folder.is_dir():
        raise UserError(f"{folder}: is missing; copy pack {pack_id}'s folder there")
    manifest = read_manifest(folder)
    if manifest.pack_id != pack_id:
        raise UserError(f"{folder}: contains pack {manifest.pack_id}")
    refuse_damage(folder, _damage_of_copy(folder, manifest))

    def read(path: str) -> bytes:
        try:
            return (folder / path).read_bytes()
        except OSError as error:
            raise UserError(f"{folder / path}: can't be read ({error.strerror})") from None

    return Pack(manifest, read)


def _damage_of_copy(folder: Path, manifest: Manifest) -> Damage:
    """Compare a copy's files with the manifest, as far as a copy keeps them."""
    kept = {path: sha256 for path, sha256 in manifest.files.items() if is_kept(path)}
    whole = any((folder / path).exists() for path in manifest.files if path not in kept)
    files = manifest.files if whole else kept
    damage = damage_of(
        folder, replace(manifest, files=files), replaced_hashes(folder), beside=(REPLACED,)
    )
    # Nobody carries a copy about: what a file manager or a power cut left there harms nothing.
    foreign = tuple(path for path in damage.foreign if not is_left_over(folder / path))
    return replace(damage, litter=(), foreign=foreign)
