from types import SimpleNamespace

import numpy as np
import pytest

from experiments.engine.pacing import Refresh, choose_pacing
from experiments.rig.checks import frames
from experiments.rig.checks.frames import graded, jitter, judged_refresh, priority

PERIOD_S = 1 / 60


def intervals(sd_s, late=0, dropped=0, flips=600):
    """Intervals with an SD of their own, some .6 ms late, some two refreshes long."""
    rng = np.random.Generator(np.random.PCG64(1))
    # Early rather than late, so that only those meant to be late are.
    made = PERIOD_S - np.abs(rng.standard_normal(flips)) * sd_s / 0.603
    made[:late] = PERIOD_S + 0.0006
    made[late : late + dropped] = 2 * PERIOD_S
    return made


@pytest.mark.parametrize(
    ("given", "status", "grade"),
    [
        (intervals(0.00003), "pass", "excellent"),
        (intervals(0.0002), "pass", "acceptable"),
        (intervals(0.00005, late=12), "pass", "acceptable"),
        (intervals(0.0007), "warn", "poor"),
        (intervals(0.00005, late=42), "warn", "poor"),
        (intervals(0.00005, late=72), "fail", "unfit"),
        (intervals(0.002), "fail", "unfit"),
        (intervals(0.00001, dropped=1), "warn", "poor"),
        (intervals(0.00001, dropped=6), "fail", "unfit"),
    ],
)
def test_intervals_are_graded_by_their_sd_and_by_late_and_dropped_frames(given, status, grade):
    finding = graded(given, PERIOD_S)
    assert finding.status == status, finding.found
    assert finding.found.startswith(grade)
    assert f"{np.sum(given > 1.5 * PERIOD_S)} of 600 dropped" in finding.found


def test_jitter_is_measured_over_the_intervals_asked_for():
    stamps = iter(np.arange(1000) * PERIOD_S)
    stage = SimpleNamespace(frame=lambda picture: next(stamps), period_s=PERIOD_S)
    assert "0 of 120 dropped" in jitter(stage, 120).found
    assert round(next(stamps) / PERIOD_S) == 121


@pytest.mark.parametrize(
    ("hz", "pacing", "nominal_hz", "status"),
    [
        (59.95, "vsync", 60.0, "pass"),
        (143.9, "vsync", 144.0, "pass"),
        (60.0, "vsync", None, "pass"),
        (62.0, "vsync", 60.0, "warn"),
        (60.0, "software", None, "warn"),
        (30.0, "software", 30.0, "fail"),
        (400.0, "vsync", 400.0, "fail"),
        (48.0, "vsync", 48.0, "fail"),
        (59.0, "vsync", 60.0, "pass"),
        (58.7, "vsync", 60.0, "warn"),
    ],
)
def test_the_rate_is_measured_against_the_video_modes(hz, pacing, nominal_hz, status):
    finding = judged_refresh(Refresh(hz, 0.0001, 0.0), pacing, hz, nominal_hz)
    assert finding.status == status
    assert f"{hz:.2f} Hz" in finding.found
    if nominal_hz is not None:
        assert f"{(hz / nominal_hz - 1) * 100:+.1f}% against the video mode's" in finding.found


@pytest.mark.parametrize(
    ("hz", "sd_s", "nominal_hz", "status"),
    [
        (30.0, 0.0001, 60.0, "fail"),
        (30.0, 0.0001, None, "fail"),
        (45.0, 0.02, 60.0, "fail"),
        (75.0, 0.0001, 60.0, "warn"),
        (2400.0, 0.0001, 60.0, "warn"),
        (2400.0, 0.0001, None, "warn"),
        (400.0, 0.0001, 400.0, "fail"),
    ],
)
def test_a_rate_that_the_clock_must_pace_is_judged_by_what_was_measured(
    hz, sd_s, nominal_hz, status
):
    """A screen of 30 Hz is none of 60, though the clock could pace 60."""
    measured = Refresh(hz, sd_s, 0.0)
    pacing = choose_pacing(measured, nominal_hz)
    assert pacing.name == "software"
    finding = judged_refresh(measured, pacing.name, 1 / pacing.period_s, nominal_hz)
    assert finding.status == status
    assert f"{hz:.2f} Hz measured" in finding.found


@pytest.mark.parametrize(
    ("reached", "system", "status"),
    [
        ("realtime", "linux", "pass"),
        ("high", "linux", "warn"),
        ("normal", "linux", "warn"),
        ("high", "win32", "pass"),
        ("normal", "win32", "warn"),
    ],
)
def test_a_priority_that_could_not_be_raised_is_told(monkeypatch, reached, system, status):
    monkeypatch.setattr(frames.sys, "platform", system)
    finding = priority(SimpleNamespace(priority=reached))
    assert finding.status == status
    assert ("rtprio" in finding.remedy) == (status == "warn" and system == "linux")
