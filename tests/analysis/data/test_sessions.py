"""Journals and trial table: what the one says beyond the other, and where they disagree."""

import shutil
from types import SimpleNamespace

import pytest

from analysis.data.tables import read_folder
from analysis.report.checks import general_checks
from analysis.report.flow import FlowPart, begun_stages
from analysis.report.sessions import INCIDENTS, count_incidents, incident_sentence
from participants.dataset.derive import write_tables
from participants.folder import DataFolder
from participants.journal import JournalWriter, read_journal
from participants.journal.events import SKIPPED_CHECKLIST
from stimuli.errors import UserError

TRIALS = 12


@pytest.fixture
def data(three_robots, tmp_path):
    return shutil.copytree(three_robots, tmp_path / "data")


def tables_of_now(folder):
    """Write the tables as if no earlier ones had noted the journals."""
    shutil.rmtree(folder / "tables")
    write_tables(DataFolder(folder), "accept_reject")


def checks(folder):
    dataset = read_folder("accept_reject", folder)
    found = general_checks(dataset.trials, dataset.trials, dataset.sessions, 30)
    return {check.check: check for check in found}


def edit_table(folder, change):
    path = folder / "tables" / "trials.csv"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(change(lines)), encoding="utf-8")


def journals(folder):
    return sorted(folder.glob("sessions/*/journal.jsonl"))


def taken_away(path):
    """Take a journal away, and return the header of one that another session begins with."""
    header = dict(read_journal(path).header.fields)
    path.unlink()
    return {name: value for name, value in header.items() if name not in ("schema", "resumed")}


def test_whole_journals_agree_with_their_table(data):
    sessions = read_folder("accept_reject", data).sessions
    assert [fact.trials for fact in sessions.facts] == [TRIALS] * 3
    assert all(fact.complete and not fact.torn for fact in sessions.facts)
    assert {(fact.pacing, fact.calibrated) for fact in sessions.facts} == {("none", False)}
    found = checks(data)
    assert found["Journals are whole and unchanged"].state == "passed"
    assert found["The trial table agrees with the journals"].state == "passed"


@pytest.mark.parametrize(
    ("change", "differing"),
    [
        (lambda lines: lines[:-1], (1, 0)),
        (lambda lines: "".join(lines).replace(",accept,", ",reject,", 1), (0, 1)),
        (
            lambda lines: [lines[0], *(line for line in lines[1:] if "lazy" not in line)],
            (TRIALS, 0),
        ),
    ],
    ids=["a row cut off", "a decision changed", "a session's rows gone"],
)
def test_a_table_that_was_changed_is_found(data, change, differing):
    edit_table(data, change)
    check = checks(data)["The trial table agrees with the journals"]
    assert check.state == "warning"
    assert (check.counts["missing_rows"], check.counts["changed_rows"]) == differing


def test_a_session_without_a_journal_is_counted(data):
    shutil.rmtree(journals(data)[0].parent)
    assert checks(data)["Journals are whole and unchanged"].counts["unreadable"] == 1
    (data / "tables" / "trials.json").unlink()
    check = checks(data)["The trial table agrees with the journals"]
    assert (check.state, check.counts["sessions_without_journal"]) == ("warning", 1)


def test_a_torn_line_is_worth_a_note(data):
    with journals(data)[2].open("ab") as stream:
        stream.write(b'{"event":"page"')
    check = checks(data)["Journals are whole and unchanged"]
    assert (check.state, check.counts["torn"]) == ("note", 1)


def test_without_journals_nothing_is_claimed(data):
    shutil.rmtree(data / "sessions")
    with pytest.raises(UserError, match=r"its journal is missing, but trials\.json knows of it"):
        read_folder("accept_reject", data)
    (data / "tables" / "trials.json").unlink()
    assert read_folder("accept_reject", data).sessions is None
    assert checks(data)["Journals are whole and unchanged"].state == "not checked"


