"""The rig's timing grade: what it means for a session."""

from pathlib import Path

import pytest

from experiments.rig.checks.measured import timing
from experiments.rig.profile import RigProfile, Timing

FILE = Path("rigs/rig-1.toml")


def rig(grade, measured_on="2027-03-30"):
    return RigProfile(timing=Timing(grade=grade, measured_on=measured_on))


@pytest.mark.parametrize(
    ("grade", "purpose", "status"),
    [
        ("excellent", "main", "pass"),
        ("acceptable", "main", "pass"),
        ("poor", "main", "warn"),
        ("unfit", "main", "fail"),
        ("unfit", "pilot", "warn"),
        ("unfit", "robot", "warn"),
        ("unfit", None, "warn"),
    ],
)
def test_only_an_unfit_rig_is_refused_and_only_for_main(grade, purpose, status):
    finding = timing(rig(grade), FILE, purpose)
    assert (finding.check, finding.status) == ("timing", status)
    assert finding.found == f"{grade}, measured 2027-03-30"
    assert ("lab.py timing --sensor" in finding.remedy) == (status != "pass")
    assert ("--purpose pilot" in finding.remedy) == (status == "fail")


@pytest.mark.parametrize("purpose", ["main", None])
@pytest.mark.parametrize("unmeasured", [RigProfile(), rig("")], ids=["no section", "no grade"])
def test_a_rig_that_was_never_measured_is_told(unmeasured, purpose):
    finding = timing(unmeasured, FILE, purpose)
    assert finding.status == "warn"
    assert str(FILE) in finding.remedy
