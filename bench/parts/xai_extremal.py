"""Extremal perturbation: a batch against single runs, areas, and independence of the batch."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from statistics import median
from typing import Any

import torch
from scipy.stats import spearmanr
from torch import Tensor

from bench.book import Effort, Measured, table
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
    thread_counts,
    threads,
    where_time_goes,
)
from xai_backend.explain.answering import channels_last
from xai_backend.methods import Execution
from xai_backend.methods.extremal_perturbation import ExtremalPerturbation

NETWORK = "squeezenet1_1"
BATCH = 8
TIMES_ON_A_GPU = 3.0
"""What is asked of a batch against single runs."""
MOST_OFF = 0.01
"""Share of the asked area by which a mask's may differ."""
RACED = {"cpu": 8, "cuda": 30}
"""Iterations of the race, by device."""
SOUGHT = {"cpu": 120, "cuda": 800}
"""Iterations of the masks whose areas are measured."""


def measure(effort: Effort) -> Measured:
    """Race one batch against as many single runs, then look at areas and at independence."""
    device = device_of(effort)
    raced = 2 if effort.quick else RACED[device.type]
    sought = 10 if effort.quick else SOUGHT[device.type]
    counts = (1,) if effort.quick else thread_counts(device)
    races = []
    for count in counts:
        effort.say(f"extremal perturbation, {BATCH} at once and one by one, {count} threads")
        with threads(count):
            races.append(_race(raced, count, 1 if effort.quick else 3, device))
    effort.say(f"masks by {sought} iterations")
    masks = _masks(sought, device, 2)
    figures = {"device": device.type, "races": races, "masks": masks}
    return Measured(_text(figures), figures)


def _race(iterations: int, count: int, repeats: int, device: torch.device) -> dict[str, Any]:
    place = str(device)
    contenders = {
        "one by one": _maker(1, iterations, count, place),
        "in one batch": _maker(BATCH, iterations, count, place),
    }
    times = race(contenders, repeats, device)
    return {
        "threads": count,
        "iterations": iterations,
        "times_s": as_figures(times),
        "gain": asdict(ratio(times, "one by one", "in one batch")),
        "shares": where_time_goes(_maker(BATCH, 2, count, place), device),
        "peak_mebibytes": peak_mebibytes(partial(_maker, BATCH, 2, count, place), device),
    }


def _maker(together: int, iterations: int, count: int, place: str) -> Callable[[], Tensor]:
    """Return what makes the masks of all images, so many in one ascent."""
    torch.set_num_threads(count)
    device = torch.device(place)
    model, images = random_model(NETWORK, device), random_images(BATCH, device).sigmoid()
    channels_last(model.network)
    with torch.no_grad():
        targets = model(images).argmax(dim=1).cpu()
    method = ExtremalPerturbation(iterations=iterations)
    execution = Execution(at_once=together * len(method.areas), threads=count)
    return lambda: method.masks(model, images, targets, execution)


def _masks(iterations: int, device: torch.device, count: int) -> dict[str, Any]:
    """Measure areas, and compare a batch's maps with the same images' alone."""
    model, images = random_model(NETWORK, device), random_images(count, device).sigmoid()
    targets = model(images).argmax(dim=1).cpu()
    method = ExtremalPerturbation(iterations=iterations)
    areas = len(method.areas)
    together = Execution(at_once=count * areas)
    masks = method.masks(model, images, targets, together)
    filled_up = method.masks(model, images[1:], targets[1:], together)
    by_itself = method.masks(model, images[1:], targets[1:], Execution(at_once=areas))
    pair = masks[1].sum(dim=0), by_itself[0].sum(dim=0)
    asked = torch.tensor(method.areas)
    return {
        "iterations": iterations,
        "images": count,
        "furthest_area": float((masks.mean(dim=(2, 3)) / asked - 1).abs().max()),
        "equal_bits_in_a_batch_of_the_same_size": bool(torch.equal(masks[1], filled_up[0])),
        "difference_alone": float((pair[0] - pair[1]).abs().max() / pair[1].abs().max()),
        "spearman_alone": float(spearmanr(pair[0].flatten(), pair[1].flatten())[0]),
    }


def _text(figures: dict[str, Any]) -> str:
    rows = [
        [
            str(race["threads"]),
            f"{_each(race, 'one by one'):.0f}",
            f"{_each(race, 'in one batch'):.0f}",
            ratio_in_words(race["gain"]),
            memory_in_words(race["peak_mebibytes"]),
        ]
        for race in figures["races"]
    ]
    headings = ("threads", "one by one, ms", f"{BATCH} in a batch, ms", "times as fast", "peak MiB")
    masks = figures["masks"]
    same = "the same bits" if masks["equal_bits_in_a_batch_of_the_same_size"] else "other bits"
    met = masks["furthest_area"] <= MOST_OFF
    return "\n\n".join(
        [
            f"{NETWORK}, images of 224 px, four areas for each image, on {figures['device']}. The "
            f"table gives milliseconds for one iteration of one image: {BATCH} images one after "
            "another, or in one batch.",
            table(headings, rows),
            _verdict(figures),
            f"How a batch's time is spent: {shares_in_words(figures['races'][0]['shares'])}.",
            f"After {masks['iterations']} iterations the masks' areas are within "
            f"{100 * masks['furthest_area']:.3f} % of the required ones (at most "
            f"{100 * MOST_OFF:g} %: **{'met' if met else 'not met'}**). An image's masks have "
            f"{same} whichever images share its batch. In batches of another size rounding "
            f"differs, and the iterations enlarge it: the largest difference is "
            f"{masks['difference_alone']:.0e} of the largest value, Spearman "
            f"{masks['spearman_alone']:.6f}.",
        ]
    )


def _verdict(figures: dict[str, Any]) -> str:
    if figures["device"] == "cpu":
        return "A speed is required on graphics cards only."
    met = all(race["gain"]["median"] >= TIMES_ON_A_GPU for race in figures["races"])
    return (
        f"Asked: a batch {TIMES_ON_A_GPU:g} times as fast as single runs. "
        f"**{'Met' if met else 'Not met'}.**"
    )


def _each(race: dict[str, Any], name: str) -> float:
    return median(race["times_s"][name]) / race["iterations"] / BATCH * 1e3
