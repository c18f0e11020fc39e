"""What an export says of itself: its tasks, its arms and its instructions."""

import json

import pytest

from participants.dataset.study_tables import study_tables
from participants.export.run import ExportRequest, export_bids
from participants.folder import DataFolder
from stimuli.maps.origin import DETAILS
from stimuli.protocol import load_protocol
from tests.participants.export.conftest import SIMULATED, put_together
from tests.participants.export.exported import asked, tsv_rows
from tests.participants.export.rewritten import with_code

pytestmark = pytest.mark.usefixtures("usual_lab")


def test_the_second_assessment_has_files_and_rules_of_its_own(tmp_path):
    out = export_bids(asked(tmp_path)).out
    tasks = {path.name.split("task-")[1].split("_")[0] for path in out.rglob("*_beh.tsv")}
    assert tasks == {name.replace("_", "") for name in SIMULATED}
    task = json.loads((out / "task-acceptrejectaccuracy_beh.json").read_text("utf-8"))
    assert "labels of images" in task["TaskDescription"]


@pytest.mark.parametrize("study", ["accept_reject_accuracy", "simulatability"])
def test_a_re_user_learns_what_each_arm_was(study, simulated, tmp_path):
    """In a table, in the README, and from the description of the events' arms."""
    done = export_bids(
        ExportRequest(tmp_path / "out", simulated[study].root, study, purpose="robot")
    )
    label, arms = study.replace("_", ""), study_of_tables(study).arms
    table = tsv_rows(done.out / "stimuli" / f"{label}_{arms.name}.tsv")
    assert {"network", "imported", "response_model"} & {row[arms.origin] for row in table}
    assert all(f"{arms.origin}_{what}" in table[0] for what in DETAILS)
    events = json.loads((done.out / f"task-{label}_events.json").read_text("utf-8"))
    assert f"stimuli/{label}_{arms.name}.tsv" in events["trial_type"]["Description"]
    sidecar = json.loads((done.out / "stimuli" / f"{label}_{arms.name}.json").read_text("utf-8"))
    assert "SHA-256" in sidecar[f"{arms.origin}_sha256"]["Description"]
    readme = (done.out / "README.md").read_text("utf-8")
    assert "Who made what was shown, and how:" in readme
    assert readme.count("Why: ") >= 2


def study_of_tables(study):
    """The tables of a study, which may be another one's."""
    return study_tables(load_protocol(study).study)


def test_a_language_of_the_labs_own_is_exported_with_its_instructions(tmp_path, lab, simulated):
    study = "accept_reject_accuracy"
    data = put_together(DataFolder(tmp_path / "data"), [simulated[study]])
    for paths in data.sessions():
        text = paths.journal.read_text("utf-8")
        paths.journal.write_bytes(with_code(text, '"language":"en"', '"language":"fr"'))
    without = export_bids(ExportRequest(tmp_path / "without", data.root, purpose="robot")).out
    sidecar = f"task-{study.replace('_', '')}_beh.json"
    assert "Instructions" not in json.loads((without / sidecar).read_text("utf-8"))
    own = lab.texts / study / "fr"
    own.mkdir(parents=True)
    (own / "instructions.md").write_text("---\nversion: 1.0\n---\nTouche {accept_key}.\n", "utf-8")
    done = export_bids(ExportRequest(tmp_path / "with", data.root, purpose="robot"))
    told = json.loads((done.out / sidecar).read_text("utf-8"))["Instructions"]
    assert told == "Touche [accept key]."
