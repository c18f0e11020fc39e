"""Whose data an export holds: nobody's who withdrew, nobody's twice, robots' only if asked for."""

import pytest

from participants.export.psych_ds import faults_of
from participants.export.run import ExportRequest, export_bids, export_psych_ds
from participants.folder import DataFolder
from participants.journal import read_journal
from participants.merging import merge
from participants.registry import Registry
from participants.tombstones import add_tombstones
from stimuli.errors import UserError
from tests.participants.commands import printed_json
from tests.participants.export.conftest import EVERYBODY, enter, keep, put_together
from tests.participants.export.exported import asked, everything_in
from tests.participants.export.rewritten import with_code
from tests.participants.export.validator import avoidable, issues_of

pytestmark = pytest.mark.usefixtures("usual_lab")


def codes_in(folder):
    return {paths.session.split("-")[1] for paths in folder.sessions()}


def test_robots_go_out_only_when_they_are_asked_for(tmp_path):
    with pytest.raises(UserError, match="no session of purpose main to export; there are sessions"):
        export_bids(ExportRequest(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_after_a_withdrawal_nothing_of_the_person_is_exported(tmp_path, lab, simulated, capsys):
    """By the real command, which also names the export that was made before."""
    keep(lab, "human_ai_team", "simulatability")
    gone = sorted(codes_in(simulated["human_ai_team"]))[0]
    enter(lab, gone)
    before = export_bids(ExportRequest(tmp_path / "before", purpose="robot")).out
    assert gone in everything_in(before)
    (named,) = printed_json(capsys, "participants", "withdraw", gone, "--yes")["exports"]
    assert (named["kind"], named["place"]) == ("bids", str(before))
    for number, export in enumerate((export_bids, export_psych_ds)):
        done = export(ExportRequest(tmp_path / str(number), purpose="robot"))
        assert done.participants == 3
        assert gone not in everything_in(done.out)


def test_a_withdrawal_that_only_the_registry_knows_counts_too(tmp_path, lab):
    registry = Registry.open(lab.registry_url)
    code = registry.enrol("participant", purpose="robot")
    registry.record_withdrawal(code)
    paths = next(iter(lab.data.sessions()))
    renamed = paths.journal.read_text("utf-8")
    taken = read_journal(paths.journal).header["participant"]
    paths.journal.write_bytes(with_code(renamed, taken, code))
    assert code not in everything_in(export_bids(asked(tmp_path)).out)


def test_an_unfinished_session_waits_for_its_persons_word(tmp_path, simulated):
    """It is named, and neither form holds it."""
    data = put_together(DataFolder(tmp_path / "data"), [simulated["accept_reject_accuracy"]])
    first, _ = data.sessions()
    lines = first.journal.read_bytes().splitlines(keepends=True)
    first.journal.write_bytes(b"".join(lines[: len(lines) // 2]))
    done = export_bids(asked(tmp_path, data=data.root))
    assert (done.participants, list(done.left_out)) == (1, [first.session])
    assert "1 session was left out" in (done.out / "README.md").read_text("utf-8")


@pytest.mark.slow
def test_simulated_studies_merge_since_each_has_people_of_its_own(tmp_path, simulated):
    into = DataFolder(tmp_path / "all")
    done = merge(list(simulated.values()), into)
    assert (len(done.plan.new), done.failed) == (EVERYBODY, {})
    assert len(codes_in(into)) == EVERYBODY
    exported_people = export_psych_ds(asked(tmp_path, data=into.root))
    assert exported_people.participants == EVERYBODY


def test_a_withdrawal_holds_for_a_copy_that_is_merged_later(tmp_path, simulated):
    two = [simulated[name] for name in ("accept_reject_accuracy", "human_ai_team")]
    data = put_together(DataFolder(tmp_path / "data"), two)
    gone = sorted(codes_in(data))[0]
    add_tombstones(data, {gone: "2026-01-01T00:00:00.000000Z"})
    put_together(data, two)
    for number, export in enumerate((export_bids, export_psych_ds)):
        done = export(ExportRequest(tmp_path / str(number), data.root, purpose="robot"))
        assert gone not in everything_in(done.out)
    assert avoidable(issues_of(tmp_path / "0")) == []
    assert faults_of(tmp_path / "1") == ()