def test_who_began_a_session_and_is_in_no_row_is_counted(data):
    for path in journals(data)[:2]:
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:4]))
    tables_of_now(data)
    dataset = read_folder("accept_reject", data)
    (begun,) = begun_stages(dataset.sessions, dataset.trials)
    assert begun.participants == 3
    assert begun.left_out == [FlowPart("finished no main trial", 2, None)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [("consent", "declined to take part"), ("consent_renewed", "withdrew their data")],
)
def test_who_declines_at_the_beginning_has_no_data_to_withdraw(data, text, reason):
    path = journals(data)[0]
    with JournalWriter.create(path, taken_away(path)) as writer:
        writer.append(
            "consent", text=text, version="1.0", sha256="0" * 64, language="en", agreed=False
        )
    tables_of_now(data)
    dataset = read_folder("accept_reject", data)
    (begun,) = begun_stages(dataset.sessions, dataset.trials)
    assert begun.left_out == [FlowPart(reason, 1, None)]


def test_what_was_checked_before_every_part_of_a_session_is_read(data):
    path = journals(data)[0]
    header = taken_away(path) | {"robot": ""}
    found = {"check": "load", "status": "fail", "found": "busy"}
    held = {"night_light": True, "warm_up": False}
    with JournalWriter.create(path, header) as writer:
        writer.append("checks", findings=[found], overridden=["load"], reason="bench")
        writer.append("checklist", **SKIPPED_CHECKLIST)
    with JournalWriter.resume(path, header) as writer:
        writer.append("checks", findings=[], overridden=[], reason="")
        writer.append("checklist", **{**SKIPPED_CHECKLIST, "source": "asked", "holds": held})
    tables_of_now(data)
    (fact,) = [fact for fact in read_folder("accept_reject", data).sessions.facts if fact.checked]
    assert (fact.overridden, fact.override_reasons) == (("load",), ("bench",))
    assert (fact.checklist, fact.checklist_unmet) == ("asked", ("warm_up",))


def test_pauses_lost_focus_and_notes_are_read_and_reported_but_those_of_withdrawn_data(data):
    path, other = journals(data)[:2]
    headers = [taken_away(one) for one in (path, other)]
    for one, header, agreed in zip((path, other), headers, (True, False), strict=True):
        with JournalWriter.create(one, header) as writer:
            writer.append("focus", here=False)
            writer.append("focus", here=True)
            writer.append("pause", reason="focus lost")
            writer.append("note", at="pause", text="fire alarm")
            writer.append("continue")
            writer.append(
                "consent", text="consent_renewed", version="1.0", sha256="0" * 64,
                language="en", agreed=agreed,
            )  # fmt: skip
            writer.append("session_end", complete=True)
            writer.append("note", at="end", text="left early")
    tables_of_now(data)
    sessions = read_folder("accept_reject", data).sessions
    found = count_incidents(sessions)
    assert (found.sessions, found.paused_sessions, found.unfocused_sessions) == (2, 1, 1)
    assert [(note.at, note.text) for note in found.notes] == [
        ("pause", "fire alarm"),
        ("end", "left early"),
    ]
    assert {note.participant for note in found.notes} == {headers[0]["participant"]}
    (table,) = INCIDENTS.parts(SimpleNamespace(incidents=found))
    assert [row[-1] for row in table.rows] == ["fire alarm", "left early"]
    assert "1 was paused and 1 lost" in incident_sentence(found).text


def cut(folder, share):
    """Leave of a session's journal what was on disk at some moment, and write the tables again."""
    path = journals(folder)[0]
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: int(share * len(lines))]))
    tables_of_now(folder)
    return path.parent.name


def test_an_unfinished_session_is_counted_and_named_and_no_difference(data):
    session = cut(data, 0.8)
    dataset = read_folder("accept_reject", data)
    (begun,) = begun_stages(dataset.sessions, dataset.trials)
    assert begun.participants == 3
    reason = "unfinished, and not asked again for the data"
    assert begun.left_out == [FlowPart(reason, 1, None)]
    assert checks(data)["The trial table agrees with the journals"].state == "passed"
    (note,) = [note for note in dataset.notes if "is not in the table" in note]
    assert note.startswith(f"Session {session} is not in the table: unfinished: ")
