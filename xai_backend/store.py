"""A store of results by their content: what was computed once is never computed again.

A result's key is a hash of all that determines it, and of nothing else. Its tensors are in
immutable shards. The store stays intact even if a process is killed at any moment.

Layout of a store's folder (format ``store/1.0``)::

    shards/<first 40 hex digits of the file's SHA-256>.safetensors
    index.sqlite

The shards are authoritative. A shard is written beside its place, flushed, then renamed, and never
changed. Its one metadata entry ``shard`` is JSON: the format and the provenance. The index says
which shard holds a key; it is rebuilt from the shards whenever it doesn't agree with them.
"""

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load, save

from stimuli.errors import UserError
from stimuli.io.canonical import canonical_json, hash_of, sha256_hex
from stimuli.io.files import remove_abandoned, write_whole
from stimuli.places import cache_dir
from xai_backend.methods.method import Method, identity_of
from xai_backend.models.frame import PREPROCESSING

LOGITS_VERSION = 2
"""Raise it by hand whenever the same network and picture would give other digits."""


Picture = NDArray[np.uint8]


def input_sha256(picture: Picture) -> str:
    """Return the hash that stands for a picture, uint8 (H, W, 3), in keys."""
    shape = canonical_json(picture.shape)
    return sha256_hex(shape + np.ascontiguousarray(picture).tobytes())


def map_key(
    method: Method,
    weights_sha256: str,
    picture: Picture | str,
    target: int,
    preprocessing: Any = PREPROCESSING,
) -> str:
    """Return the key of a map, 64 hexadecimal digits.

    Parameters
    ----------
    method
        Its name, version and parameters are part of the key.
    weights_sha256
        Hash of the network with its front.
    picture
        The explained picture, uint8 (H, W, 3), or its `input_sha256`.
    target
        The class that is explained.
    preprocessing
        What is done to the picture before it reaches the weights: plain JSON values.
    """
    return _key(identity_of(method), weights_sha256, picture, target, preprocessing)


def logits_key(
    weights_sha256: str, picture: Picture | str, preprocessing: Any = PREPROCESSING
) -> str:
    """Return the key of a picture's logits, 64 hexadecimal digits."""
    identity = {"name": "logits", "version": LOGITS_VERSION}
    return _key(identity, weights_sha256, picture, None, preprocessing)


def _key(
    identity: dict[str, Any],
    weights_sha256: str,
    picture: Picture | str,
    target: int | None,
    preprocessing: Any,
) -> str:
    return hash_of(
        {
            "what": identity,
            "weights": weights_sha256,
            "preprocessing": preprocessing,
            "input": picture if isinstance(picture, str) else input_sha256(picture),
            "target": target,
            "dtype": "float32",
        }
    )


FORMAT = "store/1.0"
NAME_DIGITS = 40
SUFFIX, INDEX = ".safetensors", "index.sqlite"
BUSY_S = 60.0
STALE_S = 24 * 3600.0
"""Age, in seconds, after which an unfinished file no longer belongs to a running process."""
_TABLES = """
CREATE TABLE IF NOT EXISTS shard (name TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS entry (key TEXT PRIMARY KEY, shard TEXT NOT NULL);
"""

Tensors = Mapping[str, NDArray[Any]]


