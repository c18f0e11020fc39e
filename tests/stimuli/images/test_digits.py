"""Digits from scikit-learn and from IDX files."""

import gzip
import struct

import numpy as np
import pytest

from stimuli import places
from stimuli.errors import UserError
from stimuli.images import digits
from stimuli.images.digits import load_digits, read_idx

RNG = np.random.default_rng(0)


def _idx(array):
    header = bytes((0, 0, 8, array.ndim)) + struct.pack(f">{array.ndim}I", *array.shape)
    return header + array.astype(np.uint8).tobytes()


def _folder(path, train=30, test=10, pack=False):
    path.mkdir(parents=True)
    for part, count in (("train", train), ("t10k", test)):
        images = RNG.integers(0, 256, (count, 28, 28))
        labels = RNG.integers(0, 10, count)
        for name, array in (("images-idx3", images), ("labels-idx1", labels)):
            data = _idx(array)
            if pack:
                (path / f"{part}-{name}-ubyte.gz").write_bytes(gzip.compress(data))
            else:
                (path / f"{part}-{name}-ubyte").write_bytes(data)
    return path


@pytest.fixture
def away(tmp_path, monkeypatch):
    """No data folder, an empty lab, no network."""
    monkeypatch.delenv(places.DATA_VARIABLE, raising=False)
    monkeypatch.setenv(places.LAB_VARIABLE, str(tmp_path / "lab"))
    monkeypatch.setattr(digits, "MNIST_MIRRORS", ("file:///nowhere/",))
    return tmp_path


def test_uci_digits_are_whole_and_split_for_ever():
    """Known answer: moving an image over the split would show people what a network learnt."""
    uci = load_digits("uci")
    assert uci.images.shape == (1797, 8, 8)
    assert uci.images.dtype == np.float32
    assert (uci.images.min(), uci.images.max()) == (0, 1)
    assert len(uci.train_indices) == 1100
    assert np.array_equal(
        np.sort(np.concatenate([uci.train_indices, uci.held_out_indices])), np.arange(1797)
    )
    assert uci.held_out_indices[:5].tolist() == [0, 1, 3, 4, 6]


def test_uci_digits_are_those_that_scikit_learn_loads():
    oracle, uci = pytest.importorskip("sklearn.datasets").load_digits(), load_digits("uci")
    assert np.array_equal(uci.images, (oracle.images / 16).astype(np.float32))
    assert np.array_equal(uci.labels, oracle.target)


def test_every_digit_stands_on_both_sides_of_the_split():
    uci = load_digits("uci")
    for side in (uci.train_indices, uci.held_out_indices):
        assert np.bincount(uci.labels[side], minlength=10).min() > 50


@pytest.mark.parametrize("pack", [False, True])
@pytest.mark.parametrize("inner", [".", "MNIST/raw", "mnist"])
def test_an_idx_folder_is_found_plain_or_packed(tmp_path, inner, pack):
    _folder(tmp_path / "data" / inner, pack=pack)
    found = load_digits(tmp_path / "data")
    assert found.images.shape == (40, 28, 28)
    assert found.images.max() <= 1
    assert found.source == "mnist"
    assert found.train_indices.tolist() == list(range(30))
    assert found.held_out_indices.tolist() == list(range(30, 40))


def test_mnist_is_looked_for_in_the_data_folder_then_in_the_labs_cache(away, monkeypatch):
    _folder(places.cache_dir() / "mnist", train=20)
    assert len(load_digits("mnist")) == 30
    shared = _folder(away / "shared" / "mnist", train=50).parent
    monkeypatch.setenv(places.DATA_VARIABLE, str(shared))
    assert len(load_digits("mnist")) == 60


def test_mnist_is_downloaded_into_the_labs_cache(away, monkeypatch):
    served = _folder(away / "served", pack=True)
    sums = {
        name: digits_sha(gzip.decompress((served / f"{name}.gz").read_bytes()))
        for name in digits.MNIST_FILES
    }
    monkeypatch.setattr(digits, "MNIST_FILES", sums)
    monkeypatch.setattr(digits, "MNIST_MIRRORS", (served.as_uri() + "/",))
    assert len(load_digits("mnist")) == 40
    assert sorted(path.name for path in (places.cache_dir() / "mnist").iterdir()) == sorted(sums)


def digits_sha(data):
    import hashlib

    return hashlib.sha256(data).hexdigest()


def test_without_mnist_one_line_says_where_to_put_it(away):
    with pytest.raises(UserError, match="put its four IDX files into") as caught:
        load_digits("mnist")
    assert str(places.cache_dir() / "mnist") in str(caught.value)
    assert "type build … --source uci (or plates … --digits uci)" in str(caught.value)
    assert "\n" not in str(caught.value)


IMAGES, LABELS = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"


def _damaged(change):
    """Return what spoils a folder's file of images."""

    def spoil(folder):
        (folder / IMAGES).write_bytes(change((folder / IMAGES).read_bytes()))

    return spoil


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (_damaged(lambda data: data[:-100]), "header says"),
        (_damaged(lambda data: data + b"\0"), "header says"),
        (_damaged(lambda data: data[:7]), "not an IDX file"),
        (_damaged(lambda data: data[:2] + b"\x0d" + data[3:]), "not an IDX file"),
        (_damaged(lambda data: gzip.compress(data)[:-20]), "can't be read"),
        (_damaged(lambda data: b"\x1f\x8b" + data), "can't be read"),
        (lambda folder: (folder / IMAGES).unlink(), IMAGES),
        (
            lambda folder: (folder / IMAGES).write_bytes((folder / LABELS).read_bytes()),
            "3 dimensions",
        ),
        (lambda folder: (folder / LABELS).write_bytes(_idx(np.zeros(7))), "don't belong together"),
        (lambda folder: (folder / LABELS).write_bytes(_idx(np.full(30, 11))), "digits 0 to 9"),
    ],
)
def test_a_spoiled_folder_is_refused_by_name(tmp_path, spoil, words):
    spoil(_folder(tmp_path / "data"))
    with pytest.raises(UserError, match=words) as caught:
        load_digits(tmp_path / "data")
    assert str(tmp_path / "data") in str(caught.value)
    with pytest.raises(UserError, match="no such folder; take uci, mnist, or a folder"):
        load_digits("nist")


def test_read_idx_gives_what_was_written(tmp_path):
    array = RNG.integers(0, 256, (3, 4, 5)).astype(np.uint8)
    (tmp_path / "a").write_bytes(_idx(array))
    assert np.array_equal(read_idx(tmp_path / "a", 3), array)
