"""Robots that are screened."""

import numpy as np
import pytest

from participants.screening.robots import ROBOTS, gap_evidence, in_the_ring
from participants.screening.trivector import Trivector
from participants.screening.verdict import decide
from stimuli.images.digits import load_digits
from stimuli.io.canonical import seed_of
from stimuli.plates.observer import (
    Observer,
    ShownPlate,
    log_ratio,
)
from stimuli.plates.templates import DigitTemplates
from stimuli.protocol import load_protocol
from stimuli.screening import d15
from stimuli.screening.gap_plates import SCREENING_SPEC, gap_dots, neutral_gap_plate
from stimuli.studies.accept_reject.tasks import fresh_plates
from tests.participants.screening.rules import RULES


def _rng(*key: str | int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed_of("test", *key)))


@pytest.mark.parametrize(
    ("name", "role", "reason"),
    [
        ("protan_dichromat", "neither", "beyond_cap"),
        ("tritan", "neither", "tritan_raised"),
        ("inattentive", "neither", "catches_missed"),
    ],
)
def test_robots_are_found_to_be_what_they_are(name: str, role: str, reason: str) -> None:
    robot, rng, state = ROBOTS[name], _rng(name), Trivector.start(RULES, 5)
    while (trial := state.trial) is not None:
        state = state.answer(robot.gap(trial, rng))
    verdict = decide(RULES, state.result(), d15.score(robot.caps(rng)))
    assert verdict.role == role
    assert reason in verdict.reasons


def test_evidence_for_a_gap_is_that_of_its_dots_walked_through() -> None:
    """The definition: the true gap's dots are ground, those of the other three figure."""
    plate, observer = neutral_gap_plate("left", 8), Observer(efficiency=1.0, latency_s=0.0)
    dots = in_the_ring(plate)
    found = gap_evidence(observer, dots, "deutan", 80e-4, _rng("evidence"))
    times = np.array([observer.reference_s])
    rng = _rng("evidence")
    shown = ShownPlate(dots.plate, "deutan", 80e-4, SCREENING_SPEC)
    ratio = log_ratio(observer, shown, times, rng)[:, 0]
    ring = gap_dots(plate.packing).any(axis=1)
    for column, gap in enumerate(gap_dots(plate.packing)[ring].T):
        by_hand = -sum(float(value) for value, inside in zip(ratio, gap, strict=True) if inside)
        assert found[0, column] == pytest.approx(by_hand, rel=1e-5)


@pytest.mark.slow
def test_a_normal_eye_has_the_threshold_that_anchors_its_noise() -> None:
    """At the threshold 75 % of answers are right: a d′ of 1.68 among four."""
    plates = [neutral_gap_plate("right", seed) for seed in range(60)]
    dots, right, rng = in_the_ring(*plates), [], _rng("anchor")
    for _ in range(20):
        evidence = gap_evidence(Observer(), dots, "deutan", 45e-4, rng)
        right.append((evidence.argmax(axis=1) == 0).mean())
    assert np.mean(right) == pytest.approx(0.75, abs=0.06)


def test_caps_are_ordered_as_each_kind_of_eye_confuses_them() -> None:
    def median(name: str, value: str) -> float:
        robot, rng = ROBOTS[name], _rng("caps", name)
        return float(np.median([getattr(d15.score(robot.caps(rng)), value) for _ in range(30)]))

    assert median("normal", "confusion_index") == pytest.approx(1, abs=0.05)
    assert median("deutan_slight", "confusion_index") < RULES.d15_confusion_index
    assert median("dichromat", "confusion_index") > 3
    assert -20 < median("dichromat", "angle_deg") < -4
    assert 0 < median("protan_dichromat", "angle_deg") < 17
    assert median("tritan", "angle_deg") < -70


@pytest.mark.slow
def test_a_slight_deficit_reads_some_digits_at_once_and_most_in_the_end() -> None:
    protocol = load_protocol("accept_reject", changes={"plates": {"source": "uci"}})
    digits = load_digits("uci")
    fresh = fresh_plates(protocol, "CODE", 1, digits)
    train = digits.train_indices
    templates = DigitTemplates.from_images(
        digits.images[train], digits.labels[train], 20, spec=fresh.spec
    )
    robot, rng, read = ROBOTS["deutan_slight"], _rng("digits"), {3.0: 0, 30.0: 0}
    contrast = fresh.ladders["deutan"][4]
    for number in range(40):
        plate, digit = fresh.draw(number)
        shown = ShownPlate(plate, "deutan", contrast, fresh.spec)
        for exposure_s in read:
            named = robot.digit(shown, exposure_s, templates, rng)
            read[exposure_s] += named == digit
    assert 0.2 < read[3.0] / 40 < 0.7
    assert read[30.0] / 40 > 0.75
