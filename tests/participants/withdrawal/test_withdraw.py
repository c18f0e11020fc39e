"""After a withdrawal nothing of a person is left but the tombstone, byte for byte."""

import errno
import io
import os
import shutil
import signal
import sqlite3
import sys

import pytest
from filelock import FileLock

from participants.cli import main
from participants.dataset.derive import write_tables
from participants.dataset.map_sets import gather
from participants.dataset.table_files import read_table
from participants.folder import DataFolder, LabFolder
from participants.registry import Registry
from participants.registry.records import NAMELESS
from participants.simulate.run import simulated_code
from participants.tombstones import read_tombstones
from stimuli.errors import UserError
from stimuli.maps.map_set import read_map_set
from stimuli.pack import open_pack
from tests.participants.commands import printed_json, refused
from tests.participants.withdrawal.full_lab import STUDIES, take


def withdraw(capsys, code, *options):
    return printed_json(capsys, "participants", "withdraw", code, "--yes", *options)


def files_that_name(root, code):
    """Slow and plain: every byte of every file, and every path."""
    return {
        str(path.relative_to(root))
        for path in root.rglob("*")
        if code in str(path.relative_to(root))
        or (path.is_file() and code.encode() in path.read_bytes())
    }


def only_a_tombstone(lab, code):
    """In the registry's file the code stands in the tombstone's row and in its key's index."""
    left = files_that_name(lab.root, code)
    assert left == {"data/withdrawn.csv", "registry.sqlite"}
    assert lab.data.tombstones.read_text().count(code) == 1
    assert (lab.root / "registry.sqlite").read_bytes().count(code.encode()) == 2
    with sqlite3.connect(lab.root / "registry.sqlite") as database:
        wanted = "SELECT withdrawn_utc FROM withdrawals WHERE code = ?"
        dates = database.execute(wanted, [code]).fetchall()
    assert dates == [(read_tombstones(lab.data)[code],)]


def rows_of_others(lab, code):
    """All tables' rows but those of a person's sessions; who solved an item is left out."""
    return {
        study: [
            {name: cell for name, cell in row.items() if not name.startswith("solver_")}
            for row in read_table(lab.data, study, "trials")
            if row["participant"] != code
        ]
        for study in STUDIES
    }


@pytest.mark.parametrize("role", ["expert", "participant"])
def test_no_byte_names_who_withdrew_but_the_tombstone(lab, people, capsys, role):
    code = getattr(people, role)
    assert len(files_that_name(lab.root, code)) > 5
    done = withdraw(capsys, code, "--delete-built")
    only_a_tombstone(lab, code)
    assert (done["failed"], done["left"]) == ({}, {})
    assert set(done["build_anew"]) == ({str(lab.packs / "first")} if role == "expert" else set())
    for other in set(vars(people).values()) - {code}:
        assert files_that_name(lab.root, other)


def test_a_sealed_pack_with_the_persons_paintings_is_named_and_never_changed(lab, people, capsys):
    code, first = people.expert, lab.packs / "first"
    before = rows_of_others(lab, code)
    others = maps_of(lab, people.other_expert)
    done = withdraw(capsys, code)
    assert files_that_name(lab.root, code) == {
        "data/withdrawn.csv", "registry.sqlite", "packs/first/key.csv",
        "packs/first/item_table.csv",
    }  # fmt: skip
    assert done["build_anew"] == {
        str(first): f"python3 lab.py build accept_reject --tasks {lab.packs / 'first-tasks'} "
        f"--human-maps {lab.root / 'maps' / 'experts'} --out NEW"
    }
    open_pack(first)
    assert rows_of_others(lab, code) == before
    assert maps_of(lab, people.other_expert) == others
    assert {record.solver_id for record in read_map_set(lab.root / "maps" / "experts").records} == {
        people.other_expert
    }
    # Leads who see the old pack still can: its copy differs from it, and says why.
    take(lab.data, open_pack(first), people.other_lead, "lead", number=50)
    write_tables(lab.data, "accept_reject")
    solvers = {row["solver_id"] for row in read_table(lab.data, "accept_reject", "trials")}
    assert any(str(solver).startswith("withdrawn-") for solver in solvers)
    assert code not in solvers
    # Another change of the copy is noticed as before.
    copy = next(path for path in lab.data.packs.iterdir() if (path / "replaced.json").exists())
    key = copy / "key.csv"
    key.write_bytes(key.read_bytes().replace(b"wrong_digit", b"right_digit"))
    left_out = write_tables(lab.data, "accept_reject").left_out
    assert "key.csv was changed since the pack was built" in next(iter(left_out.values()))


def maps_of(lab, code):
    own = read_map_set(lab.root / "maps" / "experts")
    return {name: values.tobytes() for name, values in own.maps.items() if name.startswith(code)}


