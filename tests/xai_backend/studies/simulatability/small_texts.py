"""Small made-up reviews, whose class follows from their adjectives but for a few."""

import numpy as np

from stimuli.studies.simulatability.stimulus import TextInput
from xai_backend.studies.simulatability.trained import Labelled

SUBJECTS = ["film", "movie", "story", "plot", "comedy", "drama"]
PARTS = ["cast", "director", "script", "music", "actor", "scene"]
GOOD = ["funny", "charming", "clever", "warm", "fresh", "moving"]
BAD = ["boring", "stupid", "tired", "cold", "stale", "clumsy"]
DEGREES = ["very", "quite", "really", "rather"]


def small_texts(count=240, seed=0, noise=0.1):
    """Return labelled reviews such as ``the film is very funny , with a warm cast .``."""
    rng = np.random.default_rng(seed)
    texts = []
    for number in range(count):
        label = ("negative", "positive")[number % 2]
        adjectives = BAD if (label == "negative") != (rng.random() < noise) else GOOD
        first, second = rng.choice(adjectives, 2)
        sentence = f"the {rng.choice(SUBJECTS)} is {rng.choice(DEGREES)} {first}"
        if rng.random() < 0.6:
            sentence += f" , with a {second} {rng.choice(PARTS)}"
        tokens = tuple(f"{sentence} . {number}".split())
        texts.append(Labelled(f"r{number}", TextInput(tokens=tokens), label))
    return texts
