"""Small labelled sets for tests: a protocol, digits as images, answers at hand."""

from dataclasses import replace
from functools import cache

import numpy as np
from PIL import Image

from stimuli.images.pictures import framed
from stimuli.images.sets import Answer
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject_accuracy.compose import Tasks
from stimuli.studies.accept_reject_accuracy.sketch import SketchRates, sketch

SMALL = {
    "images": {"size_px": 32},
    "solutions": {"most_trials": 30, "practice_trials": 4},
    "analysis": {"replicates": 300},
}


def protocol_of(**changes):
    """Return the accuracy protocol, small, with changes by section."""
    merged = {
        key: dict(value) if isinstance(value, dict) else value for key, value in SMALL.items()
    }
    for key, value in changes.items():
        merged[key] = {**merged.get(key, {}), **value} if isinstance(value, dict) else value
    return load_protocol("accept_reject_accuracy", None, merged)


@cache
def small_sketch(images: int = 60, error: float = 0.25):
    return sketch(protocol_of(), SketchRates(images=images, system_error=error))


def tasks_of(count: int, classes: int = 4, wrong_every: int = 3) -> Tasks:
    """Return tasks whose images are plain greys; S errs on every so many."""
    labels = {f"c{k % classes}/{k:04d}.png": f"c{k % classes}" for k in range(count)}
    answers, pictures = {}, {}
    for k, (item, label) in enumerate(labels.items()):
        other = f"c{(k + 1) % classes}"
        first, second = (other, label) if k % wrong_every == 0 else (label, other)
        answers[item] = (Answer(first, 0.6), Answer(second, 0.4))
        grey = Image.fromarray(np.full((8, 8), k % 256, dtype=np.uint8))
        pictures[item] = framed(grey, 32, (30, 30, 30))
    return Tasks(labels, answers, pictures, {}, "net", "greys")


def text_tasks_of(count: int, **how: int) -> Tasks:
    """Return tasks whose items are texts, in English and German."""
    tasks = tasks_of(count, **how)
    texts = {
        item: {"": f"Text {k}: it is about {label}.", "de": f"Text {k} handelt von {label}."}
        for k, (item, label) in enumerate(tasks.labels.items())
    }
    return replace(tasks, pictures={}, texts=texts)
