"""Other cones and displays' spectra, against published figures and the suite's own cones."""

import numpy as np
import pytest

from bench.eyes.evidence import Eye, learn_colours
from bench.eyes.known_displays import WHITE_XY, display_spectra
from bench.eyes.viewing import with_cones
from stimuli.colour.display import linear_to_lms
from stimuli.colour.spaces import XYZ_TO_LMS
from stimuli.colour.spectra import NM, ConeFundamentals, middle_cones, stockman_sharpe
from stimuli.plates.observer import Observer

SPECTRA = {spectra.name: spectra for spectra in display_spectra()}


@pytest.mark.parametrize(("degrees", "peaks"), [(2, (570, 543, 442)), (10, (569, 541, 448))])
def test_fundamentals_peak_where_they_are_published_to(degrees, peaks):
    """Stockman & Sharpe (2000), table 2, energy units: within 3 nm."""
    at = NM[stockman_sharpe(degrees).sensitivity.argmax(axis=0)]
    assert np.allclose(at, peaks, atol=3)


def test_l_and_m_add_up_to_luminous_efficiency():
    """CIE 170-2: the sum peaks at 1, near 555 nm."""
    luminous = stockman_sharpe(2).sensitivity[:, :2].sum(axis=1)
    assert luminous.max() == pytest.approx(1, abs=0.005)
    assert abs(NM[luminous.argmax()] - 555) <= 5


@pytest.mark.parametrize("name", SPECTRA)
def test_the_profile_of_a_display_is_what_its_spectra_give(name):
    spectra = SPECTRA[name]
    white = spectra.xyz().sum(axis=1)
    assert white[1] == pytest.approx(1)
    assert np.allclose(white[:2] / white.sum(), WHITE_XY, atol=1e-6)
    by_profile = linear_to_lms(np.eye(3), spectra.by_chromaticities()).T
    assert np.allclose(by_profile, XYZ_TO_LMS @ spectra.xyz(), atol=1e-6)


@pytest.mark.parametrize("axis", ["deutan", "protan"])
@pytest.mark.parametrize("name", SPECTRA)
def test_nothing_leaks_to_an_eye_with_the_suites_own_cones(name, axis):
    """The way through spectra is as good as that through chromaticities: only cones leak."""
    import colour

    matching = colour.MSDS_CMFS["CIE 1931 2 Degree Standard Observer"]
    columns = [np.interp(NM, matching.wavelengths, v, 0, 0) for v in matching.values.T]
    own = ConeFundamentals("the suite's", np.stack(columns, axis=1) @ XYZ_TO_LMS.T)
    viewing = with_cones(SPECTRA[name], own, by_spectra=False)
    eye = Eye.of(Observer(axis, 1.0, efficiency=1.0), viewing)
    colours = learn_colours(eye, axis, 0.05)
    # Guns farther apart are coarser steps: 8 bits leave a little to who tells levels apart.
    assert colours.d_prime < 0.005
    assert colours.level_d_prime < 0.03


def _d_prime(axis, viewing, contrast):
    eye = Eye.of(Observer(axis, 1.0, efficiency=1.0), viewing)
    return learn_colours(eye, axis, contrast).d_prime


@pytest.mark.parametrize("axis", ["deutan", "protan"])
@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize("degrees", [2, 10])
def test_little_leaks_to_other_cones_where_spectra_are_known(name, axis, degrees):
    """Bar 2's limits for other cones: d′ ≤ .06 at 484e-4 and ≤ .09 at 970e-4."""
    viewing = with_cones(SPECTRA[name], stockman_sharpe(degrees))
    for contrast, limit in ((0.0484, 0.06), (0.097, 0.09)):
        assert 0.005 < _d_prime(axis, viewing, contrast) <= limit


@pytest.mark.parametrize("axis", ["deutan", "protan"])
@pytest.mark.parametrize("name", SPECTRA)
def test_nothing_leaks_to_the_cones_of_the_middle(name, axis):
    viewing = with_cones(SPECTRA[name], middle_cones())
    assert _d_prime(axis, viewing, 0.097) < 0.01


@pytest.mark.parametrize("axis", ["deutan", "protan"])
def test_chromaticities_alone_hide_less_from_a_wide_field(axis):
    known, guessed = (
        _d_prime(axis, with_cones(SPECTRA["OLED"], stockman_sharpe(10), by_spectra=by), 0.0484)
        for by in (True, False)
    )
    assert guessed > 1.3 * known
