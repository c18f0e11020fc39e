"""Files that appear whole: a full disk names the one that couldn't be written."""

import errno
import os

import pytest

from stimuli.io.files import whole_folder, write_whole
from stimuli.workers import Kept


@pytest.fixture
def full_disk(monkeypatch):
    """A disk on which a flush finds no space; the system names no file then."""

    def refuse(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_names_the_file_and_leaves_nothing(tmp_path):
    with pytest.raises(OSError, match="No space left") as full:
        write_whole(tmp_path / "maps.csv", b"x")
    assert (full.value.errno, full.value.filename) == (errno.ENOSPC, str(tmp_path / "maps.csv"))
    assert not list(tmp_path.iterdir())
    with pytest.raises(OSError, match=r"runs\.jsonl"):
        Kept(tmp_path / "runs.jsonl").put("a", 1)


def test_a_full_disk_names_the_folder_that_was_to_appear(tmp_path):
    wanted = tmp_path / "export"
    with pytest.raises(OSError, match="No space left") as full, whole_folder(wanted) as aside:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(aside / "a.csv"))
    assert full.value.filename == str(wanted)
    assert not list(tmp_path.iterdir())
