"""The tables of an export hold what the data folder's tables hold, in order and in form."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from participants.dataset.derive import derive
from participants.export.bids import tsv
from participants.export.run import ExportRequest, export_bids, export_psych_ds
from participants.journal import read_journal
from stimuli.io.tables import Column
from tests.participants.export.conftest import keep
from tests.participants.export.exported import asked, csv_rows, tsv_rows

pytestmark = pytest.mark.usefixtures("usual_lab")

TEXT = {"answers"}


def test_trials_are_those_of_the_tables_cell_by_cell(tmp_path, lab):
    """Both forms against derive: nothing lost, nothing doubled, nothing else than said."""
    studies = ("accept_reject", "human_ai_team", "progressive_reveal")
    keep(lab, *studies)
    bids, psych_ds = export_bids(asked(tmp_path)).out, tmp_path / "psych-ds"
    export_psych_ds(ExportRequest(psych_ds, purpose="robot"))
    for study in studies:
        rows = derive(lab.data, study).trials
        ours = [{n: c for n, c in row.items() if n not in {"session"} | TEXT} for row in rows]
        told = [
            {"participant": path.name.split("_")[0].removeprefix("sub-"), **row}
            for path in bids.rglob("*_beh.tsv")
            if study.replace("_", "") in path.name
            for row in tsv_rows(path)
        ]
        tables = psych_ds.glob(f"data/study-{study.replace('_', '')}*trials_data.csv")
        plain = [row for path in tables for row in csv_rows(path)]
        assert as_set(ours) == as_set(told) == as_set(plain)
        assert len(ours) == len(told) == len(plain)


def as_set(rows):
    """Rows as sets of texts, without what an export adds."""
    added = {"row_id", "session"}
    return {
        frozenset((name, text_of(cell)) for name, cell in row.items() if name not in added)
        for row in rows
    }


def text_of(cell):
    if cell in (None, "n/a"):
        return ""
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


def test_onsets_count_on_over_sittings_and_are_in_order(tmp_path, simulated):
    data = simulated["progressive_reveal"]
    out = export_bids(asked(tmp_path, data=data.root)).out
    for paths in data.sessions():
        journal = read_journal(paths.journal)
        begun = [event.t_utc for event in journal.of("session")]
        assert len(begun) > 1
        code = journal.header["participant"]
        (path,) = out.glob(f"sub-{code}/ses-01/beh/*_events.tsv")
        onsets = [float(row["onset"]) for row in tsv_rows(path)]
        assert onsets == sorted(onsets)
        # Who stops for the day is back a day later.
        assert onsets[-1] > 24 * 3600 * (len(begun) - 1)


@pytest.mark.parametrize("study", ["human_ai_team", "progressive_reveal"])
def test_durations_are_those_between_two_flips_to_a_tenth_of_a_millisecond(
    tmp_path, simulated, study
):
    """Against the journals, line by line; of several stays of a trial the last one counts."""
    data = simulated[study]
    out = export_bids(asked(tmp_path, data=data.root)).out
    for paths in data.sessions():
        shown, last = {}, {}
        for line in paths.journal.read_text(encoding="utf-8").splitlines():
            event = json.loads(line)
            if event["event"] == "flip":
                last[event["what"].rpartition("_")[2]] = event["t_monotonic_s"]
            elif event["event"] == "trial_end":
                shown[str(event["trial"])] = last["off"] - event["onset_t_monotonic_s"]
        code = read_journal(paths.journal).header["participant"]
        (path,) = out.glob(f"sub-{code}/ses-01/beh/*_events.tsv")
        for row in tsv_rows(path):
            assert float(row["duration"]) == pytest.approx(shown[row["trial"]], abs=5.1e-5)
            assert all(len(row[name].partition(".")[2]) <= 4 for name in ("onset", "duration"))


@given(st.lists(st.fixed_dictionaries({"a": st.text(), "b": st.none() | st.floats()})))
def test_whatever_stands_in_a_cell_a_table_keeps_its_form(rows):
    columns = (Column("a", "text", ""), Column("b", "real", "", optional=True))
    lines = tsv(columns, rows).decode("utf-8").split("\n")
    assert lines[-1] == ""
    assert [len(line.split("\t")) for line in lines[:-1]] == [2] * (len(rows) + 1)
    assert all(cell for line in lines[:-1] for cell in line.split("\t"))
