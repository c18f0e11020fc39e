"""Displays known by their guns' spectra."""

import numpy as np
import pytest

from stimuli.colour.display import SRGB, DisplayProfile
from stimuli.colour.spectra import NM as CONES_NM
from stimuli.colour.spectra import (
    GunSpectra,
    guns_lms,
    guns_xyz,
    middle_cones,
    read_spectra,
    with_chromaticities,
)
from stimuli.errors import UserError

colour = pytest.importorskip("colour")

NM = np.arange(380.0, 781.0, 4.0)
PEAKS = ((620.0, 14.0), (535.0, 18.0), (455.0, 10.0))
LIGHT = np.stack([np.exp(-(((NM - peak) / width) ** 2) / 2) for peak, width in PEAKS], axis=1)
LIGHT *= (0.9, 1.0, 0.8)


def _profile(folder):
    return DisplayProfile(**with_chromaticities({"name": "a", "spectra": "guns.csv"}, folder))


def _write(folder, nm=NM, light=LIGHT, header="wavelength_nm,red,green,blue"):
    lines = [header, *(",".join(map(repr, map(float, row))) for row in np.c_[nm, light])]
    (folder / "guns.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "guns.csv"


def test_tristimulus_values_are_those_of_colour_science():
    ours = guns_xyz(GunSpectra(NM, LIGHT))
    for gun in range(3):
        light = colour.SpectralDistribution(dict(zip(NM, LIGHT[:, gun], strict=True)))
        light = light.interpolate(colour.SpectralShape(380, 780, 1)).align(
            colour.SpectralShape(360, 780, 1), extrapolator_kwargs={"method": "Constant", "left": 0}
        )
        theirs = colour.sd_to_XYZ(light, k=1)
        assert np.allclose(ours[gun], theirs, rtol=2e-3, atol=1e-2)


def test_a_monochromatic_gun_has_the_chromaticity_of_its_wavelength(tmp_path):
    """CIE 1931: 600 nm at .6270, .3725; 520 nm at .0743, .8338; 460 nm at .1440, .0297."""
    light = np.stack([np.maximum(0, 1 - abs(NM - peak) / 4) for peak in (600, 520, 460)], axis=1)
    _write(tmp_path, light=light)
    display = _profile(tmp_path)
    assert np.allclose(display.red_xy, (0.6270, 0.3725), atol=1e-3)
    assert np.allclose(display.green_xy, (0.0743, 0.8338), atol=3e-3)
    assert np.allclose(display.blue_xy, (0.1440, 0.0297), atol=1e-3)


def test_what_guns_do_to_cones_is_their_light_weighed_by_sensitivity():
    """Slow reference: one gun, one cone, one wavelength at a time."""
    cones = middle_cones().sensitivity
    got = guns_lms(GunSpectra(NM, LIGHT), (0.3, 0.3))
    for row in range(3):
        sums = [0.0, 0.0, 0.0]
        for gun in range(3):
            for place, nm in enumerate(CONES_NM):
                if NM[0] <= nm <= NM[-1]:
                    sums[gun] += np.interp(nm, NM, LIGHT[:, gun]) * cones[place, row]
        assert np.allclose(np.array(got[row]) / sum(got[row]), np.array(sums) / sum(sums))


def test_spectra_and_chromaticities_are_not_given_together(tmp_path):
    _write(tmp_path)
    for key in ("red_xy", "white_xy", "guns_lms"):
        with pytest.raises(UserError, match=f"{key}: give the one or the other"):
            with_chromaticities({"spectra": "guns.csv", key: [0.3, 0.3]}, tmp_path)


@pytest.mark.parametrize(
    ("cones", "said"),
    [
        (((1, 1, 1), (1, 1, 1), (0, 0, 1)), "alike"),
        (((1, 0, 0), (0, 1, 0)), "three rows"),
        (((1, 0, 0), (0, 1, 0), (0, 0, -1)), "0 or more"),
        (((1, 0), (0, 1), (0, 0)), "0 or more"),
        ("abc", "three rows"),
    ],
)
def test_impossible_cones_are_refused(cones, said):
    colours = {key: getattr(SRGB, key) for key in ("red_xy", "green_xy", "blue_xy", "white_xy")}
    with pytest.raises(ValueError, match=said):
        DisplayProfile("a", **colours, guns_lms=cones)


@pytest.mark.parametrize(
    ("nm", "light", "said"),
    [
        (NM[::-1], LIGHT, "rise"),
        (NM + 40, LIGHT, "spans 420"),
        (NM[::4], LIGHT[::4], "step of 16 nm"),
        (NM, LIGHT - 0.1, "negative"),
        (NM, LIGHT * (1, 0, 1), "gun without light"),
        (NM, LIGHT * np.nan, "no numbers"),
        (NM[:1], LIGHT[:1], "two wavelengths"),
    ],
)
def test_an_impossible_measurement_is_refused_by_file_and_reason(tmp_path, nm, light, said):
    with pytest.raises(UserError, match=rf"guns\.csv.*{said}"):
        read_spectra(_write(tmp_path, nm, light))


def test_a_table_without_a_gun_is_refused_by_column(tmp_path):
    with pytest.raises(UserError, match="lacks column green"):
        read_spectra(_write(tmp_path, header="wavelength_nm,red,grun,blue"))


def test_a_value_that_is_no_number_is_refused(tmp_path):
    path = _write(tmp_path)
    path.write_text(path.read_text(encoding="utf-8") + "784,a,b,c\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"guns\.csv"):
        read_spectra(path)


def test_spectra_outside_the_profiles_folder_are_refused(tmp_path):
    _write(tmp_path)
    (tmp_path / "rigs").mkdir()
    with pytest.raises(UserError, match="leads out of this folder"):
        with_chromaticities({"spectra": "../guns.csv"}, tmp_path / "rigs")
