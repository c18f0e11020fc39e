"""Rig profiles: the golden one reads, a newer one is one line."""

import re
from pathlib import Path

import pytest

from experiments.engine.triggers import TriggerPlace
from experiments.rig.checks.measured import geometry
from experiments.rig.profile import profile_path, read_rig
from stimuli.errors import UserError

GOLDEN = Path(__file__).parents[2] / "golden"


def test_a_rig_profile_reads():
    rig = read_rig(profile_path(GOLDEN / "rigs", "rig-7k2m"))
    assert rig.trigger_place() == TriggerPlace("serial", "COM3", 57600)
    assert rig.timing.grade == "excellent"
    assert (rig.timing.onset_lag_s, rig.lag_s("mouse")) == (0.0071, 0.0092)


def test_who_does_what_the_check_of_the_geometry_says_has_a_profile_that_reads(tmp_path):
    path = tmp_path / "rig-1.toml"
    said = geometry(read_rig(path), path).remedy
    assert str(path) in said
    section, width, distance = re.search(r"(\[\w+\]) as (\w+) and (\w+)", said).groups()
    first = said.partition("the first line of this new file is ")[2]
    text = f"{first}\n{section}\n{width} = 52\n{distance} = 57\n"
    path.write_text(text, encoding="utf-8")
    assert geometry(read_rig(path), path).status == "pass"


def test_a_place_of_triggers_that_names_nothing_is_one_line(tmp_path):
    path = tmp_path / "rig-1.toml"
    path.write_text('schema = "rig/1.0"\n[triggers]\ndevice = "usb"\n', encoding="utf-8")
    with pytest.raises(UserError, match=r"rig-1\.toml: triggers\.device: .*must be like none, ser"):
        read_rig(path)


def test_a_newer_rig_profile_is_one_line(tmp_path):
    path = tmp_path / "rig-1.toml"
    path.write_text('schema = "rig/1.9"\nnew = 1\n', encoding="utf-8")
    with pytest.raises(UserError, match=r"written by a newer version \(rig/1\.9\)"):
        read_rig(path)
