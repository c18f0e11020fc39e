"""Regions as discs: area, form, room between them, and a search of all places that agrees."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

from stimuli.maps.relevance import (
    DISCS,
    discs_from_map,
    pixels_of_area,
    plate_disc,
    relevance_of,
    tie_breaker,
)

seeds = st.integers(0, 2**31)


def _map(seed, size=32):
    return np.random.default_rng(seed).standard_normal((size, size))


def _slow(values, area, region_px, smoothing, tie_key):
    """From the definition: try every place for every disc, sum relevance pixel by pixel."""
    relevance = relevance_of(values, region_px, smoothing)
    ties = tie_breaker(tie_key, region_px, smoothing)
    radius = np.sqrt(pixels_of_area(area, region_px) / DISCS / np.pi)
    apart = 2 * radius + region_px / 64 + 1
    middle = (region_px - 1) / 2
    centres = []
    while len(centres) < DISCS:
        best = None
        for row in range(region_px):
            for column in range(region_px):
                if np.hypot(row - middle, column - middle) > region_px / 2 - radius:
                    continue
                if any(np.hypot(row - r, column - c) < apart for r, c in centres):
                    continue
                covered = sum(
                    relevance[y, x]
                    for y in range(region_px)
                    for x in range(region_px)
                    if (y - row) ** 2 + (x - column) ** 2 <= radius**2
                )
                if best is None or (covered, ties[row, column]) > best[:2]:
                    best = (covered, ties[row, column], (row, column))
        if best is None:
            break
        centres.append(best[2])
    order = []
    for y, x in np.argwhere(plate_disc(region_px)):
        away = [np.sqrt((y - r) ** 2 + (x - c) ** 2) for r, c in centres]
        nearest, second = sorted(away)[:2]
        row, column = centres[away.index(nearest)]
        is_moat = second - nearest < region_px / 64
        order.append((is_moat, nearest, y - row, x - column, y, x))
    region = np.zeros((region_px, region_px), dtype=bool)
    for *_, y, x in sorted(order)[: pixels_of_area(area, region_px)]:
        region[y, x] = True
    return region


@settings(deadline=None, max_examples=3)
@given(seeds, st.sampled_from([0.1, 0.25, 0.6]))
def test_it_is_what_a_search_of_all_places_finds(seed, area):
    values = _map(seed, 9)
    slow = _slow(values, area, 24, 1.0, "a")
    assert np.array_equal(discs_from_map(values, area, 24, 1.0, "a"), slow)


@settings(deadline=None, max_examples=12)
@given(seeds, st.floats(0, 1))
def test_the_area_is_exact_and_in_the_plate(seed, area):
    region = discs_from_map(_map(seed), area, tie_key="a")
    assert region.sum() == pixels_of_area(area)
    assert not (region & ~plate_disc()).any()


@settings(deadline=None, max_examples=12)
@given(seeds, st.floats(0.03, 0.3))
def test_they_are_twelve_equal_round_and_apart(seed, area):
    region = discs_from_map(_map(seed), area, tie_key="a")
    labels, count = ndimage.label(region, structure=np.ones((3, 3)))
    assert count == DISCS
    sizes = ndimage.sum_labels(region, labels, range(1, count + 1))
    radius = np.sqrt(region.sum() / count / np.pi)
    assert np.ptp(sizes) <= 1
    for one in range(1, count + 1):
        rows, columns = np.nonzero(labels == one)
        assert max(np.ptp(rows), np.ptp(columns)) + 1 <= 2 * radius + 3


def test_a_blank_map_gives_places_that_its_key_alone_decides():
    one, again, other = (discs_from_map(np.zeros((9, 9)), 0.15, tie_key=k) for k in "aab")
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_where_there_is_no_room_for_twelve_those_there_are_grow():
    region = discs_from_map(_map(1), 0.9, tie_key="a")
    assert region.sum() == pixels_of_area(0.9)
    assert discs_from_map(_map(1), 1.0).all() == plate_disc().all()
    assert not discs_from_map(_map(1), 0.0).any()
