"""The copy of a pack that a dataset keeps: its manifest and tables, without stimuli."""

from participants.folder import DataFolder
from participants.replaced import replaced_hashes
from stimuli.errors import UserError
from stimuli.io.canonical import sha256_hex
from stimuli.pack import Pack
from stimuli.pack.folder import read_manifest


def open_pack_copy(data: DataFolder, pack_id: str) -> Pack:
    """Return a pack as far as a dataset keeps it; every table is checked when it is read.

    The code of somebody who took their data back may be replaced in it (`participants.replaced`).

    Raises
    ------
    UserError
        If the copy is missing, or (on reading) a table of it was changed.
    """
    folder = data.pack_copy(pack_id)
    if not folder.is_dir():
        raise UserError(f"{folder}: is missing; copy pack {pack_id}'s folder there")
    manifest = read_manifest(folder)
    if manifest.pack_id != pack_id:
        raise UserError(f"{folder}: contains pack {manifest.pack_id}")

    replaced = replaced_hashes(folder)

    def read(path: str) -> bytes:
        try:
            content = (folder / path).read_bytes()
        except OSError as error:
            raise UserError(f"{folder / path}: can't be read ({error.strerror})") from None
        if sha256_hex(content) not in (manifest.files[path], *replaced.get(path, ())):
            raise UserError(f"{folder / path}: was changed since the pack was built")
        return content

    return Pack(manifest, read)
