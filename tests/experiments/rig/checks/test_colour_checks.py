from datetime import date
from pathlib import Path

import pytest

from experiments.rig.checks.measured import OLD_DAYS, calibration, geometry
from experiments.rig.profile import Geometry, MeasuredDisplay, RigProfile, read_rig

FILE = Path("rigs/rig-1.toml")
TODAY = date(2027, 3, 31)


def rig(measured_on="2027-03-30", *, calibrated=True):
    display = MeasuredDisplay(
        name="eizo", red_xy=(0.64, 0.33), green_xy=(0.30, 0.60), blue_xy=(0.15, 0.06),
        white_xy=(0.3127, 0.3290), calibrated=calibrated, measured_on=measured_on,
    )  # fmt: skip
    return RigProfile(display=display)


@pytest.mark.parametrize("purpose", [None, "pilot", "test", "robot"])
def test_an_uncalibrated_rig_may_pilot(purpose):
    assert calibration(RigProfile(), FILE, purpose, TODAY).status == "warn"
    assert calibration(rig(calibrated=False), FILE, purpose, TODAY).status == "warn"


def test_an_uncalibrated_rig_may_not_collect_data_for_main():
    finding = calibration(RigProfile(), FILE, "main", TODAY)
    assert finding.status == "fail"
    assert "--purpose pilot" in finding.remedy
    assert "doctor --colours FILE" in finding.remedy


@pytest.mark.parametrize("purpose", [None, "main"])
@pytest.mark.parametrize(
    ("measured_on", "status", "said"),
    [
        ("2027-03-31", "pass", "today"),
        ("2027-03-30", "pass", "2027-03-30, 1 day ago"),
        ("2027-03-01", "pass", "2027-03-01"),
        ("2027-02-28", "warn", f"{OLD_DAYS + 1} days ago"),
        ("2027-03-31T10:00:00Z", "pass", "2027-03-31"),
        ("", "warn", "unknown date"),
        ("last spring", "warn", "unknown date"),
        ("2028-01-01", "warn", "in the future"),
    ],
)
def test_an_old_calibration_warns(purpose, measured_on, status, said):
    finding = calibration(rig(measured_on), FILE, purpose, TODAY)
    assert finding.status == status
    assert said in finding.found


def test_an_unknown_distance_is_told():
    assert geometry(RigProfile(), FILE).status == "warn"
    known = RigProfile(geometry=Geometry(width_cm=52.0, distance_cm=57.0))
    assert geometry(known, FILE).found == "52 cm wide, 57 cm away"


def test_a_new_file_that_is_written_as_the_remedy_says_can_be_read(tmp_path):
    path = tmp_path / "rig-1.toml"
    remedy = geometry(RigProfile(), path).remedy
    _, _, first_line = remedy.partition("of this new file is ")
    path.write_text(f"{first_line}\n[geometry]\nwidth_cm = 52.0\ndistance_cm = 57.0\n")
    assert geometry(read_rig(path), path).status == "pass"
    assert "new file" not in geometry(RigProfile(), path).remedy
