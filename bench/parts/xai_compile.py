"""What torch.compile gives occlusion, against plain windows and exact reuse."""

import contextlib
import math
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from statistics import median
from typing import Any

import torch
from torch import Tensor, nn

from bench.book import Effort, Measured, table
from bench.parts.xai_racing import (
    SIDE_PX,
    as_figures,
    device_of,
    race,
    random_images,
    random_model,
    ratio,
    ratio_in_words,
    threads,
    timed,
)
from xai_backend.methods import Execution
from xai_backend.methods.occlusion import Occlusion, has_short_cut
from xai_backend.models.image_model import ImageModel

PATCH_PX, STRIDE_PX, QUICK_STRIDE_PX = 32, 8, 32
SIZES = (8, 25)
"""Windows in a batch; what suits plain windows best is taken for the compiled ones too."""
ONE_BATCH = Occlusion(SIDE_PX // 2, SIDE_PX // 2)
NETWORKS = ("squeezenet1_1", "resnet18", "efficientnet_b0")
"""The last is one that can't be read as it is."""
TURNS = 2
CACHE = "TORCHINDUCTOR_CACHE_DIR"


class Unread(nn.Module):
    """A network whose structure can't be read, because of one function that isn't known."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Tensor) -> Tensor:
        """Return the network's logits."""
        return torch.positive(self.inner(x))


def measure(effort: Effort) -> Measured:
    """Race plain windows, compiled windows and exact reuse on each network."""
    device, found = device_of(effort), []
    for name in NETWORKS[:1] if effort.quick else NETWORKS:
        effort.say(f"occlusion of {name}: plain, compiled, by reuse")
        with threads(1), _nothing_compiled():
            found.append(_race(name, device, quick=effort.quick))
    return Measured(_text(found), {"device": device.type, "races": found})


def _race(name: str, device: torch.device, *, quick: bool) -> dict[str, Any]:
    read = random_model(name, device)
    unread = ImageModel(nn.Identity(), Unread(read.network)).eval()
    image, target = random_images(1, device), torch.tensor([0])
    at_once = _best_size(unread, image, device)
    plain, fast = Execution(at_once), Execution(at_once, compiled=True)

    def mapping(method: Occlusion, model: ImageModel, how: Execution) -> Callable[[], Tensor]:
        return lambda: method.explain(model, image, target, how)

    short = mapping(ONE_BATCH, unread, fast)
    compiling_s = timed(short, device) - timed(short, device)
    method = Occlusion(PATCH_PX, QUICK_STRIDE_PX if quick else STRIDE_PX)
    contenders = {
        "plain": mapping(method, unread, plain),
        "compiled": mapping(method, unread, fast),
    }
    if has_short_cut(read):
        contenders["reuse"] = mapping(method, read, Execution())
    maps: dict[str, Tensor] = {}

    def keeping(way: str) -> Callable[[], None]:
        return lambda: maps.update({way: contenders[way]()})

    times = race({way: keeping(way) for way in contenders}, 1 if quick else TURNS, device)
    spared_s = median(times["plain"]) - median(times["compiled"])
    behind = asdict(ratio(times, "compiled", "reuse")) if "reuse" in times else None
    return {
        "network": name,
        "windows": len(method.starts(SIDE_PX)) ** 2,
        "at_once": at_once,
        "compiling_s": round(compiling_s, 1),
        "times_s": as_figures(times),
        "compiled_to_plain": asdict(ratio(times, "plain", "compiled")),
        "reuse_to_compiled": behind,
        "maps_that_repay": math.ceil(compiling_s / spared_s) if spared_s > 0 else None,
        "difference": float(
            (maps["compiled"] - maps["plain"]).abs().max() / maps["plain"].abs().max()
        ),
    }


def _best_size(model: ImageModel, image: Tensor, device: torch.device) -> int:
    """Return the size of batch with which plain windows take least."""

    def seconds_each(size: int) -> float:
        batch = image.repeat(size, 1, 1, 1)
        with torch.no_grad():
            return min(timed(lambda: model(batch), device) for _ in range(2)) / size

    return min(SIZES, key=seconds_each)


@contextlib.contextmanager
def _nothing_compiled() -> Iterator[None]:
    """Run a block in which torch.compile finds nothing that it left on the disk before."""
    before = os.environ.get(CACHE)
    torch.compiler.reset()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as empty:
        os.environ[CACHE] = empty
        try:
            yield
        finally:
            del os.environ[CACHE]
            if before is not None:
                os.environ[CACHE] = before


def _text(found: list[dict[str, Any]]) -> str:
    rows = [
        [
            race["network"],
            str(race["windows"]),
            str(race["at_once"]),
            *(_seconds(race, way) for way in ("plain", "compiled", "reuse")),
            f"{race['compiling_s']:.0f}",
            str(race["maps_that_repay"] or "never"),
            ratio_in_words(race["compiled_to_plain"]),
            ratio_in_words(race["reuse_to_compiled"]) if race["reuse_to_compiled"] else "–",
            f"{race['difference']:.0e}",
        ]
        for race in found
    ]
    headings = (
        *("network", "windows", "at once", "s a map, plain windows", "compiled windows"),
        *("exact reuse", "s to compile", "repaid after maps", "compiled to plain, times as fast"),
        *("reuse to compiled", "difference"),
    )
    return "\n\n".join(
        [
            f"`--compile`: patches of {PATCH_PX} px on images of {SIDE_PX} px, float32, one "
            "thread, "
            "random weights. The contenders take turns in one run; a ratio is the median of the "
            "turns (least to most). Plain and compiled windows run the whole network for every "
            "window, as `explain` does for a network whose structure can't be read. "
            "efficientnet_b0 is such a network; the structure of the other two was hidden "
            "for this test. *Exact reuse* is what `explain` does by default for a network that "
            "can be read. *s to compile* is how much longer the first batch takes than the next, "
            "without anything cached from earlier runs; for the first network it includes loading "
            "the compiler. *Difference* is the largest difference between the compiled and the "
            "plain map, as a share of the map's largest value.",
            table(headings, rows),
            _verdict(found),
        ]
    )


def _seconds(race: dict[str, Any], way: str) -> str:
    return f"{median(race['times_s'][way]):.2f}" if way in race["times_s"] else "–"


def _verdict(found: list[dict[str, Any]]) -> str:
    gains = all(race["compiled_to_plain"]["least"] > 1 for race in found)
    reused = [race["reuse_to_compiled"] for race in found if race["reuse_to_compiled"]]
    behind = all(one["least"] > 1 for one in reused)
    alone = (
        "For a network that can't be read, compiling made occlusion faster in every turn."
        if gains
        else "For a network that can't be read, compiling wasn't faster in every turn."
    )
    beside = (
        "For the others, exact reuse was faster in every turn, and `--compile` turns it off."
        if behind
        else "For the others, exact reuse wasn't faster in every turn."
    )
    return f"{alone} {beside}"
