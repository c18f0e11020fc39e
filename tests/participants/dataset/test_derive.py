"""Tables from journals: every finished trial once, whatever happened to the session."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from participants.dataset.derive import derive, write_tables
from participants.dataset.table_files import read_sidecar, read_table
from participants.folder import DataFolder
from participants.journal import JournalWriter, read_journal
from participants.journal.events import JOURNAL_SCHEMA
from participants.lists import Assignment
from participants.session import LEFT_FOR_GOOD, SessionAborted, done_steps, run_session
from participants.studies.accept_reject.plan import plan_session
from participants.tombstones import add_tombstones
from tests.participants.commands import printed
from tests.participants.session.scripted import ScriptedPresenter
from tests.participants.studies.accept_reject.packs import bare_pack

STUDY = "accept_reject"
CODE, OTHER = "CDF34HK", "GHK56MN"


def header_of(plan, session, robot="", purpose="main", participant=CODE):
    return {
        "session": session, "participant": participant, "role": "lead", "study": plan.study,
        "purpose": purpose, "pack_id": plan.pack_id, "protocol_hash": plan.protocol_hash,
        "list": plan.list_id, "order": plan.order, "language": "en", "rig": "rig-1",
        "robot": robot, "refresh_hz": 60.0, "pacing": "vsync", "keyboard_backend": "test",
        "clock": "test", "clock_resolution_s": 0.0,
        "display": {"profile_hash": "", "calibrated": False}, "versions": {},
        "accept_key": plan.keys["accept"], "reject_key": plan.keys["reject"], "time_zone": "UTC",
    }  # fmt: skip


def record(data, pack, session="s1", order="without_first", presenter=None, **header):
    plan = plan_session(pack, Assignment("l0", order), "en", header.get("participant", CODE))
    path = data.session(session).journal
    data.copy_pack(pack)
    begun = path.exists()
    done = done_steps(plan, read_journal(path).events) if begun else frozenset()
    begin = JournalWriter.resume if begun else JournalWriter.create
    with begin(path, header_of(plan, session, **header)) as journal:
        shown = presenter or ScriptedPresenter()
        run_session(plan, done, shown, shown, journal)
    return plan


def test_a_row_holds_what_journal_pack_and_key_say(data):
    """One row checked cell by cell against the sources, by hand."""
    pack = bare_pack()
    plan = record(data, pack, order="with_first", presenter=ScriptedPresenter(rt_s=2.5))
    begun_s = read_journal(data.session("s1").journal).header.t_monotonic_s
    row = derive(data, STUDY).trials[0]
    assert row == {
        "participant": "CDF34HK", "session": "s1", "purpose": "main", "rig": "rig-1",
        "trial": 4, "item": "i2001", "condition": "with", "rt_s": 2.5,
        "onset_s": round(104.0 - begun_s, 4), "shown_s": None, "frames_planned": None,
        "frames_dropped": 0,
        "pack_id": pack.pack_id, "protocol_hash": plan.protocol_hash, "run": 1,
        "order": "with_first", "presentation": "p02001", "solver": "S", "solver_id": "net",
        "method": "occlusion", "explained": True, "rung": 3, "axis": "deutan",
        "true_label": "7", "shown_label": "7", "control_kind": None, "decision": "accept",
        "cutoff_mode": "internal", "cutoff_s": 3.0, "rt_corrected_s": 2.49, "in_time": True,
        "accepted": True, "list": "l0", "position": 1, "robot": None,
        "repeat_of": None, "counts": True,
        "guessed_source": "person", "relied_on": "numeral", "noticed_kinds": "yes",
        "source_guess": "all_people", "source_which": None, "solver_origin": "network",
    }  # fmt: skip


def test_written_tables_read_back_and_writing_again_changes_nothing(data):
    record(data, bare_pack())
    tables = write_tables(data, STUDY)
    assert tuple(read_table(data, STUDY, "trials")) == tables.trials
    assert tuple(read_table(data, STUDY, "items")) == tables.beside["items"]
    before = (data.tables / "trials.csv").read_bytes()
    write_tables(data, STUDY)
    assert (data.tables / "trials.csv").read_bytes() == before


@pytest.mark.parametrize(("flagged", "counting"), [({5}, 20), ({5, 20}, 5)])
def test_of_a_flagged_trial_and_its_repeat_both_rows_stay_and_one_counts(data, flagged, counting):
    """The repeat, unless it lost a frame too: then nothing speaks for a second look."""
    record(
        data,
        bare_pack(trial={"repeat_dropped": True}),
        presenter=ScriptedPresenter(flagged=frozenset(flagged)),
    )
    rows = {row["trial"]: row for row in derive(data, STUDY).trials}
    assert list(rows) == [*range(4, 16), 20]
    assert rows[20]["presentation"] == rows[5]["presentation"] == "p01002"
    assert (rows[20]["repeat_of"], rows[5]["repeat_of"]) == (5, None)
    assert {number for number, row in rows.items() if not row["counts"]} == {5, 20} - {counting}


@pytest.mark.parametrize("by", ["event", "tombstone"])
def test_all_sessions_of_who_withdrew_are_left_out_and_named(data, by):
    """Whatever their purpose, and whether the no stands in a journal or beside the data."""
    declines = ScriptedPresenter(agrees_again=by != "event")
    record(data, bare_pack(), "s1", purpose="pilot")
    record(data, bare_pack(), "s2", presenter=declines)
    record(data, bare_pack(), "s3", participant=OTHER)
    if by == "tombstone":
        add_tombstones(data, {CODE: "2026-01-01T00:00:00.000000Z"})
    tables = derive(data, STUDY)
    assert tables.withdrawn == ("s1", "s2")
    assert {row["session"] for row in tables.trials} == {"s3"}


def test_unfinished_sessions_wait_until_their_people_have_agreed_or_are_named(data, capsys):
    record(data, bare_pack(), "s1", presenter=ScriptedPresenter(abort_at="trial-0009"))
    tables = derive(data, STUDY)
    assert (tables.trials, tables.waiting, tables.unfinished) == ((), ("s1",), ())
    tables = derive(data, STUDY, with_unfinished=True)
    assert (tables.waiting, tables.unfinished) == ((), ("s1",))
    assert [row["trial"] for row in tables.trials] == [4, 5, 6, 7, 8]
    for words, told, rows in (
        ([], "0 trials; unfinished sessions: 0 in, 1 left out; withdrawn: 0", 0),
        (["--with-unfinished"], "5 trials; unfinished sessions: 1 in, 0 left out", 5),
    ):
        command = ("participants", "tables", STUDY, "--data", data.root, *words)
        assert told in printed(capsys, *command)
        assert len(read_table(data, STUDY, "trials")) == rows


@pytest.mark.parametrize(
    ("agrees", "in_table", "withdrawn"), [(True, [4, 5, 6, 7, 8], ()), (False, [], ("s1",))]
)
def test_who_leaves_for_good_is_in_by_agreeing_after_the_debrief(data, agrees, in_table, withdrawn):
    class Leaver(ScriptedPresenter):
        def trial(self, trial):
            if trial.step == "trial-0009":
                raise SessionAborted(LEFT_FOR_GOOD)
            return super().trial(trial)

    record(data, bare_pack(), "s1", presenter=Leaver(agrees_again=agrees))
    tables = derive(data, STUDY)
    assert [row["trial"] for row in tables.trials] == in_table
    assert (tables.withdrawn, tables.waiting) == (withdrawn, ())


@pytest.mark.parametrize("with_unfinished", [True, False])
def test_who_declines_is_in_no_table_and_not_waited_for(data, with_unfinished):
    record(data, bare_pack(), "s1", presenter=ScriptedPresenter(agrees=False))
    tables = derive(data, STUDY, with_unfinished=with_unfinished)
    assert (tables.trials, tables.waiting, tables.unfinished) == ((), (), ())
    assert tables.unused == {"s1": "declined to take part"}


@settings(max_examples=10, deadline=None)
@given(share=st.floats(0, 1))
def test_a_journal_cut_at_any_byte_resumes_to_the_whole_table(tmp_path_factory, share):
    """SIGKILL at any instant: the torn line is set aside, the rest of the trials follow."""
    data = DataFolder(tmp_path_factory.mktemp("cut") / "data")
    pack = bare_pack(main_trials=4)
    record(data, pack)
    whole = [(row["presentation"], row["decision"]) for row in derive(data, STUDY).trials]
    path = data.session("s1").journal
    content = path.read_bytes()
    first_line = content.index(b"\n") + 1
    path.write_bytes(content[: first_line + int(share * (len(content) - first_line))])
    found = derive(data, STUDY, with_unfinished=True).trials
    finished = {row["presentation"] for row in found}
    if not read_journal(path).complete:
        presenter = ScriptedPresenter()
        record(data, pack, presenter=presenter)
        assert not finished & {getattr(step, "presentation", None) for step in presenter.seen}
    assert [(row["presentation"], row["decision"]) for row in derive(data, STUDY).trials] == whole


def test_a_session_whose_pack_copy_is_changed_or_missing_is_left_out_and_named(data):
    pack, other = bare_pack(), bare_pack(main_trials=4)
    record(data, pack, "s1")
    record(data, other, "s2")
    key = data.pack_copy(pack.pack_id) / "key.csv"
    original = key.read_bytes()
    key.write_bytes(original.replace(b",7,", b",8,", 1))
    tables = derive(data, STUDY)
    assert "key.csv was changed" in tables.left_out["s1"]
    assert {row["session"] for row in tables.trials} == {"s2"}
    key.unlink()
    assert "key.csv is missing" in derive(data, STUDY).left_out["s1"]
    key.write_bytes(original)
    assert derive(data, STUDY).left_out == {}


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda text: text.replace(b'"rt_s":1.0', b'"rt_s":0.9', 1), "was changed after"),
        (lambda text: text.replace(JOURNAL_SCHEMA.tag.encode(), b"journal/1.9", 1), "line 1: "),
        (lambda text: b"\n".join(text.split(b"\n")[:3] + text.split(b"\n")[4:]), "line 4: "),
        (lambda text: b"\0" * len(text) + b"\n", "line 1: "),
        (lambda text: b"[" * 100_000 + b"\n" + text, "line 1: "),
        (lambda text: b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"\n", "line 1: "),
    ],
    ids=["changed", "newer", "line taken out", "zeros", "brackets", "nested"],
)
def test_a_damaged_journal_keeps_no_other_session_out(data, damage, reason):
    """The rest is written, the damaged one is named in the sidecar, and its file stays."""
    for session in ("s1", "s2", "s3"):
        record(data, bare_pack(), session)
    path = data.session("s2").journal
    path.write_bytes(damage(path.read_bytes()))
    damaged = path.read_bytes()
    tables = write_tables(data, STUDY)
    assert {row["session"] for row in read_table(data, STUDY, "trials")} == {"s1", "s3"}
    assert list(tables.left_out) == ["s2"]
    assert reason in tables.left_out["s2"]
    assert str(data.root) not in tables.left_out["s2"]
    assert "\n" not in tables.left_out["s2"]
    assert read_sidecar(data.tables / "trials.csv").left_out == tables.left_out
    assert path.read_bytes() == damaged
