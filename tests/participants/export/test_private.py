"""What an export doesn't tell, and who can read it at first."""

import os

import pytest

from participants.dataset.derive import derive
from participants.export.run import ExportRequest, export_bids, export_psych_ds
from tests.modes import modes_below
from tests.participants.export.conftest import keep
from tests.participants.export.exported import asked, everything_in

pytestmark = pytest.mark.usefixtures("usual_lab")


def test_no_date_of_a_session_and_no_session_id_goes_out(tmp_path, lab):
    for number, export in enumerate((export_bids, export_psych_ds)):
        told = everything_in(export(ExportRequest(tmp_path / str(number), purpose="robot")).out)
        assert "2000-01-0" not in told
        assert not any(paths.session in told for paths in lab.data.sessions())


def test_typed_words_stay_unless_asked_for(tmp_path, lab):
    keep(lab, "progressive_reveal")
    rows = derive(lab.data, "progressive_reveal").trials
    typed = max((row["answers"] for row in rows if row["answers"]), key=len)
    without = export_psych_ds(ExportRequest(tmp_path / "without", purpose="robot"))
    assert typed not in everything_in(without.out)
    done = export_bids(ExportRequest(tmp_path / "with", purpose="robot", with_text=True))
    assert typed in everything_in(done.out)
    assert any("read them before" in remark for remark in done.remarks)


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
def test_an_export_is_private_until_somebody_hands_it_on(tmp_path, simulated):
    done = export_bids(asked(tmp_path, data=simulated["human_ai_team"].root))
    assert modes_below(done.out) == {"folders": {0o700}, "files": {0o600}}
