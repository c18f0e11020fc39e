"""The frame loop of a real window: what it must not do while something is timed, and its rates."""

import sys

import numpy as np
import pytest

from tests.experiments.windows.probing import told_by

NOISE_BLOCKS = 40
"""Blocks of memory that come and go; one a frame would be some hundreds."""
STAMPED_S = 0.001
"""How far the punctual quarter of the flips may lie from the frames they were counted on."""

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    return told_by("frames_probe.py", tmp_path_factory.mktemp("home"))


def test_memory_is_flat_from_frame_to_frame(seen):
    memory = seen["memory"]
    assert memory["frames"] > 100
    assert abs(memory["growth"]) <= NOISE_BLOCKS
    assert memory["spread"] <= NOISE_BLOCKS


def test_no_garbage_is_collected_while_a_trial_runs_and_again_after_it(seen):
    memory = seen["memory"]
    assert not memory["collected_in_trial"]
    assert memory["collections"] == 1, "the one before the trial"
    assert memory["collecting_after"]


def test_no_texture_is_made_or_filled_while_a_trial_runs(seen):
    """The same count sees every texture of the pictures that were prepared before it."""
    assert seen["textures"]["prepared"] >= 4
    assert seen["textures"]["shown"] == 0
    assert seen["textures"]["steps"] == 3


def test_how_far_the_priority_was_raised_is_said(seen):
    assert seen["priority"] in ("realtime", "high", "normal")
    assert seen["pacing"] == "software"


@pytest.mark.parametrize("number", range(5))
def test_at_every_rate_frames_are_counted_on_one_grid_without_drift(seen, number):
    """Whatever the machine does meanwhile: a step is late by whole frames, or not at all.

    Frames are counted by the pacing. The flips' times are compared with the count by a punctual
    quarter of them, since a stamp comes late where the process stands still just then.
    """
    rate = seen["rates"][number]
    period_s = 1 / rate["hz"]
    assert rate["planned"] == round(rate["hz"])
    assert rate["shown"] == rate["planned"] or rate["dropped"] > 0
    due = round(0.1 / period_s) * np.arange(10)
    frames = np.array(rate["step_frames"])
    assert (frames >= due).all()
    assert (frames == due).all() or rate["dropped"] > 0
    flips_s = np.array([*rate["steps_s"], rate["on_s"]])
    errors_s = flips_s - np.array([*frames, rate["shown"]]) * period_s
    punctual_s = np.quantile(errors_s, 0.25)
    assert np.quantile(np.abs(errors_s - punctual_s), 0.25) < STAMPED_S
    assert abs(np.quantile(errors_s[6:], 0.25) - np.quantile(errors_s[:5], 0.25)) < STAMPED_S


def test_a_picture_that_is_freed_leaves_nothing_on_the_card(seen):
    """PsychoPy's images leave a list of drawing commands and a buffer each; ours have none."""
    made = {kind: count for kind, (count, _) in seen["kept"].items()}
    assert made == {"Textures": 3, "Framebuffers": 3, "Buffers": 0, "Lists": 0}
    assert not any(still_there for _, still_there in seen["kept"].values())
