"""Keys of a protocol on keyboards of other layouts: what the screen prints is what answers."""

import sys

import pytest

from stimuli.keys import DIGITS, KEYS
from tests.experiments.windows.probing import told_by

pytestmark = [
    pytest.mark.window(tolerance_ms=200),
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


def agreeing(found):
    """Return the keys whose label answers as that key; digits stand on the number pad, too."""
    return {key for key, told in found.items() if told == [key] * (2 if key in DIGITS else 1)}


def test_each_key_with_the_printed_label_is_that_key(tmp_path):
    found = told_by("layout_probe.py", tmp_path, "de")["de"]
    assert found.keys() - agreeing(found) == {"y", "z"}
    assert agreeing(found) > KEYS


@pytest.mark.slow
def test_the_keys_are_those_that_all_keyboards_share(tmp_path):
    told = told_by("layout_probe.py", tmp_path, "us", "de", "fr", "es", "ru")
    assert set.intersection(*map(agreeing, told.values())) == KEYS
