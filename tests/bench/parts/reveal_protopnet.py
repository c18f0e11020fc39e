"""ProtoPNet beside the plain network that it is built over, on digits."""

import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import binomtest

from stimuli.canonical import keyed_order
from stimuli.digits import Digits, load_digits
from stimuli.studies.progressive_reveal.digit_pictures import digit_picture, place_by
from tests.bench.book import Effort, Measured, Part, table
from tests.bench.parts.words import SOURCE_NAMES
from xai_backend.build.reveal_images import digit_name
from xai_backend.build.reveal_networks import DIGITS_VARY, LEARNT_FROM
from xai_backend.explain.overlay import overlay
from xai_backend.methods.protopnet import ProtoPNetMap
from xai_backend.models.image_model import ImageModel, logits_of
from xai_backend.models.labelled import Labelled
from xai_backend.models.picture_cnn import INPUT_PX
from xai_backend.models.picture_training import PictureTraining, trained_pictures
from xai_backend.networks import load_network
from xai_backend.protopnet import Trained, read_protopnet, small, trained_protopnet
from xai_backend.protopnet.sheet import framed, prototype_sheet, rows_of_pictures

SOURCES = ("uci", "mnist")
SEED = 1
ASKED = 5000
QUICK = 200
ALIKE = 6


@dataclass(frozen=True, slots=True)
class Pair:
    """A plain network and a ProtoPNet over it, how long each took, and held-out digits."""

    plain: ImageModel
    protopnet: Trained
    seconds: tuple[float, float]
    learnt_from: int
    held_out: Labelled


def measure(effort: Effort) -> Measured:
    """Train both on each set of digits and ask them held-out ones."""
    found: dict[str, Any] = {}
    shown = []
    for source in SOURCES:
        pair = _trained(source, effort)
        found[source] = _figures(pair)
        prototype_sheet(pair.protopnet).save(effort.picture(f"prototypes_{source}.png"))
        _alike(pair).save(effort.picture(f"looks_like_{source}.png"))
        shown.append((source, SOURCE_NAMES[source]))
    return Measured(_text(found, effort, shown), {"digits": found})


def _trained(source: str, effort: Effort) -> Pair:
    digits = load_digits(source)
    most = (QUICK, QUICK) if effort.quick else (LEARNT_FROM, ASKED)
    learnt, asked = (
        np.array(keyed_order(indices.tolist(), SEED, "protopnet bench")[:count])
        for indices, count in zip(
            (digits.train_indices, digits.held_out_indices), most, strict=True
        )
    )
    pictures, held_out = _pictures(digits, learnt), _pictures(digits, asked)
    plain_settings = PictureTraining(augmentation=DIGITS_VARY)
    settings = replace(small(), augmentation=DIGITS_VARY)
    if effort.quick:
        plain_settings = replace(plain_settings, epochs=4)
        settings = replace(settings, prototypes_per_class=3, cycles=1, joint_epochs=2)
    with tempfile.TemporaryDirectory() as name:
        folder, seconds = Path(name), []
        effort.say(f"{source}: the plain network")
        begun = time.perf_counter()
        path = trained_pictures(pictures, plain_settings, SEED, folder)
        seconds.append(time.perf_counter() - begun)
        plain = load_network("picture_cnn", str(path))
        effort.say(f"{source}: ProtoPNet")
        begun = time.perf_counter()
        path = trained_protopnet(plain, pictures, settings, SEED, folder)
        seconds.append(time.perf_counter() - begun)
        protopnet = read_protopnet(path)
    return Pair(plain.model, protopnet, (seconds[0], seconds[1]), len(learnt), held_out)


def _pictures(digits: Digits, indices: NDArray[np.int64]) -> Labelled:
    """Return digits as the pictures of a pack, each in a place of its own."""
    names = tuple(digit_name(digits, k) for k in indices.tolist())
    codes = [
        digit_picture(digits.images[k], INPUT_PX, place_by(name))
        for k, name in zip(indices.tolist(), names, strict=True)
    ]
    return Labelled(np.stack(codes), digits.labels[indices], tuple(map(str, range(10))), names)


