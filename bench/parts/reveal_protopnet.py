"""ProtoPNet beside the plain network that it is built over, on digits."""

import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import binomtest

from bench.book import Effort, Measured, Part
from bench.parts.prototype_sheet import framed, prototype_sheet, rows_of_pictures
from bench.parts.reveal_cover import Masks, by_chance, in_one_place, on_strokes, strokes
from bench.parts.reveal_protopnet_told import MAPS, READ_AS, told, within_two_points
from bench.parts.words import SOURCE_NAMES
from stimuli.images.digits import (
    Digits,
    digit_figure,
    digit_name,
    digit_picture,
    load_digits,
    place_by,
)
from stimuli.io.canonical import keyed_order
from xai_backend.explain.overlay import overlay
from xai_backend.methods.lrp import Lrp
from xai_backend.methods.protopnet import ProtoPNetMap
from xai_backend.models.image_model import ImageModel, logits_of
from xai_backend.models.labelled import Labelled
from xai_backend.models.picture_cnn import (
    DIGITS_VARY,
    INPUT_PX,
    LEARNT_FROM,
    PictureTraining,
    trained_pictures,
)
from xai_backend.networks import load_network
from xai_backend.protopnet import ProtoPNet, Trained, read_protopnet, small, trained_protopnet

Found = dict[str, Any]

SEEDS: Mapping[str, tuple[int, ...]] = MappingProxyType({"uci": (1, 2, 3), "mnist": (1,)})
"""Each source's digits are the same with every seed; networks and their training differ."""
DRAWN_BY = 1
ASKED = 5000
QUICK = 200
QUICK_MAPS = 50
ALIKE = 6


@dataclass(frozen=True, slots=True)
class Drawn:
    """Digits as the pictures of a pack, each in a place of its own.

    Attributes
    ----------
    pictures
        At the networks' input size.
    figures
        Which of their pixels are the digit, bool (n, `INPUT_PX`, `INPUT_PX`).
    """

    pictures: Labelled
    figures: Masks


@dataclass(frozen=True, slots=True)
class Pair:
    """A plain network and a ProtoPNet over it, how long each took, and their digits."""

    plain: ImageModel
    protopnet: Trained
    seconds: tuple[float, float]
    learnt: Drawn
    held_out: Drawn


def measure(effort: Effort) -> Measured:
    """Train both on each set of digits and ask them held-out ones."""
    found: list[Found] = []
    for source, seeds in SEEDS.items():
        learnt, held_out = _digits(source, effort)
        for seed in seeds[:1] if effort.quick else seeds:
            effort.say(f"{SOURCE_NAMES[source]}, seed {seed}")
            pair = _trained(learnt, held_out, seed, effort)
            found.append({"source": source, "seed": seed} | _figures(pair, effort))
            if seed == seeds[0]:
                prototype_sheet(pair.protopnet).save(effort.picture(f"prototypes_{source}.png"))
                _alike(pair).save(effort.picture(f"looks_like_{source}.png"))
    bars = [within_two_points(found)]
    return Measured(told(found, bars, effort), {"bars": bars, "digits": found})


def _digits(source: str, effort: Effort) -> tuple[Drawn, Drawn]:
    """Return digits to learn from and held-out ones."""
    digits = load_digits(source)
    most = (QUICK, QUICK) if effort.quick else (LEARNT_FROM, ASKED)
    learnt, held_out = (
        _drawn(digits, keyed_order(indices.tolist(), DRAWN_BY, "protopnet bench")[:count])
        for indices, count in zip(
            (digits.train_indices, digits.held_out_indices), most, strict=True
        )
    )
    return learnt, held_out


def _drawn(digits: Digits, indices: Sequence[int]) -> Drawn:
    names = tuple(digit_name(digits, k) for k in indices)
    placed = [
        (digits.images[k], INPUT_PX, place_by(n)) for k, n in zip(indices, names, strict=True)
    ]
    codes = np.stack([digit_picture(*one) for one in placed])
    classes = tuple(map(str, range(10)))
    pictures = Labelled(codes, digits.labels[np.array(indices)], classes, names)
    return Drawn(pictures, np.stack([digit_figure(*one) for one in placed]))


def _trained(learnt: Drawn, held_out: Drawn, seed: int, effort: Effort) -> Pair:
    plain_settings = PictureTraining(augmentation=DIGITS_VARY)
    settings = replace(small(), augmentation=DIGITS_VARY)
    if effort.quick:
        plain_settings = replace(plain_settings, epochs=4)
        settings = replace(settings, prototypes_per_class=3, cycles=1, joint_epochs=2)
    with tempfile.TemporaryDirectory() as name:
        folder, begun = Path(name), time.perf_counter()
        path = trained_pictures(learnt.pictures, plain_settings, seed, folder)
        between = time.perf_counter()
        plain = load_network("picture_cnn", str(path))
        path = trained_protopnet(plain, learnt.pictures, settings, seed, folder)
        seconds = (between - begun, time.perf_counter() - between)
        protopnet = read_protopnet(path)
    return Pair(plain.model, protopnet, seconds, learnt, held_out)


