"""Rows that were deleted, edited or inserted in any study's tables; the order of rows is free."""

import shutil

import pytest

from analysis.data.tables import read_folder
from participants.dataset.table_files import get_table, put_table, schema_of, tables_of
from participants.folder import DataFolder
from participants.journal import JournalWriter, read_journal
from stimuli.catalogue import studies_of
from stimuli.protocol import load_protocol
from tests.participants.export.conftest import SIMULATED

IMAGES = "progressive_reveal"
WITHOUT_METRICS = {("accept_reject", "metrics"), (IMAGES, "metrics")}
"""Tables that have rows only if a pack was built with them."""
BESIDE = [
    (study, stem)
    for study in SIMULATED
    for stem in studies_of("analysis")[study].beside
    if (study, stem) not in WITHOUT_METRICS
]


@pytest.fixture
def folder_of(simulated, tmp_path):
    def copied(study):
        return DataFolder(shutil.copytree(simulated[study].root, tmp_path / study))

    return copied


def edit(data, study, table, change):
    """Change the rows of a table, as somebody does who leaves the rest as it is."""
    recorded = load_protocol(study).study
    folder, schema = tables_of(data, recorded), schema_of(recorded, table)
    rows = get_table(folder, table, schema)
    described = (folder / f"{table}.json").read_bytes()
    put_table(folder, table, schema, change(rows), described)
    return rows


def suspect(data, study):
    sessions = read_folder(study, data.root).sessions
    return list(sessions.suspect), list(sessions.suspect_tables)


@pytest.mark.parametrize("study", SIMULATED)
def test_whole_tables_in_any_order_are_trusted(folder_of, study):
    data = folder_of(study)
    for table in ("trials", *studies_of("analysis")[study].beside):
        edit(data, study, table, lambda rows: rows[::-1])
    assert suspect(data, study) == ([], [])


def without_last(rows):
    return rows[:-1]


def without_person(rows):
    return [row for row in rows if row["session"] != rows[-1]["session"]]


def twice(rows):
    return [*rows, rows[-1]]


def with_other_item(rows):
    """Change what no journal says, only the pack."""
    return [*rows[:-1], rows[-1] | {"item": rows[0]["item"] + "x"}]


def uncounted(rows):
    return [*rows[:-1], rows[-1] | {"counts": False}]


@pytest.mark.parametrize(
    ("study", "change"),
    [
        *((study, with_other_item) for study in SIMULATED),
        *(("human_ai_team", change) for change in (without_last, without_person, twice, uncounted)),
    ],
)
def test_a_session_whose_rows_were_changed_is_not_analysed(folder_of, study, change):
    data = folder_of(study)
    session = edit(data, study, "trials", change)[-1]["session"]
    dataset = read_folder(study, data.root)
    assert list(dataset.sessions.suspect) == [session]
    assert session not in set(dataset.trials["session"])


@pytest.mark.parametrize(("study", "table"), BESIDE)
def test_a_table_beside_the_trials_is_compared_too(folder_of, study, table):
    data = folder_of(study)
    rows = edit(data, study, table, without_last)
    dataset = read_folder(study, data.root)
    if table == "people":  # a row of it is of one session; all other tables are made of packs
        assert list(dataset.sessions.suspect) == [rows[-1]["session"]]
        assert rows[-1]["session"] not in set(dataset.trials["session"])
    else:
        assert list(dataset.sessions.suspect_tables) == [table]
        assert dataset.items is None if table == "items" else table not in dataset.beside


@pytest.mark.parametrize(("study", "table"), BESIDE[-2:])
def test_a_table_that_is_missing_altogether_is_named(folder_of, study, table):
    data = folder_of(study)
    (tables_of(data, load_protocol(study).study) / f"{table}.csv").unlink()
    assert suspect(data, study) == ([], [table])


def test_a_table_without_rows_may_be_missing_but_not_have_rows_of_its_own(folder_of):
    data = folder_of(IMAGES)
    table = tables_of(data, IMAGES) / "metrics.csv"
    empty = table.read_text(encoding="utf-8")
    table.write_text(empty + "image,lrp,0.5,0.1,0.2\n", encoding="utf-8")
    assert suspect(data, IMAGES) == ([], ["metrics"])
    table.unlink()
    assert suspect(data, IMAGES) == ([], [])


def test_a_copy_saved_with_fewer_digits_is_the_same(folder_of):
    data = folder_of(IMAGES)

    def shortened(rows):
        return [
            {
                name: float(f"{one:.12g}") if isinstance(one, float) else one
                for name, one in row.items()
            }
            for row in rows
        ]

    edit(data, IMAGES, "trials", shortened)
    assert suspect(data, IMAGES) == ([], [])


def test_a_pack_copy_without_which_nothing_can_be_compared_is_needed(folder_of):
    data = folder_of("accept_reject")
    other = DataFolder(shutil.copytree(folder_of("simulatability").root, data.root.parent / "more"))
    shutil.copytree(other.root / "sessions", data.root / "sessions", dirs_exist_ok=True)
    assert suspect(data, "accept_reject") == ([], [])
    (copy,) = data.packs.iterdir()
    shutil.rmtree(copy)
    with pytest.raises(Exception, match=r"is missing; copy pack"):
        read_folder("accept_reject", data.root)


def test_a_session_that_is_running_is_awaited_and_one_that_broke_off_is_named(folder_of):
    data = folder_of("simulatability")
    paths = list(data.sessions())[-1]
    journal = read_journal(paths.journal)
    begin = next(
        index for index, event in enumerate(journal.events) if event.event == "session_end"
    )
    lines = paths.journal.read_bytes().splitlines(keepends=True)
    paths.journal.write_bytes(b"".join(lines[:begin]))
    edit(data, "simulatability", "trials", lambda rows: rows[:-3])
    sidecar = data.tables / "trials.json"
    sidecar.write_text(sidecar.read_text("utf-8").replace('"sessions"', '"before"'), "utf-8")
    header = {
        name: value for name, value in journal.header.fields.items()
        if name not in ("schema", "resumed")
    }  # fmt: skip
    with JournalWriter.resume(paths.journal, header):
        assert suspect(data, "simulatability") == ([], [])
    (why,) = read_folder("simulatability", data.root).sessions.suspect.values()
    assert "python3 lab.py participants tables simulatability" in why
