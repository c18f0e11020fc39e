"""Codes replaced in copies of packs: which content is taken, and which is a damage."""

import json
import shutil
from pathlib import Path

import pytest

from participants.dataset.journals import open_pack_copy
from participants.folder import DataFolder
from participants.replaced_codes import REPLACED, replace_code, replaced_hashes
from participants.tombstones import add_tombstones
from stimuli.errors import UserError
from stimuli.io.canonical import sha256_hex
from stimuli.studies.accept_reject.tables import KEY
from tests.participants.studies.accept_reject.packs import bare_pack

GOLDEN = Path(__file__).parents[1] / "golden" / "replaced"
CODE, OTHER = "CDF34HK", "GHK56MN"
WHEN = "2026-01-01T00:00:00.000000Z"


@pytest.fixture
def copied(tmp_path):
    """A data folder with a pack's copy, and the pack."""
    pack = bare_pack(solver_id=CODE)
    data = DataFolder(tmp_path / "data")
    add_tombstones(data, dict.fromkeys((CODE, OTHER), WHEN))
    return data, pack, data.copy_pack(pack)


def solvers(data, pack):
    rows = open_pack_copy(data, pack.pack_id).table(KEY)
    return {row["solver_id"] for row in rows if row["solver_id"]}


def test_the_word_stands_for_the_code_and_all_else_stays(copied):
    data, pack, copy = copied
    before = {path.name: path.read_bytes() for path in copy.iterdir()}
    replace_code(copy, CODE, "withdrawn-abcd")
    assert solvers(data, pack) == {"withdrawn-abcd"}
    for path in copy.iterdir():
        if path.name != REPLACED:
            assert path.read_bytes().replace(b"withdrawn-abcd", CODE.encode()) == before[path.name]
    assert CODE not in (copy / REPLACED).read_text()
    # The pack itself is unchanged: copying it again finds nothing to complain of.
    data.copy_pack(pack)
    replace_code(copy, OTHER, "withdrawn-efgh")
    assert solvers(data, pack) == {"withdrawn-abcd"}


def test_a_second_person_may_follow_the_first(tmp_path):
    pack = bare_pack(solver_id=f"{CODE}, {OTHER}")
    data = DataFolder(tmp_path / "data")
    copy = data.copy_pack(pack)
    add_tombstones(data, dict.fromkeys((CODE, OTHER, "LMN78PQ"), WHEN))
    replace_code(copy, CODE, "withdrawn-abcd")
    replace_code(copy, OTHER, "withdrawn-efgh")
    assert solvers(data, pack) == {"withdrawn-abcd, withdrawn-efgh"}
    assert len(replaced_hashes(copy)["key.csv"]) == 2


@pytest.mark.parametrize("withdrawn", [(), (OTHER,)], ids=["nobody withdrew", "somebody else did"])
def test_a_word_in_place_of_a_code_without_tombstone_is_a_change(copied, withdrawn):
    data, pack, copy = copied
    data.tombstones.unlink()
    add_tombstones(data, dict.fromkeys(withdrawn, WHEN))
    replace_code(copy, CODE, "withdrawn-abcd")
    with pytest.raises(UserError, match=r"key\.csv was changed since the pack was built"):
        solvers(data, pack)


def test_a_note_takes_no_other_change_of_the_key(copied):
    """A flipped answer with its new hash in the note, alone or beside a code that was replaced."""
    data, pack, copy = copied
    for replaced in (False, True):
        if replaced:
            (copy / "key.csv").write_bytes(pack.asset("key.csv"))
            replace_code(copy, CODE, "withdrawn-abcd")
        key = (copy / "key.csv").read_bytes()
        forged = key.replace(b",true", b",false") if b",true" in key else key.replace(b"1", b"2")
        assert forged != key
        (copy / "key.csv").write_bytes(forged)
        known = {"key.csv": [*replaced_hashes(copy).get("key.csv", []), sha256_hex(forged)]}
        note = {"schema": "replaced/1.0", "why": "", "files": known}
        (copy / REPLACED).write_text(json.dumps(note))
        with pytest.raises(UserError, match=r"key\.csv was changed since the pack was built"):
            solvers(data, pack)


def test_stopped_between_note_and_table_the_copy_is_still_read(copied):
    data, pack, copy = copied
    original = (copy / "key.csv").read_bytes()
    replace_code(copy, CODE, "withdrawn-abcd")
    (copy / "key.csv").write_bytes(original)
    assert solvers(data, pack) == {CODE}
    replace_code(copy, CODE, "withdrawn-efgh")
    assert solvers(data, pack) == {"withdrawn-efgh"}


def test_notes_of_released_versions_stay_readable_and_newer_ones_are_refused(copied):
    data, pack, copy = copied
    shutil.copy(GOLDEN / REPLACED, copy / REPLACED)
    shutil.copy(GOLDEN / "key.csv", copy / "key.csv")
    assert solvers(data, pack) == {"withdrawn-abcd"}
    text = (copy / REPLACED).read_text()
    (copy / REPLACED).write_text(text.replace("replaced/1.0", "replaced/1.9"))
    with pytest.raises(UserError, match="newer"):
        replaced_hashes(copy)
    (copy / REPLACED).write_text("{")
    with pytest.raises(UserError, match="can't be read"):
        replaced_hashes(copy)
