"""The files of packs that go out with the data of those who were shown them."""

import shutil

import pytest

from participants.export.psych_ds import faults_of
from participants.export.run import ExportRequest, export_bids, export_psych_ds
from participants.folder import DataFolder
from stimuli.errors import UserError
from stimuli.pack import write_pack
from tests.participants.export.conftest import put_together
from tests.participants.export.exported import asked, tsv_rows
from tests.participants.export.rewritten import with_code
from tests.participants.export.validator import avoidable, issues_of
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import small_sketch

pytestmark = pytest.mark.usefixtures("usual_lab")


def test_what_was_shown_goes_out_with_its_pack(tmp_path, simulated):
    """stim_file names a file below stimuli, byte for byte as in the pack."""
    sketch = small_sketch()
    protocol = sketch.protocol
    files = {path: sketch.asset(path) for path in sketch.manifest.files}
    manifest = write_pack(tmp_path / "pack", protocol, "solutions", files, {})
    data = put_together(DataFolder(tmp_path / "data"), [simulated["accept_reject_accuracy"]])
    with pytest.raises(UserError, match="nobody in the export was shown pack"):
        export_bids(asked(tmp_path, data=data.root, packs=(tmp_path / "pack",)))
    shown_for_real(data, sketch.pack_id, manifest.pack_id, tmp_path / "pack")
    done = export_bids(asked(tmp_path, data=data.root, packs=(tmp_path / "pack",)))
    (path, *_) = sorted(done.out.rglob("*_beh.tsv"))
    for row in tsv_rows(path):
        inside = row["stim_file"].removeprefix(f"{manifest.pack_id}/")
        assert (done.out / "stimuli" / row["stim_file"]).read_bytes() == files[inside]
    assert avoidable(issues_of(done.out)) == []
    pds = ExportRequest(tmp_path / "p", data.root, purpose="robot", packs=(tmp_path / "pack",))
    assert faults_of(export_psych_ds(pds).out) == ()


def shown_for_real(data, sketch_id, pack_id, pack):
    """Let journals say that they showed a sealed pack, not the sketch with the same content."""
    for paths in data.sessions():
        paths.journal.write_bytes(with_code(paths.journal.read_text("utf-8"), sketch_id, pack_id))
    shutil.copytree(pack, data.pack_copy(pack_id))