def _figures(pair: Pair, effort: Effort) -> Found:
    right = {
        name: _right(model, pair.held_out.pictures)
        for name, model in (("plain", pair.plain), ("protopnet", pair.protopnet.model))
    }
    wrong_weights = pair.protopnet.model.network.last.weight
    places = {(prototype.image, prototype.cell) for prototype in pair.protopnet.prototypes}
    return {
        "learnt_from": len(pair.learnt.pictures),
        "asked": len(pair.held_out.pictures),
        "prototypes": len(pair.protopnet.prototypes),
        "different_patches": len(places),
        "beside_strokes": _beside_strokes(pair),
        "accuracy": {name: float(values.mean()) for name, values in right.items()},
        "interval": {name: _interval(values) for name, values in right.items()},
        "on_strokes": _on_strokes(pair, QUICK_MAPS if effort.quick else MAPS),
        "zero_weights": float((wrong_weights == 0).float().mean()),
        "before_push": _at(pair.protopnet, "joint"),
        "after_push": _at(pair.protopnet, "push"),
        "after_last_layer": _at(pair.protopnet, "last layer"),
        "seconds": dict(zip(("plain", "protopnet"), pair.seconds, strict=True)),
    }


def _beside_strokes(pair: Pair) -> float:
    """Return the share of prototypes whose patch looks around a pixel that is off all strokes."""
    rows = {name: row for row, name in enumerate(pair.learnt.pictures.names)}
    wide = strokes(pair.learnt.figures)
    lattice = _network(pair.protopnet).lattice
    off = []
    for prototype in pair.protopnet.prototypes:
        at = (round(lattice.first_px + cell * lattice.step_px) for cell in prototype.cell)
        off.append(not wide[(rows[prototype.image], *at)])
    return float(np.mean(off))


def _on_strokes(pair: Pair, count: int) -> dict[str, float]:
    """Return the mean share of maps' strongest pixels on strokes, by reading; and bounds."""
    rows = torch.arange(min(count, len(pair.held_out.pictures)))
    figures = pair.held_out.figures[: len(rows)]
    shown = pair.held_out.pictures.images(rows), pair.held_out.pictures.targets(rows)
    network = _network(pair.protopnet)
    found = {
        reading: on_strokes(
            ProtoPNetMap(reading).explain(pair.protopnet.model, *shown).numpy(), figures
        )
        for reading in READ_AS
    }
    found["lrp"] = on_strokes(Lrp().explain(pair.plain, *shown).numpy(), figures)
    cells = network.latent(pair.protopnet.model.normalise(shown[0][:1])).shape[2]
    found["one_place"] = in_one_place(figures, cells, network.lattice)
    means = {name: float(values.mean()) for name, values in found.items()}
    return means | {"chance": by_chance(figures)}


def _network(trained: Trained) -> ProtoPNet:
    network = trained.model.network
    assert isinstance(network, ProtoPNet)
    return network


def _right(model: ImageModel, pictures: Labelled) -> NDArray[np.bool_]:
    answers = logits_of(model, pictures.images(torch.arange(len(pictures)))).argmax(dim=1)
    return answers.numpy() == pictures.labels


def _interval(right: NDArray[np.bool_]) -> list[float]:
    interval = binomtest(int(right.sum()), len(right)).proportion_ci(method="wilson")
    return [float(interval.low), float(interval.high)]


def _at(trained: Trained, stage: str) -> float:
    """Return the accuracy on training digits at the last of a stage."""
    return [epoch.accuracy for epoch in trained.history if epoch.stage == stage][-1]


def _alike(pair: Pair) -> Any:
    """Return a sheet: held-out digits, their maps, and the prototypes that they look like."""
    rows = np.array([np.flatnonzero(pair.held_out.pictures.labels == k)[0] for k in range(10)])[
        :ALIKE
    ]
    images = pair.held_out.pictures.images(torch.from_numpy(rows))
    targets = pair.held_out.pictures.targets(torch.from_numpy(rows))
    method, model = ProtoPNetMap(), pair.protopnet.model
    maps = method.explain(model, images, targets).numpy()
    winners = method.winners(model, images, targets)
    codes = pair.held_out.pictures.codes[rows]
    prototypes = [pair.protopnet.prototypes[winner] for winner in winners]
    return rows_of_pictures(
        [
            ("digit", list(codes)),
            ("map", [overlay(code, values) for code, values in zip(codes, maps, strict=True)]),
            ("looks like", [framed(prototype) for prototype in prototypes]),
        ]
    )


PARTS = (Part("protopnet", "ProtoPNet beside the plain network", measure),)