def test_exports_are_named_and_a_note_without_the_code_stays(lab, people, capsys):
    done = withdraw(capsys, people.lead)
    (export,) = done["exports"]
    assert (export["kind"], export["place"], export["purpose"]) == ("bids", "U:", "sharing")
    with sqlite3.connect(lab.root / "registry.sqlite") as database:
        texts = [row[0] for row in database.execute("SELECT text FROM notes WHERE code IS NULL")]
    assert sum(f"Export {export['id']} (bids, U:" in text for text in texts) == 1
    assert f"({NAMELESS}) came late, as ({NAMELESS})" in texts
    assert not any(people.lead in text for text in texts)


def test_a_text_of_the_labs_own_is_named_however_it_writes_the_code(lab, people, capsys):
    diaries = [lab.root / f"diary{number}.md" for number in range(3)]
    for diary, gap in zip(diaries, ("", " ", " - "), strict=True):
        diary.write_text(f"Monday: {gap.join(people.lead.lower())} came late.")
    done = withdraw(capsys, people.lead, "--delete-built")
    assert done["left"] == {"other file": [*map(str, diaries)]}


def test_the_registrys_log_of_writes_holds_no_trace_either(lab, people, capsys):
    with sqlite3.connect(lab.root / "registry.sqlite") as database:
        database.execute("PRAGMA journal_mode = WAL")
    reader = sqlite3.connect(lab.root / "registry.sqlite")
    reader.execute("SELECT * FROM people").fetchall()
    withdraw(capsys, people.lead)
    reader.close()
    only_a_tombstone(lab, people.lead)


@pytest.mark.slow
def test_a_data_folder_elsewhere_is_cleaned_too(lab, people, capsys, tmp_path):
    other = DataFolder(tmp_path / "copied")
    shutil.copytree(lab.data.root, other.root)
    withdraw(capsys, people.participant, "--data", str(other.root))
    assert files_that_name(other.root, people.participant) == {"withdrawn.csv"}
    write_tables(other, "human_ai_team")
    assert {row["participant"] for row in read_table(other, "human_ai_team", "trials")} == {
        people.other_participant
    }


def test_doing_it_again_changes_nothing_and_a_copy_brought_back_goes_again(
    lab, people, capsys, tmp_path
):
    shutil.copytree(lab.data.root, tmp_path / "backup")
    withdraw(capsys, people.lead)
    date = read_tombstones(lab.data)
    done = withdraw(capsys, people.lead)
    assert (done["rows"], done["found"]) == ({}, {})
    shutil.copytree(
        tmp_path / "backup" / "sessions", lab.data.root / "sessions", dirs_exist_ok=True
    )
    # Before it is removed again no table has it.
    assert len(write_tables(lab.data, "accept_reject").withdrawn) == 2
    withdraw(capsys, people.lead)
    assert files_that_name(lab.root, people.lead) == {"data/withdrawn.csv", "registry.sqlite"}
    assert read_tombstones(lab.data) == date


def killed_at(step, code):
    """Withdraw in a child that is killed right before its Nth change on disk; return if it was."""
    child = os.fork()
    if child == 0:
        left = [step]

        def dying(change):
            def either(*arguments, **named):
                left[0] -= 1
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return change(*arguments, **named)

            return either

        for name in ("unlink", "rmdir", "replace"):
            setattr(os, name, dying(getattr(os, name)))
        transact = Registry.transact
        Registry.transact = dying(transact)
        os._exit(main(["participants", "withdraw", code, "--yes", "--delete-built"]))
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked child")
@pytest.mark.parametrize("step", [12, *(pytest.param(k, marks=pytest.mark.slow) for k in (5, 40))])
def test_killed_at_any_step_the_same_command_finishes(lab, people, capsys, step):
    code = people.expert
    assert killed_at(step, code)
    if code in read_tombstones(lab.data):
        # From the first step on nothing of the person is used any more.
        assert code not in {one.participant for one in gather(lab.data, keep_failed=True).experts}
    withdraw(capsys, code, "--delete-built")
    only_a_tombstone(lab, code)
    assert {row["participant"] for row in read_table(lab.data, "accept_reject", "trials")} == {
        people.lead, people.other_lead,
    }  # fmt: skip


def test_mistakes_are_one_line_and_remove_nothing(lab, people, capsys, tmp_path):
    unknown = simulated_code("accept_reject", 1, 1)
    assert "neither in this registry nor in the folders" in refused(
        capsys, "participants", "withdraw", unknown, "--yes"
    )
    assert "not a participant code" in refused(
        capsys, "participants", "withdraw", "CODE123", "--yes"
    )
    assert "isn't there" in refused(
        capsys, "participants", "withdraw", people.lead, "--data", str(tmp_path / "none")
    )
    assert "say --yes" in refused(capsys, "participants", "withdraw", people.lead)
    assert "needs --yes" in refused(capsys, "participants", "withdraw", people.lead, "--json")
    assert not lab.data.tombstones.exists()


