"""Vocabularies of outlines that are compared in docs/accept_reject_truth.md."""

import numpy as np
import pytest
from scipy import ndimage
from scipy.spatial.distance import cdist

from bench.parts.outline_blinding import covering, redrawn, repainted, told, unaided, worth
from bench.parts.outlines import MOAT_PX, VOCABULARIES, beads, greedy_discs, honeycomb
from stimuli.images.digits import load_digits
from stimuli.maps.relevance import REGION_PX, pixels_of_area, plate_disc, region_from_map
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.accept_reject.compose import compose_solutions
from stimuli.studies.accept_reject.sketch import SketchRates, sketch_tasks
from stimuli.studies.accept_reject.tables import ITEMS, KEY
from tests.stimuli.studies.accept_reject.built import Built
from tests.stimuli.studies.accept_reject.conftest import small_protocol

AREA = 0.15


def _blobs(seed, size=32):
    return ndimage.gaussian_filter(np.random.default_rng(seed).standard_normal((size, size)), 2)


def _ring(size=112):
    at = np.arange(size) - (size - 1) / 2
    away = np.hypot(at[:, None], at) / (size / 2)
    return ((away > 0.5) & (away < 0.65)).astype(float)


MAPS = {"relevance": _blobs(1), "painting": _ring()}


@pytest.mark.parametrize("values", MAPS.values(), ids=MAPS)
@pytest.mark.parametrize("name", VOCABULARIES)
def test_the_area_is_exact_within_the_disc_and_the_same_again(name, values):
    vocabulary = VOCABULARIES[name]
    region = vocabulary(values, AREA, "key")
    share = 0.6 if "room" in name else 1.0
    assert region.sum() == pixels_of_area(AREA * share)
    assert not (region & ~plate_disc()).any()
    assert np.array_equal(region, vocabulary(values, AREA, "key"))


@pytest.mark.parametrize("values", MAPS.values(), ids=MAPS)
def test_beads_with_room_are_so_many_parts_of_one_size(values):
    parts, count = ndimage.label(beads(values, AREA, "", 12, 0.6))
    assert count == 12
    sizes = np.bincount(parts.ravel())[1:]
    assert np.ptp(sizes) <= 0.35 * sizes.mean()


def test_beads_lie_where_the_free_outline_is():
    region = region_from_map(MAPS["painting"], AREA)
    drawn = beads(MAPS["painting"], AREA, "", 12, 0.6)
    assert (drawn & region).sum() >= 0.75 * drawn.sum()


def test_the_first_disc_lies_where_it_covers_most():
    """A single bump: the disc's centre is the bump's, by hand."""
    at = np.arange(REGION_PX)
    bump = np.exp(-((at[:, None] - 40.0) ** 2 + (at - 70.0) ** 2) / 2 / 9**2)
    first, second = greedy_discs(bump, 0.02, "", 2, 3.0), np.argwhere(bump > 0.99)
    parts, _ = ndimage.label(first)
    middles = ndimage.center_of_mass(first, parts, [1, 2])
    assert cdist(middles, second).min() <= MOAT_PX


def test_hexagons_are_whole_cells_but_for_the_rim():
    """Where relevance is even, neighbours on one grid: a point far from any edge has company."""
    region = honeycomb(MAPS["relevance"], AREA, "", 12.0)
    opened = ndimage.binary_opening(region, iterations=3)
    assert opened.sum() >= 0.85 * region.sum()


@pytest.fixture(scope="module")
def built():
    """A pack of a sketch, with what it was made from; rung 1 is the leads'."""
    protocol = small_protocol(explanation={"outline": "free"})
    tasks, painted = sketch_tasks(protocol, [("deutan", 1)], SketchRates(), load_digits("uci"))
    files = compose_solutions(tasks, [painted])
    pack = pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)
    return Built(pack, tasks, (painted,))


def _regions(pack):
    return {
        row["presentation"]: pack.asset(row["region_file"])
        for row in pack.table(ITEMS)
        if row["region_file"] is not None
    }


def test_a_pack_redrawn_in_its_own_vocabulary_stays_as_it_is(built):
    own = redrawn(built, VOCABULARIES["free outline, as shown"])
    assert _regions(own) == _regions(built.pack)


@pytest.mark.slow
def test_a_pack_redrawn_in_its_own_vocabulary_tells_as_much_of_its_solvers(built):
    assert told(redrawn(built, VOCABULARIES["free outline, as shown"])) == told(built.pack)


def test_a_pack_redrawn_changes_the_solvers_regions_alone(built):
    discs = redrawn(built, VOCABULARIES["12 discs apart"])
    key = {row["presentation"]: row for row in built.pack.table(KEY)}
    before, after = _regions(built.pack), _regions(discs)
    changed = {name for name in before if before[name] != after[name]}
    assert changed
    assert {key[name]["solver"] for name in changed} == {"S", "E"}


@pytest.mark.slow
def test_an_exact_hand_covers_more_of_the_figure_than_an_unsteady_one(built):
    exact, unsteady = (covering(repainted(built, error)) for error in (0.0, 4.0))
    assert exact["covered_E"] > unsteady["covered_E"] + 0.05


@pytest.mark.slow
def test_a_region_at_its_place_is_worth_something_to_a_lead(built):
    bare = unaided(built.pack, 2)
    gained = worth(built.pack, bare, 2)
    assert set(bare.values()) <= {0.0, 0.5, 1.0}
    assert gained["profit_E"] > 0
