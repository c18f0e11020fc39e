"""How fast occlusion is, against captum's."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from statistics import median
from typing import Any

import torch
from captum.attr import Occlusion as CaptumOcclusion
from torch import Tensor

from bench.book import Effort, Measured, table
from bench.parts.xai_racing import (
    SIDE_PX,
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
    thread_counts,
    threads,
    timed,
    where_time_goes,
)
from xai_backend.explain.answering import channels_last
from xai_backend.methods import Execution
from xai_backend.methods.occlusion import Occlusion
from xai_backend.models.image_model import ImageModel

PATCH_PX = 32


@dataclass(frozen=True, slots=True)
class Setting:
    """A network, how densely it is occluded, and how it is timed.

    Attributes
    ----------
    network
        torchvision's name.
    stride_px
        Of the patches.
    sizes
        Numbers of windows at once that captum's best is sought among.
    repeats
        Turns of the race.
    asked
        How many times as fast as captum's default it should be; 0 if nothing is asked.
    """

    network: str
    stride_px: int
    sizes: tuple[int, ...]
    repeats: int
    asked: float = 0.0


SETTINGS = (
    Setting("squeezenet1_1", 8, (1, 2, 4, 16, 64), 3, asked=10.0),
    Setting("resnet18", 8, (1, 2, 8), 3, asked=3.0),
    Setting("resnet50", 24, (1, 4), 3),
    Setting("vgg16", 24, (1, 4), 2),
    Setting("mobilenet_v2", 24, (1, 4, 16), 3),
)
QUICK = (Setting("squeezenet1_1", 32, (1, 4), 2, asked=10.0),)


def measure(effort: Effort) -> Measured:
    """Race ours, captum's default and captum at its best on each network."""
    device = device_of(effort)
    found = []
    for setting in QUICK if effort.quick else SETTINGS:
        counts = thread_counts(device) if setting.asked and not effort.quick else (1,)
        for count in counts:
            effort.say(f"occlusion of {setting.network}, {count} threads")
            with threads(count):
                found.append(_race(setting, device, count))
    return Measured(_text(found), {"device": device.type, "races": found})


def _race(setting: Setting, device: torch.device, count: int) -> dict[str, Any]:
    place, stride_px = str(device), setting.stride_px
    ours = _ours(setting.network, stride_px, count, place)
    captum = {
        size: _captums(setting.network, stride_px, size, count, place) for size in setting.sizes
    }
    map_of_ours = ours()
    searched = {size: timed(captum[size], device) for size in setting.sizes}
    best = min(searched, key=lambda size: searched[size])
    contenders = {"ours": ours, "captum's default": captum[1]}
    if best > 1:
        contenders["captum at its best"] = captum[best]
    times = race(contenders, setting.repeats, device)
    times.setdefault("captum at its best", times["captum's default"])
    oracle = captum[best]()
    memory = [
        partial(_ours, setting.network, stride_px, count, place),
        partial(_captums, setting.network, stride_px, best, count, place),
    ]
    return {
        "network": setting.network,
        "stride_px": stride_px,
        "threads": count,
        "windows": len(Occlusion(PATCH_PX, stride_px).starts(SIDE_PX)) ** 2,
        "captum_best_at_once": best,
        "searched_s": {str(size): round(seconds, 3) for size, seconds in searched.items()},
        "times_s": as_figures(times),
        "to_default": asdict(ratio(times, "captum's default", "ours")),
        "to_best": asdict(ratio(times, "captum at its best", "ours")),
        "asked": setting.asked,
        "difference": float((map_of_ours - oracle).abs().max() / oracle.abs().max()),
        "shares": where_time_goes(ours, device),
        "peak_mebibytes": peak_mebibytes(memory[0], device),
        "captum_peak_mebibytes": peak_mebibytes(memory[1], device),
    }


def _ours(name: str, stride_px: int, count: int, place: str) -> Callable[[], Tensor]:
    """Return what makes one map, after one forward pass."""
    model, image, target = _prepared(name, count, place)
    channels_last(model.network)
    method, execution = Occlusion(PATCH_PX, stride_px), Execution(threads=count)
    return lambda: method.explain(model, image, torch.tensor([target]), execution)[0]


def _captums(
    name: str, stride_px: int, at_once: int, count: int, place: str
) -> Callable[[], Tensor]:
    """Return what makes captum's map, after one forward pass."""
    model, image, target = _prepared(name, count, place)
    return lambda: _captum(model, image, target, stride_px, at_once)


def _prepared(name: str, count: int, place: str) -> tuple[ImageModel, Tensor, int]:
    torch.set_num_threads(count)
    device = torch.device(place)
    model, image = random_model(name, device), random_images(1, device)
    with torch.no_grad():
        return model, image, int(model(image).argmax())


def _captum(model: ImageModel, image: Tensor, target: int, stride_px: int, at_once: int) -> Tensor:
    with torch.no_grad():
        found = CaptumOcclusion(model).attribute(
            image,
            sliding_window_shapes=(3, PATCH_PX, PATCH_PX),
            strides=(3, stride_px, stride_px),
            baselines=0,
            target=target,
            perturbations_per_eval=at_once,
        )
    return found.sum(dim=1)[0].cpu()


def _text(found: list[dict[str, Any]]) -> str:
    rows = [
        [
            race["network"],
            str(race["windows"]),
            str(race["threads"]),
            f"{median(race['times_s']['ours']):.2f}",
            ratio_in_words(race["to_default"]),
            ratio_in_words(race["to_best"]),
            str(race["captum_best_at_once"]),
            f"{race['difference']:.0e}",
            memory_in_words(race["peak_mebibytes"]),
            memory_in_words(race["captum_peak_mebibytes"]),
        ]
        for race in found
    ]
    headings = (
        *("network", "windows", "threads", "s a map", "times as fast as captum's default"),
        *("as captum at its best", "at once", "difference", "peak MiB", "captum's"),
    )
    return "\n\n".join(
        [
            f"Patches of {PATCH_PX} px on images of 224 px, float32, random weights. The "
            "contenders take turns in one run; a ratio is the median of the turns (least to most). "
            "captum at its best uses the `perturbations_per_eval` that was fastest here (column "
            "*at once*). "
            "*Difference* is the largest difference as a share of the map's largest value. "
            "*Peak MiB* is the memory that a map needs beyond a forward pass.",
            table(headings, rows),
            _verdict(found),
            "How our time is spent: "
            + "; ".join(
                f"{race['network']} {shares_in_words(race['shares'])}"
                for race in found
                if race["threads"] == 1
            )
            + ".",
        ]
    )


def _verdict(found: list[dict[str, Any]]) -> str:
    said = ", ".join(
        f"{race['asked']:g} times on {race['network']} (threads: {race['threads']}) "
        f"**{'met' if race['to_default']['median'] >= race['asked'] else 'not met'}**"
        for race in found
        if race["asked"]
    )
    return f"Asked, against captum's default: {said}."
