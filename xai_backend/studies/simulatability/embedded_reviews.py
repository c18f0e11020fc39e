"""Made-up short reviews, good and bad: a small text set that comes with the suite.

A grammar writes them: clauses that speak well or badly of something, some with a negation, some
against each other. The label follows what the clauses say, but for noise, as stars that people give
don't quite follow their words. So a model is right on most of them, and wrong on enough.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from stimuli.io.canonical import seed_of

REVIEWS: Final = 4000
NOISE: Final = 0.95
"""Standard deviation of what a label adds to the words' strength."""
CLASSES: Final = ("negative", "positive")
THINGS: Final = {
    "film": ("film", "plot", "cast", "camera", "ending", "script", "music", "dialogue", "hero",
             "scenery"),
    "food": ("soup", "menu", "service", "waiter", "bread", "dessert", "sauce", "kitchen", "fish",
             "coffee"),
    "place": ("hotel", "room", "view", "beach", "garden", "breakfast", "staff", "pool", "museum",
              "lobby"),
    "book": ("book", "chapter", "author", "language", "story", "cover", "narrator", "argument",
             "preface", "poem"),
}  # fmt: skip
GENERAL: Final = {
    "excellent": 1.6, "wonderful": 1.6, "lovely": 1.2, "great": 1.3, "good": 0.8, "pleasant": 0.8,
    "fine": 0.5, "decent": 0.4, "remarkable": 1.1, "charming": 1.1, "mediocre": -0.6,
    "disappointing": -1.2, "poor": -1.1, "weak": -0.8, "terrible": -1.6, "awful": -1.6,
    "boring": -1.2, "unpleasant": -1.0, "strange": -0.4, "ordinary": -0.3,
}  # fmt: skip
OWN: Final = {
    "film": {"moving": 1.2, "funny": 1.0, "clever": 1.1, "gripping": 1.4, "slow": -0.7,
             "noisy": -0.8, "predictable": -0.9, "clumsy": -1.0},
    "food": {"fresh": 1.1, "tasty": 1.3, "warm": 0.7, "generous": 0.9, "cold": -0.9,
             "salty": -0.8, "stale": -1.3, "greasy": -1.0},
    "place": {"quiet": 0.9, "clean": 1.1, "spacious": 1.0, "friendly": 1.2, "dirty": -1.4,
              "crowded": -0.8, "shabby": -1.1, "loud": -0.9},
    "book": {"witty": 1.1, "lively": 1.0, "wise": 1.0, "elegant": 1.1, "dull": -1.2,
             "confusing": -0.9, "shallow": -0.9, "tedious": -1.1},
}  # fmt: skip
VERBS: Final = {
    "loved": 1.3, "enjoyed": 1.1, "liked": 0.8, "admired": 1.0, "hated": -1.4, "regretted": -1.0,
    "disliked": -0.9, "endured": -0.9,
}  # fmt: skip
DEGREES: Final = {
    "very": 1.4, "really": 1.3, "quite": 1.0, "rather": 0.8, "somewhat": 0.6, "truly": 1.4,
}  # fmt: skip
OPENERS: Final = (
    "", "", "", "overall ,", "to be honest ,", "in my opinion ,", "after two hours ,",
    "on a rainy evening ,", "for the price ,",
)  # fmt: skip
BY_THE_WAY: Final = (
    "", "", "we came with friends .", "i had read about it before .", "it was a monday .",
    "my sister had chosen it .", "we stayed until the end .",
)  # fmt: skip
Clause = tuple[str, float]
"""Words, and how well they speak of the thing: above 0 well."""


def reviews(count: int = REVIEWS) -> list[tuple[str, str]]:
    """Return texts and labels, all texts different; the same for the same number.

    Texts are in lower case, with blanks between words and signs.
    """
    made: dict[str, str] = {}
    for text, label in _drawn(np.random.Generator(np.random.PCG64(seed_of("reviews")))):
        made.setdefault(text, label)
        if len(made) == count:
            return list(made.items())
    raise AssertionError  # reviews are drawn without end


def _drawn(rng: np.random.Generator) -> Iterator[tuple[str, str]]:
    while True:
        topic = str(rng.choice(list(THINGS)))
        words, strength = _sentence(topic, rng)
        opener, aside = (str(rng.choice(some)) for some in (OPENERS, BY_THE_WAY))
        label = CLASSES[int(strength + NOISE * rng.normal() > 0)]
        yield " ".join(f"{opener} {words} . {aside}".split()), label


def _sentence(topic: str, rng: np.random.Generator) -> Clause:
    """Draw one clause, two that go together, or two against each other."""
    (first, one), (second, other) = (_clause(topic, rng) for _ in range(2))
    if rng.random() < 0.25:
        return first, one
    if one * other > 0:
        return f"{first} , and {second}", one + other
    # What comes after "but" weighs more, what follows "although" less.
    if rng.random() < 0.5:
        return f"{first} , but {second}", 0.5 * one + 1.2 * other
    return f"{first} , although {second}", 1.2 * one + 0.5 * other


def _clause(topic: str, rng: np.random.Generator) -> Clause:
    thing = str(rng.choice(THINGS[topic]))
    if rng.random() < 0.25:
        verb = str(rng.choice(list(VERBS)))
        return f"we {verb} the {thing}", VERBS[verb]
    own = GENERAL if rng.random() < 0.5 else OWN[topic]
    word = str(rng.choice(list(own)))
    strength = own[word]
    if rng.random() < 0.15:
        return f"the {thing} was not {word}", -0.8 * strength
    if rng.random() < 0.4:
        degree = str(rng.choice(list(DEGREES)))
        return f"the {thing} was {degree} {word}", DEGREES[degree] * strength
    return f"the {thing} was {word}", strength
