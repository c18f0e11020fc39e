"""Bubbles: whole counts that follow from the acts alone."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from participants.strokes import MASK_PX, UNITS, Act, Canvas
from participants.studies.progressive_reveal.bubbles import (
    BUBBLE_BRUSH,
    BUBBLE_MS,
    Bubbler,
    bubble_counts,
    bubbles,
)


def stroke(*points, t_ms=None):
    return Act("brush", points[0][0] if t_ms is None else t_ms, 36, tuple(points))


@st.composite
def paths(draw):
    steps = draw(
        st.lists(
            st.tuples(st.integers(1, 90), st.integers(-40, 1064), st.integers(-40, 1064)),
            min_size=1,
            max_size=12,
        )
    )
    at_ms, points = draw(st.integers(0, 500)), []
    for wait_ms, x, y in steps:
        points.append((at_ms, x, y))
        at_ms += wait_ms
    return tuple(points)


def by_definition(path):
    """Look every millisecond where the pointer is; a bubble each 50 ms, where it has moved."""
    at = {}
    for (t0, x0, y0), (t1, x1, y1) in pairwise(path):
        for t_ms in range(t0, t1 + 1):
            at[t_ms] = (
                int(np.floor(x0 + (x1 - x0) * (t_ms - t0) / (t1 - t0) + 1e-9)),
                int(np.floor(y0 + (y1 - y0) * (t_ms - t0) / (t1 - t0) + 1e-9)),
            )
    begins_ms = path[0][0]
    at[begins_ms] = path[0][1:]
    places = [path[0][1:]]
    for t_ms in range(begins_ms + BUBBLE_MS, path[-1][0] + 1, BUBBLE_MS):
        if at[t_ms] != places[-1]:
            places.append(at[t_ms])
    return places


@given(paths())
@settings(max_examples=80, deadline=None)
def test_bubbles_come_at_a_steady_rate_under_the_moving_pointer(path):
    assert list(bubbles(path)) == by_definition(path)


@given(paths())
@settings(max_examples=40, deadline=None)
def test_each_bubble_counts_once_on_the_pixels_whose_centres_it_covers(path):
    wanted = np.zeros((MASK_PX, MASK_PX))
    centres = np.arange(MASK_PX) * UNITS + UNITS // 2
    for x, y in by_definition(path):
        across, down = ((centres >= m - 36) & (centres < m + 36) for m in (x, y))
        wanted += down[:, None] & across[None, :]
    counts = bubble_counts([stroke(*path)])
    assert counts.dtype == np.float32
    np.testing.assert_array_equal(counts, wanted)


def test_it_does_not_matter_when_samples_come_in():
    """Sample by sample while a stroke is made, as a window has it, and all at once."""
    rng = np.random.default_rng(1)
    times_ms = np.cumsum(rng.integers(1, 30, 80))
    path = [
        (int(t), int(x), int(y))
        for t, x, y in zip(times_ms, *rng.integers(0, 1024, (2, 80)), strict=True)
    ]
    live, seen = Bubbler(), []
    for point in path:
        seen += live.moved(point)
    assert seen == list(bubbles(path))


def test_undo_takes_a_stroke_back_and_clear_all_of_them():
    one, two = stroke((0, 200, 200), (400, 600, 200)), stroke((900, 300, 700))
    both = bubble_counts([one, two])
    np.testing.assert_array_equal(both, bubble_counts([one]) + bubble_counts([two]))
    undo, clear = Act("undo", 1000), Act("clear", 1100)
    np.testing.assert_array_equal(bubble_counts([one, two, undo]), bubble_counts([one]))
    assert not bubble_counts([one, two, clear]).any()
    np.testing.assert_array_equal(bubble_counts([one, two, clear, undo]), both)


def test_there_is_no_eraser():
    with pytest.raises(ValueError, match="eraser is no act of bubbling"):
        bubble_counts([Act("eraser", 0, 36, ((0, 1, 1),))])


@given(st.lists(st.one_of(paths(), st.sampled_from(["undo", "clear"])), max_size=8))
@settings(max_examples=25, deadline=None)
def test_a_canvas_always_holds_what_its_acts_leave(steps):
    canvas, at_ms = Canvas(BUBBLE_BRUSH), 0
    for step in steps:
        before = canvas.values.copy()
        if isinstance(step, str):
            boxes = [getattr(canvas, step)(at_ms)]
        else:
            (t_ms, x, y), *rest = [(at_ms + t, x, y) for t, x, y in step]
            boxes = [canvas.begin("brush", t_ms, x, y), *(canvas.move(*point) for point in rest)]
            at_ms = t_ms + 2000
        canvas.end()
        np.testing.assert_array_equal(canvas.values, bubble_counts(canvas.acts))
        changed = np.zeros(canvas.values.shape, dtype=bool)
        for box in filter(None, boxes):
            changed[box] = True
        assert not (canvas.values != before)[~changed].any()
        for box in filter(None, boxes if isinstance(step, str) else ()):
            part = (canvas.values != before)[box]
            assert part[[0, -1]].any(axis=1).all()
            assert part[:, [0, -1]].any(axis=0).all()
