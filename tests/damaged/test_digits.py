"""Digits: status 2, one line, nothing lost or half-written."""

import struct

import numpy as np
import pytest

from tests.damaged.files import write


def idx(array):
    header = bytes((0, 0, 8, array.ndim)) + struct.pack(f">{array.ndim}I", *array.shape)
    return header + array.astype(np.uint8).tobytes()


@pytest.mark.parametrize(
    ("train", "test", "words"),
    [
        (np.zeros((3, 28, 28)), np.ones((3, 28, 28)), "image 0 (from 0) is blank"),
        (np.ones((3, 0, 0)), np.ones((3, 0, 0)), "is blank"),
        (np.ones((3, 28, 28)), np.ones((3, 14, 14)), "differ in size"),
    ],
)
def test_digits_that_are_none(refused, tmp_path, train, test, words):
    for part, images in (("train", train), ("t10k", test)):
        write(tmp_path / "mnist" / f"{part}-images-idx3-ubyte", idx(images))
        write(tmp_path / "mnist" / f"{part}-labels-idx1-ubyte", idx(np.arange(3)))
    out = tmp_path / "out"
    assert words in refused("plates", "--digits", tmp_path / "mnist", "--count", 1, "--out", out)
    assert not out.exists()


def test_a_folder_in_a_pictures_place(refused, tmp_path):
    plates = tmp_path / "plates"
    (plates / "plate-000000.png").mkdir(parents=True)
    said = refused("plates", "--count", 1, "--size", 64, "--out", plates)
    assert "plate-000000.png" in said
    assert sorted(path.name for path in plates.iterdir()) == ["plate-000000.png"]
