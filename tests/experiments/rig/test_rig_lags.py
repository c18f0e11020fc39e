"""What the timing bench keeps in a rig's profile, and what sessions take from it."""

import pytest

from experiments.rig.profile import RIG_SCHEMA, Timing, read_rig, save_timing
from stimuli.errors import UserError

MEASURED = Timing(
    onset_lag_s=0.0121,
    onset_sd_s=0.00008,
    keyboard_lag_s=0.0203,
    grade="excellent",
    measured_on="2026-01-02",
)
OLD = """\
# the booth on the left
schema = "rig/1.0"

[timing]
keyboard_lag_s = 0.0085
grade = "unfit"

[geometry]  # tape measure
width_cm = 53.1
distance_cm = 70.0
"""


def test_what_was_measured_is_read_again_and_the_rest_of_the_file_stays(tmp_path):
    path = tmp_path / "rig-1.toml"
    path.write_text(OLD, encoding="utf-8")
    for _ in range(2):
        save_timing(path, MEASURED)
        rig = read_rig(path)
        assert rig.timing == MEASURED
        assert rig.geometry.width_cm == 53.1
    text = path.read_text(encoding="utf-8")
    assert text.startswith(f'schema = "{RIG_SCHEMA.tag}"\n# the booth on the left\n')
    assert "[geometry]  # tape measure" in text
    assert text.count("[timing]") == text.count("schema =") == 1
    assert [file.name for file in tmp_path.iterdir()] == ["rig-1.toml"]


def test_a_profile_is_made_where_there_is_none(tmp_path):
    path = tmp_path / "rigs" / "rig-1.toml"
    save_timing(path, MEASURED)
    assert read_rig(path).timing == MEASURED


def test_a_profile_that_cannot_be_read_is_left_alone(tmp_path):
    path = tmp_path / "rig-1.toml"
    path.write_text("schema = ", encoding="utf-8")
    with pytest.raises(UserError, match="is not valid TOML"):
        save_timing(path, MEASURED)
    assert path.read_text(encoding="utf-8") == "schema = "


def test_the_lag_of_a_device_never_measured_is_the_onsets(tmp_path):
    path = tmp_path / "rig-1.toml"
    save_timing(path, MEASURED)
    rig = read_rig(path)
    assert (rig.lag_s("keyboard"), rig.lag_s("mouse")) == (0.0203, 0.0121)
