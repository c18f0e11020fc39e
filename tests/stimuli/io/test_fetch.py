"""Downloads: whole and known, or not at all."""

import gzip
import hashlib

import pytest

from stimuli.errors import UserError
from stimuli.io.fetch import fetch

DATA = bytes(range(256)) * 9000
SHA = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def served(tmp_path):
    path = tmp_path / "served.bin"
    path.write_bytes(DATA)
    return path


def _leftovers(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_a_packed_file_arrives_unpacked(tmp_path):
    packed = tmp_path / "served.gz"
    packed.write_bytes(gzip.compress(DATA))
    assert fetch([packed.as_uri()], tmp_path / "it", SHA, gunzip=True).read_bytes() == DATA


def test_the_next_address_is_tried(tmp_path, served):
    wrong = tmp_path / "wrong.bin"
    wrong.write_bytes(b"<html>moved</html>")
    addresses = [(tmp_path / "none").as_uri(), wrong.as_uri(), served.as_uri()]
    assert fetch(addresses, tmp_path / "it", SHA).read_bytes() == DATA


@pytest.mark.parametrize(
    "content", [b"", b"<html>", DATA[:-1], gzip.compress(DATA)[:-9], b"\x1f\x8bnothing"]
)
@pytest.mark.parametrize("gunzip", [False, True])
def test_what_is_not_the_known_file_leaves_nothing_behind(tmp_path, content, gunzip):
    bad = tmp_path / "bad"
    bad.write_bytes(content)
    with pytest.raises(UserError, match=r"can't download it\.bin"):
        fetch([bad.as_uri()], tmp_path / "to" / "it.bin", SHA, gunzip=gunzip)
    assert _leftovers(tmp_path / "to") == []


def test_a_failed_download_leaves_the_old_file_alone(tmp_path):
    old = tmp_path / "it.bin"
    old.write_bytes(b"old")
    with pytest.raises(UserError):
        fetch([(tmp_path / "none").as_uri()], old, SHA)
    assert old.read_bytes() == b"old"


def test_what_is_there_is_not_fetched_again(tmp_path):
    (tmp_path / "it.bin").write_bytes(DATA)
    assert fetch([], tmp_path / "it.bin", SHA).read_bytes() == DATA