class TensorStore:
    """A folder of tensors by key; several processes may read and add at once.

    Parameters
    ----------
    folder
        It is created if it doesn't exist. Unreadable shards are ignored and not touched.

    Raises
    ------
    UserError
        If the folder can't be written.
    """

    def __init__(self, folder: Path) -> None:
        self._shards = folder / "shards"
        self._index_path = folder / INDEX
        try:
            self._shards.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise UserError(f"{folder}: can't be written ({fault.strerror})") from None
        with _writing_to(folder):
            self._index = self._open_index()

    def close(self) -> None:
        """Close the index."""
        self._index.close()

    def missing(self, keys: Iterable[str]) -> list[str]:
        """Return the keys that the store doesn't hold, each once, in the order given."""
        held = self._where(wanted := list(dict.fromkeys(keys)))
        return [key for key in wanted if key not in held]

    def put(self, tensors: Tensors, provenance: Mapping[str, Any]) -> None:
        """Add tensors as one shard; once this returns, they are safe on the disk.

        Parameters
        ----------
        tensors
            Tensors by key. A key that the store already holds isn't changed.
            provenance
            Versions and machine as plain JSON values: kept with the keys, but not part of them.

        Raises
        ------
        UserError
            If the folder can't be written; what was kept before stays.
        """
        about = canonical_json({"format": FORMAT, "provenance": dict(provenance)})
        plain = {key: np.ascontiguousarray(tensors[key]) for key in sorted(tensors)}
        data = save(plain, {"shard": about.decode("utf-8")})
        name = sha256_hex(data)[:NAME_DIGITS]
        with _writing_to(self._shards.parent):
            write_whole(self._shards / f"{name}{SUFFIX}", data)
            self._enter(name, plain)

    def get(self, keys: Sequence[str]) -> dict[str, NDArray[Any]]:
        """Return tensors by key.

        Raises
        ------
        KeyError
            If a key isn't held.
        UserError
            If a shard was damaged since it was written.
        """
        held = self._where(keys)
        by_shard: dict[str, list[str]] = {}
        for key in keys:
            by_shard.setdefault(held[key], []).append(key)
        tensors: dict[str, NDArray[Any]] = {}
        for name, shard_keys in by_shard.items():
            shard = self._read(name)
            tensors |= {key: shard[key] for key in shard_keys}
        return tensors

    def provenance(self, keys: Sequence[str]) -> dict[str, Mapping[str, Any]]:
        """Return the provenance with which each key's shard was put into the store.

        Raises
        ------
        KeyError
            If a key isn't held.
        """
        held = self._where(keys)
        provenance = {name: self._about(name)["provenance"] for name in {held[key] for key in keys}}
        return {key: provenance[held[key]] for key in keys}

    def _where(self, keys: Sequence[str]) -> dict[str, str]:
        """Return the shards of those keys that the store holds."""
        held: dict[str, str] = {}
        for start in range(0, len(keys), 500):
            part = keys[start : start + 500]
            marks = ",".join("?" * len(part))
            rows = self._index.execute(f"SELECT key, shard FROM entry WHERE key IN ({marks})", part)
            held.update(rows.fetchall())
        return held

    def _read(self, name: str) -> dict[str, NDArray[Any]]:
        path = self._shards / f"{name}{SUFFIX}"
        try:
            data = path.read_bytes()
        except OSError as fault:
            raise UserError(f"{path}: can't be read ({fault.strerror}); start again") from None
        if sha256_hex(data)[:NAME_DIGITS] != name:
            raise UserError(f"{path}: was damaged since it was written; delete it and go on")
        return load(data)

    def _enter(self, name: str, keys: Iterable[str]) -> None:
        with self._index:
            self._index.executemany(
                "INSERT OR IGNORE INTO entry VALUES (?, ?)", [(key, name) for key in keys]
            )
            self._index.execute("INSERT OR IGNORE INTO shard VALUES (?)", (name,))

    def _open_index(self) -> sqlite3.Connection:
        """Return the index, brought up to date with the shards."""
        try:
            index = self._connect()
            known = {name for (name,) in index.execute("SELECT name FROM shard")}
        except sqlite3.OperationalError:
            raise  # the index is sound, but locked, or the disk fails
        except sqlite3.DatabaseError:
            self._index_path.unlink(missing_ok=True)
            index, known = self._connect(), set()
        self._index = index
        self._sweep()
        there = {path.stem for path in self._shards.glob(f"*{SUFFIX}") if path.stem[0] != "."}
        for name in sorted(known - there):
            self._forget(name)
        for name in sorted(there - known):
            keys = self._keys_of(name)
            if keys is not None:
                self._enter(name, keys)
        return index

    def _connect(self) -> sqlite3.Connection:
        index = sqlite3.connect(self._index_path, timeout=BUSY_S)
        try:
            index.executescript(_TABLES)
        except sqlite3.Error:
            index.close()  # Windows can't remove an open file
            raise
        return index

    def _forget(self, name: str) -> None:
        with self._index:
            self._index.execute("DELETE FROM entry WHERE shard = ?", (name,))
            self._index.execute("DELETE FROM shard WHERE name = ?", (name,))

    def _sweep(self) -> None:
        """Remove unfinished files of writers that were killed; if that isn't known, long ago."""
        for path in self._shards.glob(".*.part"):
            with contextlib.suppress(OSError):  # its writer may have just renamed it
                remove_abandoned(path)
                if time.time() - path.stat().st_mtime > STALE_S:
                    path.unlink()

    def _keys_of(self, name: str) -> list[str] | None:
        """Return a shard's keys, or None if it is damaged or has another format."""
        try:
            with self._opened(name) as file:
                about = json.loads((file.metadata() or {})["shard"])
                return list(file.keys()) if about["format"] == FORMAT else None
        except (SafetensorError, KeyError, ValueError, OSError):
            return None

    def _about(self, name: str) -> dict[str, Any]:
        with self._opened(name) as file:
            return json.loads(file.metadata()["shard"])

    def _opened(self, name: str) -> Any:
        return safe_open(os.fspath(self._shards / f"{name}{SUFFIX}"), framework="numpy")


@contextlib.contextmanager
def opened_store(folder: Path | None = None) -> Iterator[TensorStore]:
    """Yield a store and close it afterwards; without a folder, the lab's cache of results."""
    with contextlib.closing(TensorStore(folder or cache_dir() / "results")) as store:
        yield store


@contextlib.contextmanager
def _writing_to(folder: Path) -> Iterator[None]:
    """Turn errors of writing to a store into one line."""
    try:
        yield
    except OSError as fault:
        where = fault.filename or folder
        raise UserError(f"{where}: can't be written ({fault.strerror})") from None
    except sqlite3.OperationalError as fault:
        raise UserError(f"{folder / INDEX}: can't be written ({fault})") from None
