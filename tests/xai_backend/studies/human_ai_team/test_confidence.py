"""Temperatures and quantiles: by their definitions, and bins that fill with any network."""

import json

import numpy as np
import pytest

from stimuli.errors import UserError
from stimuli.pack import open_pack
from stimuli.studies.human_ai_team.material import bin_of
from stimuli.studies.human_ai_team.tables import AI, AVAILABLE, NATURAL_BINS
from tests.stimuli.studies.human_ai_team.small import protocol_of
from tests.xai_backend.ilsvrc import layouts
from tests.xai_backend.studies.human_ai_team.test_ilsvrc import SMALL, built
from xai_backend.progress import Silent
from xai_backend.studies.human_ai_team.confidence import (
    Calibration,
    balanced_quantiles,
    loss,
    with_limits,
)
from xai_backend.studies.human_ai_team.draw import Judged


def drawn(temperature, count=4000):
    """Logits whose classes are drawn with the probabilities at a temperature."""
    rng = np.random.default_rng(2)
    logits = rng.normal(0, 3, (count, 5))
    shares = np.exp(logits / temperature)
    shares /= shares.sum(axis=1, keepdims=True)
    outputs = np.array([rng.choice(5, p=own) for own in shares])
    return logits, outputs


@pytest.mark.parametrize("temperature", [0.4, 3.0])
def test_the_temperature_has_the_least_loss_and_is_the_true_one(temperature):
    """The reference goes through a grid, and takes each probability by its definition."""
    logits, outputs = drawn(temperature)
    found = Calibration.of(logits, outputs)
    assert found.temperature == pytest.approx(temperature, rel=0.06)

    def slow(at):
        shares = [np.exp(own / at)[k] / np.exp(own / at).sum()
                  for own, k in zip(logits[:200], outputs[:200], strict=True)]  # fmt: skip
        return -np.mean(np.log(shares))

    for at in (0.5, 1.0, 2.5):
        assert loss(logits[:200] / at, outputs[:200]) == pytest.approx(slow(at))
    grid = np.geomspace(0.2, 6, 300)
    best = grid[np.argmin([loss(logits / at, outputs) for at in grid])]
    assert found.temperature == pytest.approx(best, rel=0.02)
    assert found.error[1] < 0.03
    assert found.loss[1] <= found.loss[0]


def test_quantiles_weigh_right_and_wrong_images_alike():
    """The reference repeats each image until both kinds are as many."""
    rng = np.random.default_rng(4)
    confidences = np.round(rng.random(60), 3)
    judged = [
        Judged(f"i{n}", "a", "a" if n < 45 else "b", float(value))
        for n, value in enumerate(confidences)
    ]
    shares = (0.3, 0.4, 0.6, 0.8)
    many = sorted([*confidences[:45], *np.repeat(confidences[45:], 3)])
    wanted = [many[int(np.ceil(share * len(many) - 1e-9)) - 1] for share in shares]
    assert balanced_quantiles(judged, shares) == wanted


@pytest.mark.parametrize(
    ("confidences", "right", "said"),
    [
        ([1.0] * 8, 4, "too much alike"),
        ([0.1, 0.2, 0.3, 0.4], 4, "right on all 4 images"),
        ([0.1, 0.2, 0.3, 0.4], 0, "wrong on all 4 images"),
    ],
)
def test_limits_that_cannot_be_are_refused(confidences, right, said):
    judged = [
        Judged(f"i{n}", "a", "a" if n < right else "b", value)
        for n, value in enumerate(confidences)
    ]
    with pytest.raises(UserError, match=said):
        with_limits(protocol_of(bins={"limits": "quantiles"}), judged, Silent())


def test_a_temperature_needs_images_that_tell_it():
    logits, outputs = drawn(1.0, 19)
    with pytest.raises(UserError, match="19 images are held out for the temperature, 20 at least"):
        Calibration.of(logits, outputs)
    logits = 5 * np.eye(5)[np.arange(40) % 5]
    with pytest.raises(UserError, match=r"no temperature from .* right on 100% of them"):
        Calibration.of(logits, np.arange(40) % 5)


@pytest.mark.parametrize("network", ["confident", pytest.param("unsure", marks=pytest.mark.slow)])
def test_any_network_fills_all_bins_by_the_options(network, tmp_path, monkeypatch):
    """With the published limits both leave bins empty."""
    source = layouts.kaggle(tmp_path / "set", layouts.photos(each=30))
    options = ["--source", source, "--out", tmp_path / "pack"]
    status, said = built(monkeypatch, tmp_path, *options, network=network)
    assert (status, "images by bin, 1 wanted in each" in said) == (2, True)
    monkeypatch.setattr(
        "tests.xai_backend.studies.human_ai_team.test_ilsvrc.SMALL",
        SMALL.replace("[bins]", '[bins]\nlimits = "quantiles"').replace(
            'layer = ""', 'layer = ""\ncalibration = "temperature"'
        ),
    )
    status, said = built(monkeypatch, tmp_path, *options, network=network)
    assert status == 0, said
    pack = open_pack(tmp_path / "pack")
    protocol, made = pack.protocol, json.loads(pack.asset("made.json"))
    assert made["calibration"]["temperature"] == protocol.system.temperature
    assert (protocol.system.temperature > 1) is (network == "confident")
    before, after = made["calibration"]["loss"]
    assert after < before
    assert f"calibration: temperature {protocol.system.temperature:g} on" in said
    fields = [one.field for one in protocol.deviations]
    assert {"system.temperature", "bins.limits"} <= set(fields)
    found = {row["bin"]: row for row in pack.table(AVAILABLE)}
    counts = dict.fromkeys(NATURAL_BINS, 0)
    for row in pack.table(AI):
        name = bin_of(row["confidence"], row["correct"], False, protocol.bins)
        if name is not None:
            counts[name] += 1
    assert {name: found[name]["found"] for name in NATURAL_BINS} == counts
    assert min(counts.values()) >= 1
    # The same command finds its own pack.
    assert built(monkeypatch, tmp_path, *options, network=network)[0] == 0
