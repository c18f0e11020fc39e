"""How long extremal perturbations will take: a few steps are measured before hours of them."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import torch

from xai_backend.explain.precompute import Picture
from xai_backend.methods.extremal_perturbation import ExtremalPerturbation
from xai_backend.models.image_model import as_images
from xai_backend.studies.human_ai_team.ai import Ai

FEW, MORE = 1, 4
"""Steps that are measured: their difference leaves out what comes once a map."""

Clock = Callable[[], float]


def say_how_long(
    method: ExtremalPerturbation,
    ai: Ai,
    pictures: Sequence[Picture],
    targets: Sequence[int],
    clock: Clock = time.perf_counter,
) -> None:
    """Say in one line how many maps have to be computed yet, and about how long it will take."""
    missing, processes = ai.work.lacking(method, pictures, targets)
    codes = pictures[0].load() if missing else None
    if codes is None:
        return
    image = as_images(torch.from_numpy(codes[None].copy()))
    each_s = seconds_a_map(method, ai, image, targets[0], clock)
    if not processes:
        line = f"{method.name}: {missing} maps, about {in_words(each_s)} each on this PC"
    else:
        by = f" each, in {processes} processes" if processes > 1 else " each"
        whole = in_words(missing * each_s / processes)
        line = f"{method.name}: {missing} maps take about {whole} ({in_words(each_s)}{by})"
    ai.work.reporter.say(f"{line}; after an interruption the same command goes on")


def seconds_a_map(
    method: ExtremalPerturbation, ai: Ai, image: torch.Tensor, target: int, clock: Clock
) -> float:
    """Return about how long a map takes here, by a few steps of one for an image (1, 3, H, W)."""
    model, chosen = ai.of.classifier.model, torch.tensor([target])
    took = []
    for steps in (FEW, FEW, MORE):
        # The first run loads what later ones have.
        begun = clock()
        replace(method, iterations=steps).explain(model, image, chosen)
        took.append(clock() - begun)
    a_step = max(0.0, (took[2] - took[1]) / (MORE - FEW))
    return took[1] + (method.iterations - FEW) * a_step


def in_words(time_s: float) -> str:
    """Return a time as people say it: seconds, minutes, or hours and minutes."""
    if time_s < 60:
        return f"{time_s:.2g} s"
    minutes = round(time_s / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
