"""Who sees grain doesn't see which images were attacked."""

import numpy as np
import pytest

from stimuli.protocol import load_protocol
from tests.xai_backend.studies.human_ai_team.digit_packs import TINY
from xai_backend.studies.human_ai_team.chosen import Disguise
from xai_backend.studies.human_ai_team.images import Jpeg
from xai_backend.studies.human_ai_team.protocol import resolved
from xai_backend.studies.human_ai_team.request import TeamRequest

SIDE, COUNT, EPSILON = 48, 60, 12
JPEG = Jpeg(95, "4:4:4")


def smooth(rng):
    """An image whose ground is even, as a digit's."""
    codes = np.full((SIDE, SIDE, 3), rng.integers(40, 200, 3), dtype=np.uint8)
    top, left = rng.integers(8, 24, 2)
    codes[top : top + 16, left : left + 6] = 240
    return codes


def attack(rng):
    """What an attack changes: signs of some size, in patches, as gradients have them."""
    signs = np.sign(rng.normal(size=(SIDE // 2, SIDE // 2, 3)))
    patches = signs.repeat(2, axis=0).repeat(2, axis=1)
    return (patches * rng.integers(3, EPSILON + 1)).astype(np.int16)


def grain(codes):
    """How grainy an image is: the median step between neighbours."""
    return float(np.median(np.abs(np.diff(codes.astype(float).mean(axis=2), axis=0))))


def told_apart(attacked, others):
    """The share of pairs in which the attacked image is the grainier one (ties count half)."""
    a, b = np.array(attacked)[:, None], np.array(others)
    return float(((a > b) + 0.5 * (a == b)).mean())


@pytest.fixture(scope="module")
def shown():
    rng = np.random.default_rng(4)
    plain = [smooth(rng) for _ in range(2 * COUNT)]
    disguise = Disguise([attack(rng) for _ in range(COUNT)], 1, JPEG)
    attacked = [
        Disguise([attack(rng)], 2, JPEG).of(str(nth), codes)
        for nth, codes in enumerate(plain[:COUNT])
    ]
    return plain[COUNT:], attacked, disguise


def test_grain_tells_attacked_images_only_without_the_disguise(shown):
    plain, attacked, disguise = shown
    grains = [grain(codes) for codes in attacked]
    assert told_apart(grains, [grain(codes) for codes in plain]) > 0.95
    lent = [grain(disguise.of(str(nth), codes)) for nth, codes in enumerate(plain)]
    # 60 images against 60: a share of .5 has a standard error of .053.
    assert told_apart(grains, lent) == pytest.approx(0.5, abs=0.2)


def test_the_same_image_has_the_same_grain_and_another_image_another(shown):
    plain, _, disguise = shown
    once = disguise.of("a", plain[0])
    assert np.array_equal(once, disguise.of("a", plain[0]))
    assert not np.array_equal(once, disguise.of("b", plain[0]))


def test_no_grain_is_larger_than_an_attack(shown):
    plain, _, disguise = shown
    changed = disguise.of("a", plain[0]).astype(int) - plain[0]
    assert np.abs(changed).mean() <= EPSILON


def test_digits_are_disguised_unless_their_protocol_says_otherwise(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text(TINY)
    assert resolved(TeamRequest(protocol_file=file)).attack.disguise == "borrowed"
    assert load_protocol("human_ai_team").attack.disguise == "none"
