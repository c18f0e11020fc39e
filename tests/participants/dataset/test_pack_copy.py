"""Copies of packs in a data folder: their seal is checked whenever one is opened."""

import pytest

from participants.dataset.journals import open_pack_copy
from participants.folder import DataFolder
from stimuli.errors import UserError
from stimuli.studies.accept_reject.tables import KEY
from tests.participants.studies.accept_reject.packs import tiny_sketch


@pytest.fixture
def data(tmp_path):
    folder = DataFolder(tmp_path / "data")
    folder.copy_pack(tiny_sketch())
    return folder


def add_all_stimuli(copy):
    """Put the whole pack where its copy is, as somebody does who wants its pictures there."""
    pack = tiny_sketch()
    for path in pack.manifest.files:
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        (copy / path).write_bytes(pack.asset(path))
    return copy / next(pack.paths("assets"))


def change(path):
    path.write_bytes(path.read_bytes() + b"x")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda copy: change(copy / "key.csv"), "key.csv was changed since the pack was built"),
        (lambda copy: (copy / "lists.csv").unlink(), "lists.csv is missing"),
        (lambda copy: (copy / "more.csv").write_text("x"), "more.csv does not belong to the pack"),
        (lambda copy: change(add_all_stimuli(copy)), r"assets/\S+ was changed since"),
        (lambda copy: add_all_stimuli(copy).unlink(), r"assets/\S+ is missing"),
    ],
)
def test_a_changed_a_missing_and_an_extra_file_are_refused_by_name(data, damage, said):
    copy = data.pack_copy(tiny_sketch().pack_id)
    damage(copy)
    with pytest.raises(UserError, match=f"{copy}: {said}.*; copy the pack again"):
        open_pack_copy(data, copy.name)


def test_tables_alone_and_the_whole_pack_are_read(data):
    """So they are where a file manager looked, and where a PC stopped while it wrote."""
    pack = tiny_sketch()
    copy = data.pack_copy(pack.pack_id)
    for name in (".DS_Store", ".items.csv-x1y2.part"):
        (copy / name).write_bytes(b"x")
    assert open_pack_copy(data, copy.name).table(KEY) == pack.table(KEY)
    picture = add_all_stimuli(copy).relative_to(copy).as_posix()
    assert open_pack_copy(data, copy.name).asset(picture) == pack.asset(picture)
