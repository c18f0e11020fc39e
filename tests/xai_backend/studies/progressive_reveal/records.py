"""Files as ClickMe's, written byte by byte from the formats' definitions."""

import struct
from collections.abc import Iterable
from pathlib import Path

import numpy as np


def varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; the highest bit says that more follow."""
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + varint(rest) if rest else bytes([low])


def field(number: int, data: bytes) -> bytes:
    """A field of a protocol buffer that has a length."""
    return varint(number << 3 | 2) + varint(len(data)) + data


def example(**features: bytes | int) -> bytes:
    """TensorFlow's ``Example``: integers are packed, as it writes them."""
    entries = b""
    for name, value in features.items():
        if isinstance(value, int):
            feature = field(3, field(1, varint(value)))
        else:
            feature = field(1, field(1, value))
        entries += field(1, field(1, name.encode()) + field(2, feature))
    return field(1, entries)


def crc32c(data: bytes) -> int:
    """CRC-32C by polynomial division over all bits, the lowest first."""
    bits = [byte >> shift & 1 for byte in data for shift in range(8)]
    bits = [bit ^ 1 for bit in bits[:32]] + bits[32:] + [0] * 32
    for place in range(len(bits) - 32):
        if bits[place]:
            for offset in (0, 4, 5, 6, 7, 9, 10, 12, 13, 14, 18, 19, 21, 22, 23, 24, 26, 32):
                bits[place + offset] ^= 1
    return sum((bit ^ 1) << shift for shift, bit in enumerate(bits[-32:]))


def framed(data: bytes) -> bytes:
    """A record of a TFRecord; nobody looks at its data's checksum."""
    length = struct.pack("<Q", len(data))
    crc = crc32c(length)
    masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
    return length + struct.pack("<I", masked) + data + bytes(4)


def clickme_record(image: np.ndarray, heatmap: np.ndarray, label: int) -> bytes:
    """A photograph, the map of its players, and the number of its class."""
    return framed(
        example(
            click_count=300,
            heatmap=heatmap.astype("<f4").tobytes(),
            image=image.astype("<f4").tobytes(),
            label=label,
        )
    )


def written_records(path: Path, records: Iterable[bytes]) -> Path:
    path.write_bytes(b"".join(records))
    return path
