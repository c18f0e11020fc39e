"""Records that were changed: their sessions leave the analysis, and everybody is told."""

import json
import shutil

import pytest

from analysis.cli import main
from analysis.data.sessions import contradicted_trials
from analysis.data.tables import read_folder
from participants.dataset.derive import write_tables
from participants.dataset.journals import write_session_sidecar
from participants.dataset.table_files import get_table, put_table, schema_of
from participants.folder import DataFolder
from participants.journal import read_journal
from participants.journal.storage import CHAIN, FIRST_LINK, line_text, link
from stimuli.errors import UserError
from tests.analysis.asking import analysing
from tests.analysis.data.test_sessions import TRIALS, edit_table
from tests.analysis.formats import without_drawings
from tests.analysis.studies.accept_reject.whole import alone


@pytest.fixture
def data(three_robots, tmp_path):
    folder = shutil.copytree(three_robots, tmp_path / "data")
    for paths in DataFolder(folder).sessions():
        write_session_sidecar(paths)
    return folder


def first(data):
    return next(iter(DataFolder(data).sessions()))


def rewrite(paths, change):
    """Change a journal's lines, and chain it anew."""
    lines, chain = [], FIRST_LINK
    for text in paths.journal.read_text("utf-8").splitlines():
        line = {key: value for key, value in json.loads(text).items() if key != CHAIN}
        change(line)
        chain = link(chain, line)
        lines.append(line_text({**line, CHAIN: chain}))
    paths.journal.write_bytes(b"".join(lines))


def flip_decision(line):
    if line["event"] == "trial_end" and line["decision"] in ("accept", "reject"):
        line["decision"] = {"accept": "reject", "reject": "accept"}[line["decision"]]
        line["accepted"] = line["decision"] == "accept"


def flip_key(line):
    if line["event"] == "response":
        line["key"] = {"f": "j", "j": "f"}[line["key"]]


def assert_left_out(data, session, reason):
    dataset = read_folder("accept_reject", data)
    assert list(dataset.sessions.suspect) == [session]
    assert reason in dataset.sessions.suspect[session]
    assert str(data) not in dataset.sessions.suspect[session]
    assert session not in set(dataset.trials["session"])
    assert len(dataset.trials) == 2 * TRIALS
    return dataset


def test_an_emptied_journal_is_noticed(data):
    paths = first(data)
    paths.journal.write_bytes(b"")
    assert_left_out(data, paths.session, "has 0 lines, but session.json says")
    paths.sidecar.unlink()
    assert_left_out(data, paths.session, "has 0 lines, but trials.json says")
    (data / "tables" / "trials.json").unlink()
    assert_left_out(data, paths.session, "has rows in the tables, but no journal")


def test_a_journal_chained_anew_is_noticed_by_its_anchor(data):
    paths = first(data)
    rewrite(paths, flip_decision)
    assert_left_out(data, paths.session, "was changed after session.json had noted it")


@pytest.mark.parametrize("flip", [flip_decision, flip_key])
def test_decisions_that_no_key_says_are_noticed_without_an_anchor(data, flip):
    paths = first(data)
    paths.sidecar.unlink()
    assert contradicted_trials(read_journal(paths.journal)) == 0
    rewrite(paths, flip)
    shutil.rmtree(data / "tables")
    write_tables(DataFolder(data), "accept_reject")
    assert contradicted_trials(read_journal(paths.journal)) >= TRIALS
    assert_left_out(data, paths.session, "aren't of the key that was pressed")


@pytest.mark.parametrize("beside", [True, False], ids=["session.json cut too", "no session.json"])
def test_a_journal_cut_at_its_end_is_noticed_by_the_tables_that_were_made_from_it(data, beside):
    paths = first(data)
    paths.sidecar.unlink()
    lines = paths.journal.read_bytes().splitlines(keepends=True)
    paths.journal.write_bytes(b"".join(lines[:-10]))
    if beside:
        write_session_sidecar(paths)
    assert_left_out(data, paths.session, f"has {len(lines) - 10} lines, but trials.json says")


def test_a_session_of_which_nothing_is_left_is_noticed(data):
    paths = first(data)
    edit_table(data, lambda lines: [line for line in lines if paths.session not in line])
    shutil.rmtree(paths.folder)
    assert_left_out(data, paths.session, "its journal is missing, but trials.json knows of it")


def test_where_nothing_can_be_trusted_nothing_is_analysed(data):
    for paths in DataFolder(data).sessions():
        paths.journal.write_bytes(b"")
    with pytest.raises(UserError, match="no session can be trusted"):
        read_folder("accept_reject", data)


def test_analyse_says_so_first_and_by_its_exit_status(data, tmp_path, capsys):
    paths = first(data)
    folder, schema = data / "tables", schema_of("accept_reject", "trials")
    rows = get_table(folder, "trials", schema)
    kept = [row for row in rows if row["session"] != paths.session or row["decision"] != "reject"]
    assert 0 < len(kept) < len(rows)
    put_table(folder, "trials", schema, kept, (folder / "trials.json").read_bytes())
    out = tmp_path / "report"
    with without_drawings(), analysing(alone()):
        assert main(["analyse", "accept_reject", "--data", str(data), "--out", str(out)]) == 3
    said = capsys.readouterr()
    assert "warning: 1 session can’t be trusted and isn’t analysed: rows or journals" in said.err
    assert f"can't be trusted: {paths.session}: rows missing" in said.err
    assert "left out" not in said.err
    results = json.loads((out / "results.json").read_text("utf-8"))
    assert len(results["suspect"]) == 1
    assert results["warnings"][0].startswith("1 session can’t be trusted")
    page = (out / "report.html").read_text("utf-8")
    assert page.index("can’t be trusted and isn’t analysed") < page.index('class="headline"')