def test_a_person_in_a_session_is_refused(lab, people, capsys):
    paths = next(one for one in lab.data.sessions() if people.lead in one.session)
    with FileLock(paths.journal.with_suffix(".lock")):
        assert "is running; end it first" in refused(
            capsys, "participants", "withdraw", people.lead, "--yes"
        )
    shutil.rmtree(paths.folder)
    with sqlite3.connect(lab.root / "registry.sqlite") as database:
        running = "UPDATE sessions SET state = 'running', lease_until_utc = '9999', rig = 'east'"
        database.execute(f"{running} WHERE session = ?", [paths.session])
    assert "is in a session on rig east" in refused(
        capsys, "participants", "withdraw", people.lead, "--yes"
    )


def test_sessions_on_another_pc_are_named(lab, people, capsys):
    paths = next(one for one in lab.data.sessions() if people.lead in one.session)
    shutil.rmtree(paths.folder)
    assert main(["participants", "withdraw", people.lead, "--yes"]) == 0
    said = capsys.readouterr().out
    assert "Not searched: 1 of rig simulation's sessions; give the same command on that PC" in said


def test_it_shows_what_goes_and_asks_once(lab, people, capsys, monkeypatch):
    def answered(answer):
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{answer}\n"))
        monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
        return main(["participants", "withdraw", people.expert]), capsys.readouterr()

    status, said = answered("n")
    for line in (
        f"delete session: {lab.data.root / 'sessions'}",
        f"leave out of map set: {lab.root / 'maps' / 'experts'}",
        "replace the code in pack copy: ",
        f" in {lab.data.tables / 'regions'}",
        f"stays, and is named below: {lab.packs / 'first'}",
        "registry: consents, 2",
        "handed on: export ",
    ):
        assert line in said.out
    assert status == 2
    assert f"nothing was removed; {people.expert} is as it was" in said.err
    assert not lab.data.tombstones.exists()
    status, said = answered("y")
    assert status == 0
    assert f"Build anew {lab.packs / 'first'}, without this person's paintings" in said.out
    assert not any(people.expert in one.session for one in lab.data.sessions())


def test_what_could_not_be_removed_is_said_and_the_same_command_tries_again(
    lab, people, capsys, monkeypatch
):
    def refuse(folder, last):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(last))

    with monkeypatch.context() as patched:
        patched.setattr("participants.withdrawal.holdings.delete_folder", refuse)
        assert main(["participants", "withdraw", people.lead, "--yes"]) == 2
    said = capsys.readouterr().err
    assert said.count("journal.jsonl: Permission denied") == 2
    assert said.endswith("could be removed; the same command tries again\n")
    assert people.lead not in sessions_of(lab, "accept_reject")
    assert printed_json(capsys, "participants", "due")["to_remove"] == [people.lead]
    withdraw(capsys, people.lead)
    only_a_tombstone(lab, people.lead)


def test_on_a_full_disk_nothing_goes_before_the_tombstone_is_there(
    lab, people, capsys, monkeypatch
):
    def full(path, data):
        raise UserError(f"{path}: can't be written (No space left on device)")

    before = {paths.session for paths in lab.data.sessions()}
    with monkeypatch.context() as patched:
        patched.setattr("participants.tombstones.write_file", full)
        assert "withdrawn.csv: can't be written" in refused(
            capsys, "participants", "withdraw", people.lead, "--yes"
        )
    assert {paths.session for paths in lab.data.sessions()} == before
    withdraw(capsys, people.lead)
    only_a_tombstone(lab, people.lead)


def sessions_of(lab, study):
    return {row["participant"] for row in read_table(lab.data, study, "trials")}


def test_a_pc_that_shares_the_registry_learns_of_it(lab, people, capsys, tmp_path, monkeypatch):
    east = LabFolder.make(tmp_path / "east")
    shutil.rmtree(east.root)
    shutil.copytree(lab.root, east.root)
    settings = east.root / "lab.toml"
    text = settings.read_text()
    settings.write_text(text.replace("sqlite:///registry.sqlite", lab.registry_url))
    (east.root / "registry.sqlite").unlink()
    withdraw(capsys, people.lead)
    monkeypatch.setenv("PLAINSIGHT_LAB", str(east.root))
    assert printed_json(capsys, "participants", "due")["to_remove"] == [people.lead]
    assert len(write_tables(DataFolder(east.data.root), "accept_reject").withdrawn) == 2
    withdraw(capsys, people.lead)
    assert files_that_name(east.root, people.lead) == {"data/withdrawn.csv"}
