"""Downloads that either arrive whole and known, or not at all."""

import gzip
import hashlib
import os
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path

from stimuli.errors import UserError

TIMEOUT_S = 30.0
CHUNK = 1 << 20


def fetch(
    addresses: Sequence[str],
    destination: Path,
    sha256: str,
    *,
    gunzip: bool = False,
    timeout_s: float = TIMEOUT_S,
) -> Path:
    """Download a file from the first address that has it, unless it is there already.

    Parameters
    ----------
    addresses
        The same file in several places, tried in order.
    destination
        Where it goes; it appears there whole (renamed into place) or not at all.
    sha256
        Digest (hex) of the file at the destination.
    gunzip
        Whether the download is gzip and is to be unpacked.
    timeout_s
        How long an address may stay silent.

    Returns
    -------
    Path
        ``destination``.

    Raises
    ------
    UserError
        If no address gave the file; the message names the last error.
    """
    if destination.is_file() and _digest(destination) == sha256:
        return destination
    trouble = "no address"
    for address in addresses:
        try:
            _download(address, destination, sha256, gunzip, timeout_s)
        except (OSError, EOFError, zlib.error, ValueError) as fault:
            trouble = f"{address}: {fault}"
        else:
            return destination
    raise UserError(f"can't download {destination.name} ({trouble})")


def _download(address: str, destination: Path, sha256: str, gunzip: bool, timeout_s: float) -> None:
    import urllib.request  # late: with it comes ssl, and most files are there already

    destination.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".part-", dir=destination.parent)
    part = Path(name)
    try:
        digest = hashlib.sha256()
        with (
            os.fdopen(handle, "wb") as out,
            urllib.request.urlopen(address, timeout=timeout_s) as reply,
        ):
            source = gzip.GzipFile(fileobj=reply) if gunzip else reply
            while chunk := source.read(CHUNK):
                digest.update(chunk)
                out.write(chunk)
            out.flush()
            os.fsync(out.fileno())
        if digest.hexdigest() != sha256:
            raise ValueError("its content is not the known one (SHA-256 differs)")
        part.replace(destination)
    finally:
        part.unlink(missing_ok=True)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
