"""A rig whose display was measured as spectra."""

import numpy as np
import pytest

from experiments.rig.profile import read_rig
from stimuli.colour.display import SRGB
from stimuli.errors import UserError

RIG = 'schema = "rig/1.0"\n[display]\nname = "A"\ncalibrated = true\nspectra = "guns.csv"\n'


@pytest.mark.slow
def test_a_rig_may_name_a_file_of_spectra_beside_it(tmp_path):
    pytest.importorskip("colour")
    nm = np.arange(380, 781, 5)
    guns = [np.exp(-(((nm - peak) / 15) ** 2)) for peak in (620, 535, 455)]
    rows = "".join(f"{','.join(map(str, row))}\n" for row in zip(nm, *guns, strict=True))
    (tmp_path / "guns.csv").write_text("wavelength_nm,red,green,blue\n" + rows, encoding="utf-8")
    (tmp_path / "one.toml").write_text(RIG, encoding="utf-8")
    colours = read_rig(tmp_path / "one.toml").colours
    assert colours.calibrated
    assert colours.red_xy[0] > SRGB.red_xy[0]
    assert colours.green_xy[1] > SRGB.green_xy[1]
    assert colours.guns_lms is not None


@pytest.mark.parametrize(
    ("more", "said"),
    [("", r"guns\.csv"), ("red_xy = [0.64, 0.33]\n", "give the one or the other")],
)
def test_spectra_that_can_not_be_taken_are_named_by_file(tmp_path, more, said):
    (tmp_path / "one.toml").write_text(RIG + more, encoding="utf-8")
    with pytest.raises(UserError, match=rf"one\.toml: display: .*{said}"):
        read_rig(tmp_path / "one.toml")


def test_the_guns_effect_on_cones_is_not_written_by_hand(tmp_path):
    more = "guns_lms = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]\n"
    (tmp_path / "one.toml").write_text(RIG + more, encoding="utf-8")
    with pytest.raises(UserError, match=r"one\.toml: display: guns_lms follows from spectra"):
        read_rig(tmp_path / "one.toml")
