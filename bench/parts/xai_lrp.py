"""How fast LRP is, against zennit's EpsilonPlusFlat, and what of the logit arrives."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from statistics import median
from typing import Any

import torch
from scipy.stats import spearmanr
from torch import Tensor

from bench.book import Effort, Measured, table
from bench.parts.xai_data import NETWORKS, weights_of
from bench.parts.xai_racing import (
    as_figures,
    device_of,
    memory_in_words,
    peak_mebibytes,
    race,
    random_images,
    random_model,
    ratio,
    ratio_in_words,
    shares_in_words,
    threads,
    where_time_goes,
)
from stimuli.errors import UserError
from xai_backend.explain.answering import classifier_at_hand
from xai_backend.methods import Execution
from xai_backend.methods.lrp import Lrp
from xai_backend.models.image_model import ImageModel

TIMES_ZENNIT = 1.5
"""What is asked for on ResNet-50."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A network, images at once, turns of the race."""

    network: str
    images: int
    repeats: int
    asked: bool = False


SETTINGS = (
    Setting("resnet50", 1, 9, asked=True),
    Setting("resnet50", 8, 5, asked=True),
    Setting("resnet18", 1, 9),
    Setting("vgg16", 1, 5),
    Setting("squeezenet1_1", 1, 9),
    Setting("mobilenet_v2", 1, 9),
)
QUICK = (Setting("squeezenet1_1", 2, 3), Setting("resnet50", 1, 2, asked=True))


def measure(effort: Effort) -> Measured:
    """Race ours and zennit's on each network, and compare their maps."""
    device = device_of(effort)
    found = []
    for setting in QUICK if effort.quick else SETTINGS:
        effort.say(f"LRP of {setting.network}, {setting.images} at once")
        with threads(1):
            found.append(_race(setting, device))
    trained = {} if effort.quick else _of_trained_networks()
    figures = {"device": device.type, "races": found, "trained_double_difference": trained}
    return Measured(_text(found, trained), figures)


def _race(setting: Setting, device: torch.device) -> dict[str, Any]:
    model, images, targets = _prepared(setting.network, setting.images, str(device))
    with torch.no_grad():
        logits = model(images).gather(1, targets[:, None])[:, 0].cpu()

    def forward() -> None:
        with torch.no_grad():
            model(images)

    makers = {
        name: partial(make, setting.network, setting.images, str(device))
        for name, make in (("ours", _ours), ("zennit", _zennit))
    }
    actions = {name: make() for name, make in makers.items()}
    fast, oracle = actions["ours"](), actions["zennit"]()
    times = race({**actions, "forward": forward}, setting.repeats, device)
    pairs = zip(fast.flatten(1), oracle.flatten(1), strict=True)
    return {
        "network": setting.network,
        "images": setting.images,
        "times_s": as_figures(times),
        "to_zennit": asdict(ratio(times, "zennit", "ours")),
        "forwards": asdict(ratio(times, "ours", "forward")),
        "asked": setting.asked,
        "difference": float((fast - oracle).abs().max() / oracle.abs().max()),
        "spearman": min(float(spearmanr(*pair)[0]) for pair in pairs),
        "double_difference": _double_difference(model, images[:1], targets[:1]),
        "conserved": float((fast.sum(dim=(1, 2)) / logits).median()),
        "shares": where_time_goes(actions["ours"], device),
        "peak_mebibytes": peak_mebibytes(makers["ours"], device),
        "zennit_peak_mebibytes": peak_mebibytes(makers["zennit"], device),
    }


def _ours(name: str, count: int, place: str) -> Callable[[], Tensor]:
    """Return what makes maps, after one forward pass."""
    model, images, targets = _prepared(name, count, place)
    return lambda: Lrp().explain(model, images, targets, Execution(at_once=count))


def _zennit(name: str, count: int, place: str) -> Callable[[], Tensor]:
    """Return what makes zennit's maps, after one forward pass."""
    model, images, targets = _prepared(name, count, place)
    return lambda: Lrp().by_zennit(model, images, targets).cpu()


def _prepared(name: str, count: int, place: str) -> tuple[ImageModel, Tensor, Tensor]:
    torch.set_num_threads(1)
    device = torch.device(place)
    model, images = random_model(name, device), random_images(count, device)
    with torch.no_grad():
        return model, images, model(images).argmax(dim=1)


def _double_difference(model: ImageModel, image: Tensor, target: Tensor) -> float:
    """Return the largest difference in double precision, as a share of the map's largest value."""
    from xai_backend.fast.lrp import prepared, relevance

    model.double()
    try:
        network = prepared(model.network)
        assert network is not None
        fast = relevance(network, image.double(), target, Lrp().epsilon)
        oracle = Lrp().by_zennit(model, image.double(), target)
        return float((fast - oracle).abs().max() / oracle.abs().max())
    finally:
        model.float()


def _of_trained_networks() -> dict[str, float]:
    """Return the difference in double precision by network whose weights are at hand."""
    found = {}
    for name in NETWORKS:
        try:
            weights = weights_of(name)
        except UserError:
            continue
        model = classifier_at_hand(name, weights, "cpu").model
        image = random_images(1, torch.device("cpu"))
        with torch.no_grad():
            target = model(image).argmax(dim=1)
        found[name] = _double_difference(model, image, target)
    return found


def _text(found: list[dict[str, Any]], trained: dict[str, float]) -> str:
    rows = [
        [
            race["network"],
            str(race["images"]),
            f"{median(race['times_s']['ours']) / race['images']:.3f}",
            ratio_in_words(race["to_zennit"]),
            f"{race['forwards']['median']:.1f}",
            f"{race['difference']:.0e}",
            f"{race['double_difference']:.0e}",
            f"{race['spearman']:.6f}",
            f"{race['conserved']:.4f}",
            memory_in_words(race["peak_mebibytes"]),
            memory_in_words(race["zennit_peak_mebibytes"]),
        ]
        for race in found
    ]
    headings = (
        *("network", "at once", "s a map", "times as fast as zennit", "forward passes"),
        *("difference", "in float64", "Spearman", "relevance / logit", "peak MiB", "zennit's"),
    )
    asked = [race for race in found if race["asked"]]
    met = all(race["to_zennit"]["median"] >= TIMES_ZENNIT for race in asked)
    return "\n\n".join(
        [
            "EpsilonPlusFlat on images of 224 px, float32, one thread, random weights. The "
            "contenders take turns in one run; a ratio is the median of the turns (least to most). "
            "*Forward passes* is the time of a map in forward passes. *Difference* is the largest "
            "difference as a share of the map's largest value. *Peak MiB* is the memory that a map "
            "needs beyond a forward pass. The networks have no biases, so the map's sum should "
            "equal the explained logit (*relevance / logit*). The rest is lost in the rules' "
            "stabilisers, and, in MobileNetV2, at filters without positive evidence for their "
            "output.",
            table(headings, rows),
            *_trained_in_words(trained),
            f"Asked: {TIMES_ZENNIT:g} times zennit's on ResNet-50. "
            f"**{'Met' if met else 'Not met'}.**",
            "How our time is spent: "
            + "; ".join(
                f"{race['network']} ({race['images']} at once) {shares_in_words(race['shares'])}"
                for race in found
            )
            + ".",
        ]
    )


def _trained_in_words(trained: dict[str, float]) -> list[str]:
    if not trained:
        return []
    said = ", ".join(f"{name} {value:.0e}" for name, value in trained.items())
    return [f"In float64 with weights trained on ImageNet: {said}."]
