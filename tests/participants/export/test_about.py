"""What only the lab can say of a dataset: never invented, and refused where it is wrong."""

import pytest

from participants.export.run import export_bids
from stimuli.errors import UserError
from tests.participants.export.conftest import keep
from tests.participants.export.exported import asked
from tests.participants.export.validator import issues_of

pytestmark = pytest.mark.usefixtures("usual_lab")


def test_what_the_lab_did_not_say_is_never_invented_and_named(tmp_path, lab):
    (lab.root / "dataset.toml").unlink()
    keep(lab, "human_ai_team")
    done = export_bids(asked(tmp_path))
    assert "authors, license, institution, department, address" in done.remarks[-1]
    issues = issues_of(done.out)
    assert not any(severity == "error" for severity, *_ in issues)
    keys = {key for _, _, key in issues} - {"HEDVersion", "CogAtlasID", "CogPOID", ""}
    institution = {"InstitutionName", "InstitutionalDepartmentName", "InstitutionAddress"}
    assert keys == {"Authors", "License", *institution}


def test_a_wrong_dataset_file_is_refused_in_one_line(tmp_path, lab):
    keep(lab, "human_ai_team")
    for content, line in (
        ('titel = "x"', "titel: unknown key; known: title, authors"),
        ('authors = "A"', "authors: "),
        ("authors = [", "is not valid TOML"),
    ):
        (lab.root / "dataset.toml").write_text(content, encoding="utf-8")
        with pytest.raises(UserError, match=rf"dataset\.toml: .*{line}"):
            export_bids(asked(tmp_path))