def _figures(pair: Pair) -> dict[str, Any]:
    right = {
        name: _right(model, pair.held_out)
        for name, model in (("plain", pair.plain), ("protopnet", pair.protopnet.model))
    }
    wrong_weights = pair.protopnet.model.network.last.weight
    places = {(prototype.image, prototype.cell) for prototype in pair.protopnet.prototypes}
    return {
        "learnt_from": pair.learnt_from,
        "asked": len(pair.held_out),
        "prototypes": len(pair.protopnet.prototypes),
        "different_patches": len(places),
        "accuracy": {name: float(values.mean()) for name, values in right.items()},
        "interval": {name: _interval(values) for name, values in right.items()},
        "zero_weights": float((wrong_weights == 0).float().mean()),
        "before_push": _at(pair.protopnet, "joint"),
        "after_push": _at(pair.protopnet, "push"),
        "after_last_layer": _at(pair.protopnet, "last layer"),
        "seconds": dict(zip(("plain", "protopnet"), pair.seconds, strict=True)),
    }


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
    rows = np.array([np.flatnonzero(pair.held_out.labels == k)[0] for k in range(10)])[:ALIKE]
    images = pair.held_out.images(torch.from_numpy(rows))
    targets = pair.held_out.targets(torch.from_numpy(rows))
    method, model = ProtoPNetMap(), pair.protopnet.model
    maps = method.explain(model, images, targets).numpy()
    winners = method.winners(model, images, targets)
    codes = pair.held_out.codes[rows]
    prototypes = [pair.protopnet.prototypes[winner] for winner in winners]
    return rows_of_pictures(
        [
            ("digit", list(codes)),
            ("map", [overlay(one, values) for one, values in zip(codes, maps, strict=True)]),
            ("looks like", [framed(prototype) for prototype in prototypes]),
        ]
    )


def _text(found: dict[str, Any], effort: Effort, shown: list[tuple[str, str]]) -> str:
    rows = [
        [
            SOURCE_NAMES[source],
            str(figures["learnt_from"]),
            str(figures["asked"]),
            _share(figures, "plain"),
            _share(figures, "protopnet"),
            f"{figures['different_patches']} of {figures['prototypes']}",
            f"{figures['seconds']['plain']:.0f} s, {figures['seconds']['protopnet']:.0f} s",
        ]
        for source, figures in found.items()
    ]
    headings = [
        *("digits", "learnt from", "asked", "plain network", "ProtoPNet"),
        *("different patches", "training, one core"),
    ]
    worst = max(f["accuracy"]["plain"] - f["accuracy"]["protopnet"] for f in found.values())
    pictures = []
    for source, name in shown:
        pictures += [
            effort.shown(f"prototypes_{source}.png", f"Prototypes of {name}, framed"),
            effort.shown(f"looks_like_{source}.png", f"{name}: held-out digits and prototypes"),
        ]
    return "\n\n".join(
        [
            "The small network for pictures (`picture_cnn`, 56 pixels) and a ProtoPNet over its "
            "convolutional layers, with the settings of `lab.py build`. Held-out digits that are "
            "read rightly, with Wilson's 95 % interval:",
            table(headings, rows),
            f"At worst ProtoPNet reads {100 * worst:.1f} points fewer than the plain network."
            if worst > 0
            else "ProtoPNet reads no fewer than the plain network.",
            "What the push costs on training digits, and what the last layer gives back: "
            + "; ".join(
                f"{SOURCE_NAMES[source]} {100 * f['before_push']:.1f} % in the last epoch before "
                f"it (pictures varied), {100 * f['after_push']:.1f} % after it, "
                f"{100 * f['after_last_layer']:.1f} % in the end, with "
                f"{100 * f['zero_weights']:.0f} % of the last layer's weights exactly 0"
                for source, f in found.items()
            )
            + ".",
            "Each prototype, framed in the training digit that it is a part of; and held-out "
            "digits with the map by which they are uncovered and the prototype that it is of:",
            *pictures,
        ]
    )


def _share(figures: dict[str, Any], name: str) -> str:
    low, high = figures["interval"][name]
    return f"{100 * figures['accuracy'][name]:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


PARTS = (Part("protopnet", "ProtoPNet beside the plain network", measure),)
