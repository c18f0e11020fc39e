"""ClickMe's own files: TFRecords of photographs with their players' bubbles.

ClickMe's data set (Linsley et al. 2019) comes as TFRecords. Each record is an ``Example`` with
``image`` (side × side × 3) and ``heatmap`` (side × side), both float32 little-endian, row 0 on top,
the photograph as sRGB codes 0…255, and ``label``, the number of an ImageNet class. Records bear no
names, so that photographs and maps are taken together. The frame of a record is TensorFlow's: 8
bytes of length, 4 of their checksum, the data, 4 of the data's checksum, which isn't looked at.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isqrt
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stimuli.errors import UserError
from stimuli.io.inside import refuse_odd
from xai_backend.models.frame import InputFrame
from xai_backend.studies.progressive_reveal.images import Candidate, Shown

SUFFIXES: Final = (".tfrecord", ".tfrecords")
LENGTH: Final = struct.Struct("<Q")
CHECKSUM: Final = struct.Struct("<I")
VARINT, EIGHT_BYTES, LENGTHY, FOUR_BYTES = 0, 1, 2, 5
OF_BYTES, OF_INTEGERS = 1, 3
"""Field numbers of a feature with values that are bytes, and integers."""
FLOAT: Final = np.dtype("<f4")

Floats = NDArray[np.float32]
Values = dict[str, bytes | int]


@dataclass(frozen=True, slots=True)
class Record:
    """Where a record is: its file, its number there from 0, its data's offset and length."""

    path: Path
    number: int
    start: int
    length: int

    def read(self) -> Values:
        """Return the record's values by name; UserError if it can't be read."""
        try:
            with self.path.open("rb") as stream:
                stream.seek(self.start)
                return example(stream.read(self.length))
        except (OSError, IndexError, ValueError) as fault:
            raise UserError(f"{self}: can't be read ({fault})") from None

    def image(self) -> NDArray[np.uint8]:
        """Return the photograph, uint8 (side, side, 3)."""
        codes = np.clip(np.rint(self._square("image", 3)), 0, 255)
        return codes.astype(np.uint8)

    def heatmap(self) -> Floats:
        """Return the players' map, float32 (side, side), ≥ 0."""
        return np.maximum(self._square("heatmap", 1)[:, :, 0], 0)

    def as_seen(self, size_px: int) -> Shown:
        """Return the photograph as people see it."""
        photo = Image.fromarray(self.image())
        return Shown(InputFrame(size_px, size_px).codes(photo), photo.size)

    def _square(self, name: str, depth: int) -> Floats:
        data = self.read().get(name)
        if not isinstance(data, bytes) or len(data) % (depth * FLOAT.itemsize):
            raise UserError(f"{self}: contains no {name} as ClickMe's records do")
        values = np.frombuffer(data, FLOAT).astype(np.float32)
        side = isqrt(values.size // depth)
        if not values.size or side * side * depth != values.size or not np.isfinite(values).all():
            raise UserError(f"{self}: its {name} is not a square of finite numbers")
        return values.reshape(side, side, depth)

    def __str__(self) -> str:
        return f"{self.path}, record {self.number + 1}"


class PlayersMaps(Mapping[str, Floats]):
    """Players' maps by item, read when they are needed: a data set is larger than memory."""

    def __init__(self, records: Mapping[str, Record]) -> None:
        self._records = records

    def __getitem__(self, item: str) -> Floats:
        return self._records[item].heatmap()

    def __contains__(self, item: object) -> bool:
        return item in self._records

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)


def record_files(source: Path) -> tuple[Path, ...]:
    """Return a path's TFRecords: the file itself, or those in the folder; empty without any."""
    files = sorted(source.iterdir()) if source.is_dir() else [source]
    return tuple(path for path in files if path.suffix.lower() in SUFFIXES)


