"""Rig profiles: a released one stays readable, a newer one is one line."""

from pathlib import Path

import pytest

from experiments.engine.triggers import TriggerPlace
from experiments.rig.profile import RIG_SCHEMA, profile_path, read_rig
from stimuli.errors import UserError

GOLDEN = Path(__file__).parents[2] / "golden"


def test_rig_1_0_reads():
    rig = read_rig(profile_path(GOLDEN / "rig-1.0", "rig-7k2m"))
    assert rig.schema_tag == RIG_SCHEMA.tag
    assert rig.trigger_place().kind == "none"
    assert (rig.lag_s("keyboard"), rig.lag_s("mouse")) == (0.0085, 0.0)
    assert rig.colours.calibrated
    assert rig.colours.gamma == (2.2, 2.25, 2.2)
    # 2 · 70 cm · tan(0.5°) are 1.2217 cm; 1920 px on 53.1 cm.
    assert rig.px_per_deg(1920) == pytest.approx(44.176, abs=1e-2)


def test_rig_1_1_reads():
    rig = read_rig(profile_path(GOLDEN / "rig-1.1", "rig-7k2m"))
    assert rig.trigger_place() == TriggerPlace("serial", "COM3", 57600)
    assert rig.timing.grade == "excellent"
    assert (rig.timing.onset_lag_s, rig.lag_s("mouse")) == (0.0071, 0.0092)


def test_a_place_of_triggers_that_names_nothing_is_one_line(tmp_path):
    path = tmp_path / "rig-1.toml"
    path.write_text('schema = "rig/1.1"\n[triggers]\ndevice = "usb"\n', encoding="utf-8")
    with pytest.raises(UserError, match=r"rig-1\.toml: triggers\.device: .*must be like none, ser"):
        read_rig(path)


def test_a_newer_rig_profile_is_one_line(tmp_path):
    path = tmp_path / "rig-1.toml"
    path.write_text('schema = "rig/1.9"\nnew = 1\n', encoding="utf-8")
    with pytest.raises(UserError, match=r"written by a newer version \(rig/1\.9\)"):
        read_rig(path)
