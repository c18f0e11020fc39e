"""No command waits for a pipe that stands where a file of the lab's should be: it is named."""

import os
import shutil
from contextlib import closing
from itertools import product

import pytest

from participants.cli import main
from participants.dataset.derive import write_tables
from participants.folder import LabFolder
from participants.registry import Registry
from tests.participants.dataset.test_derive import record
from tests.participants.studies.accept_reject.packs import bare_pack

pytestmark = pytest.mark.skipif(os.name != "posix", reason="makes a pipe")

REASONS = ("is a pipe, not a file", "is a link", "is missing")
SESSION, PACK = "data/sessions/s-1", f"data/packs/{bare_pack().pack_id}"
FILES = (
    f"{SESSION}/journal.jsonl",
    f"{SESSION}/session.json",
    f"{PACK}/pack.json",
    f"{PACK}/key.csv",
    f"{PACK}/replaced.json",
    "data/withdrawn.csv",
    "data/tables/trials.json",
)
TABLES, MERGE = "participants tables accept_reject", "participants merge DATA --into OUT"
BACKUP, WITHDRAW = "backup --to OUT", "participants withdraw CODE --yes"
STATUS, NOTES = "status", "participants notes"
PASSED_OVER = {
    (f"{PACK}/key.csv", TABLES),
    (f"{PACK}/replaced.json", TABLES),
    ("data/tables/trials.json", MERGE),
    *product(FILES, (STATUS, NOTES)),
}
CASES = (
    *((name, command, False) for name, command in product(FILES, (TABLES, MERGE))),
    *((FILES[0], command, True) for command in (TABLES, MERGE, BACKUP, WITHDRAW)),
    *product((FILES[0], FILES[3]), (BACKUP, WITHDRAW, STATUS, NOTES), (False,)),
)
"""A session without a whole pack is left out; `merge` reads no tables, and what was replaced in a
pack's copy is asked only of files that differ. `status` and `notes` count what they can read."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A lab with one session, and whose it is."""
    lab = LabFolder.make(tmp_path_factory.mktemp("made") / "lab")
    with closing(Registry.of(lab)) as registry:
        code = registry.enrol("lead", axis="deutan", rung=1)
    record(lab.data, bare_pack(), "s-1", participant=code)
    write_tables(lab.data, "accept_reject")
    return lab.root, code


@pytest.mark.parametrize(("name", "command", "linked"), CASES)
def test_a_pipe_is_named(name, command, linked, made, tmp_path, capsys, monkeypatch):
    root, code = shutil.copytree(made[0], tmp_path / "lab"), made[1]
    monkeypatch.setenv("PLAINSIGHT_LAB", str(root))
    file = root / name
    file.unlink(missing_ok=True)
    pipe = tmp_path / "pipe" if linked else file
    os.mkfifo(pipe)
    if linked:
        file.symlink_to(pipe)
    words = command.replace("CODE", code).replace("OUT", str(tmp_path / "out"))
    status = main(words.replace("DATA", str(root / "data")).split())
    said = capsys.readouterr().err
    if (name, command) in PASSED_OVER and not status:
        return
    assert any(reason in said for reason in REASONS)