def clickme_candidates(
    files: Sequence[Path], labels: Sequence[str]
) -> tuple[list[Candidate], PlayersMaps]:
    """Return ClickMe's photographs and its players' maps of them, by item.

    An item is its class and its place: ``n01440764/clickme_val-000012``.

    Parameters
    ----------
    files
        TFRecords.
    labels
        The class of each label number.

    Raises
    ------
    UserError
        If a file isn't such a TFRecord, or has a label number without a class.
    """
    records = {
        f"{_label(record, labels)}/{record.path.stem}-{record.number:06d}": record
        for path in files
        for record in records_of(path)
    }
    candidates = [
        Candidate(item, item.partition("/")[0], partial(Record.as_seen, record))
        for item, record in sorted(records.items())
    ]
    return candidates, PlayersMaps(records)


def records_of(path: Path) -> Iterator[Record]:
    """Yield a file's records in order.

    Raises
    ------
    UserError
        If it isn't a TFRecord or is truncated.
    """
    refuse_odd(path)
    try:
        with path.open("rb") as stream:
            yield from _records(path, stream, path.stat().st_size)
    except OSError as fault:
        raise UserError(f"{path}: can't be read ({fault.strerror})") from None


def _records(path: Path, stream: BinaryIO, size: int) -> Iterator[Record]:
    head = LENGTH.size + CHECKSUM.size
    at = number = 0
    while at < size:
        stream.seek(at)
        data = stream.read(head)
        if len(data) < head or CHECKSUM.unpack_from(data, LENGTH.size)[0] != masked_crc(data[:8]):
            raise UserError(f"{path}: is not a TFRecord, or damaged after {number} records")
        (length,) = LENGTH.unpack_from(data)
        end = at + head + length + CHECKSUM.size
        if end > size:
            raise UserError(f"{path}: is cut off after {number} records; copy it again")
        yield Record(path, number, at + head, length)
        at, number = end, number + 1


def masked_crc(data: bytes) -> int:
    """Return TensorFlow's masked CRC-32C of some bytes."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def example(data: bytes) -> Values:
    """Return the first value of each feature of a serialised ``Example``: bytes and integers.

    Features of floats are left out. Raises ValueError or IndexError if the data aren't an
    ``Example``.
    """
    values: Values = {}
    for features in _parts(data, 1):
        for entry in _parts(features, 1):
            name = next(_parts(entry, 1), b"").decode("utf-8")
            value = _value(next(_parts(entry, 2), b""))
            if value is not None:
                values[name] = value
    return values


def _value(feature: bytes) -> bytes | int | None:
    """Return the first value of a feature; None if it has no values or its values are floats."""
    for number, part in _fields(feature):
        if number in (OF_BYTES, OF_INTEGERS) and isinstance(part, bytes) and part:
            first = next(_fields(part))[1]
            packed = number == OF_INTEGERS and isinstance(first, bytes)
            return _varint(first, 0)[0] if packed else first
    return None


def _label(record: Record, labels: Sequence[str]) -> str:
    number = record.read().get("label")
    if not isinstance(number, int):
        raise UserError(f"{record}: contains no label as ClickMe's records do")
    if number >= len(labels):
        raise UserError(f"{record}: its label is {number}, but --classes has {len(labels)} classes")
    return labels[number]


def _parts(data: bytes, field_number: int) -> Iterator[bytes]:
    """Yield the length-delimited fields of a message that have the wanted number."""
    for number, value in _fields(data):
        if number == field_number and isinstance(value, bytes):
            yield value


def _fields(data: bytes) -> Iterator[tuple[int, bytes | int]]:
    """Yield the number and value of each field of a serialised protocol buffer."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == VARINT:
            value, at = _varint(data, at)
            yield key >> 3, value
            continue
        if kind == LENGTHY:
            length, at = _varint(data, at)
        elif kind in (EIGHT_BYTES, FOUR_BYTES):
            length = 8 if kind == EIGHT_BYTES else 4
        else:
            raise ValueError(f"no field of kind {kind}")
        if at + length > len(data):
            raise ValueError("a field is cut off")
        yield key >> 3, data[at : at + length]
        at += length


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Decode a varint (seven bits per byte, lowest first); return it and the offset of its end."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
