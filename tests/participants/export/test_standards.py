"""Exports of every study's data keep to the standards: BIDS and Psych-DS."""

import pytest

from participants.cli import main
from participants.export.psych_ds import faults_of
from participants.export.run import ExportRequest, export_bids, export_psych_ds
from stimuli.catalogue import OUTSIDE, studies_of
from tests.participants.export.conftest import EVERYBODY, SIMULATED
from tests.participants.export.exported import asked
from tests.participants.export.validator import avoidable, issues_of

pytestmark = pytest.mark.usefixtures("usual_lab")


def test_every_study_of_the_catalogue_is_simulated_here():
    assert set(SIMULATED) == set(studies_of("participants"))


def test_all_studies_at_once_keep_to_both_standards(tmp_path):
    done = export_bids(asked(tmp_path))
    assert (done.participants, done.sessions) == (EVERYBODY, EVERYBODY)
    (remark,) = done.remarks
    assert remark.startswith("These sessions aren't in the lab's registry, so a journal")
    assert avoidable(issues_of(done.out)) == []
    assert faults_of(export_psych_ds(ExportRequest(tmp_path / "pds", purpose="robot")).out) == ()


@pytest.mark.slow
@pytest.mark.parametrize("study", SIMULATED)
def test_each_study_alone_passes_both(study, simulated, tmp_path):
    data = simulated[study].root
    bids = export_bids(ExportRequest(tmp_path / "bids", data=data, study=study, purpose="robot"))
    assert avoidable(issues_of(bids.out)) == []
    psych_ds = export_psych_ds(
        ExportRequest(tmp_path / "pds", data=data, study=study, purpose="robot")
    )
    assert faults_of(psych_ds.out) == ()


@pytest.mark.slow
def test_a_study_from_outside_the_suite_is_exported_too(tmp_path, monkeypatch):
    from tests.test_example_study import EXAMPLE

    monkeypatch.setenv(OUTSIDE, str(EXAMPLE))
    data = tmp_path / "data"
    assert main(["simulate", "preferences", "--participants", "2", "--out", str(data)]) == 0
    done = export_bids(asked(tmp_path, data=data))
    assert avoidable(issues_of(done.out)) == []
    assert (
        faults_of(export_psych_ds(ExportRequest(tmp_path / "p", data, purpose="robot")).out) == ()
    )
