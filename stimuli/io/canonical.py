"""One way to turn values into bytes, hashes and seeds."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

CHUNK_BYTES = 1 << 20
# json.dumps would make an encoder for each value.
_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)


def canonical_json(value: Any) -> bytes:
    """Return the canonical JSON of a value: sorted keys, no spaces, UTF-8, no NaN.

    Raises
    ------
    ValueError
        If the value holds NaN or an infinity.
    TypeError
        If it holds something that JSON can't express.
    """
    return _ENCODER.encode(value).encode("utf-8")


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of some bytes, as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def hash_of(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON, as 64 hexadecimal digits."""
    return sha256_hex(canonical_json(value))


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file's content, read in chunks, as 64 hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def files_sha256(files: Sequence[Path], folder: Path) -> str:
    """Return the SHA-256 of a single file's bytes, or of several files' paths and hashes."""
    if len(files) == 1:
        return file_sha256(files[0])
    return hash_of({path.relative_to(folder).as_posix(): file_sha256(path) for path in files})


def seed_of(*key: str | int) -> int:
    """Return a seed in [0, 2**63) that depends only on the key.

    Seeds depend on what is drawn, never on when or on which worker it is drawn.
    """
    return int(hash_of(list(key))[:16], 16) >> 1


def keyed_order(values: Iterable[T], *key: str | int) -> list[T]:
    """Return values in an order that depends only on the key and on each value's text."""
    return sorted(values, key=lambda value: hash_of([*key, str(value)]))
