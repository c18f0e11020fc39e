"""Parts of what is uncovered: counted anew at every step by another library."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import ndimage

from stimuli.studies.progressive_reveal.curves import Fragments, fragments
from stimuli.studies.progressive_reveal.reveal import TINTED, uncovered

STEPS = arrays(
    np.uint8,
    st.tuples(st.integers(1, 12), st.integers(1, 12)),
    elements=st.sampled_from([0, 0, 1, 2, 3, TINTED + 2]),
)


def counted_anew(step_of, step):
    """Label the parts of what is uncovered at one step, by itself."""
    labels, count = ndimage.label(uncovered(step_of, step), structure=np.ones((3, 3)))
    sizes = np.bincount(labels.ravel())[1:]
    return Fragments(count, int((sizes <= 4).sum()), int(sizes.max(initial=0)))


@settings(max_examples=80, deadline=None)
@given(STEPS)
def test_parts_are_those_that_another_library_labels_at_each_step(step_of):
    assert fragments(step_of, 4) == [counted_anew(step_of, step) for step in range(1, 5)]


def test_pixels_touch_by_a_corner_but_not_over_the_images_edge():
    step_of = np.zeros((4, 4), dtype=np.uint8)
    step_of[0, 0] = step_of[1, 1] = step_of[3, 3] = step_of[0, 3] = 1
    assert fragments(step_of, 1) == [Fragments(3, 3, 2)]
    assert fragments(np.zeros_like(step_of), 2) == [Fragments(0, 0, 0)] * 2
