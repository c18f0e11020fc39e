"""Small data sets that come with the suite, for trying things: loan applications and reviews.

All are made up. They are written as files that the readers take: a table of applications for loans,
granted and denied, and a set of short reviews, good and bad.

A rule with noise decides the loans, which are nobody's data. A grammar writes the reviews: clauses
that speak well or badly of something, some with a negation, some that contradict each other. The
label follows what the clauses say, with noise, as the stars that people give don't quite match
their words. So a model is right on most of both, and wrong often enough.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stimuli.io.canonical import seed_of
from stimuli.io.files import naming

LOANS: Final = 6000
LOAN_NOISE: Final = 0.9
"""Standard deviation of the noise that the decision adds to the rule."""
LOAN_CLASSES: Final = ("denied", "granted")
WORK: Final = {"permanent": 0.9, "temporary": -0.6, "own business": 0.1, "student": -0.8,
               "retired": 0.3}  # fmt: skip
HOME: Final = {"own": 0.6, "rent": -0.3, "family": 0.0}
EARLIER: Final = {"none": 0.0, "repaid": 0.9, "one late": -0.7, "several late": -1.5}
PURPOSE: Final = {"car": 0.1, "home": 0.4, "studies": 0.2, "travel": -0.6}
LOAN_COLUMNS: Final = (
    "Age", "Income", "Savings", "Loan", "Work", "Home", "Earlier loans", "Purpose", "label",
)  # fmt: skip


def loans(count: int = LOANS) -> list[tuple[str, ...]]:
    """Return rows with the columns of `LOAN_COLUMNS`; the same for the same number.

    Age is in years; monthly income, savings and the loan's sum are in thousands.
    """
    rng = np.random.Generator(np.random.PCG64(seed_of("loans")))
    age = rng.integers(19, 76, count)
    income = np.round(rng.gamma(4.0, 0.7, count) + 0.6, 1)
    savings = np.round(rng.gamma(1.2, 6.0, count), 1)
    wanted = np.round(rng.gamma(2.0, 6.0, count) + 1.0)
    named = [rng.choice(list(levels), count) for levels in (WORK, HOME, EARLIER, PURPOSE)]
    rule = (
        0.9 * np.tanh((income - 3.2) / 1.2)
        + 0.7 * np.tanh((savings - 6.0) / 5.0)
        - 0.9 * np.tanh((wanted - 12.0) / 8.0)
        + 0.3 * np.where((age > 28) & (age < 65), 1, -1)
        + sum(
            _weights(values, levels)
            for values, levels in zip(named, (WORK, HOME, EARLIER, PURPOSE), strict=True)
        )
        # Savings make up for a late loan.
        + 0.6 * ((named[2] == "one late") & (savings > 8))
    )
    decided = rule - np.median(rule) + LOAN_NOISE * rng.normal(size=count)
    label = np.where(decided > 0, *LOAN_CLASSES[::-1])
    columns = (age, income, savings, wanted.astype(int), *named, label)
    return [tuple(map(str, row)) for row in zip(*columns, strict=True)]


def _weights(values: NDArray[np.str_], levels: dict[str, float]) -> NDArray[np.float64]:
    return np.array([levels[value] for value in values])


REVIEWS: Final = 4000
REVIEW_NOISE: Final = 0.95
"""Standard deviation of the noise that a label adds to the words' strength."""
REVIEW_CLASSES: Final = ("negative", "positive")
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
"""Words, and how positive they are: above 0 for praise."""


def reviews(count: int = REVIEWS) -> list[tuple[str, str]]:
    """Return texts and labels, all texts different; the same for the same number.

    Texts are in lower case, with blanks between words and punctuation.
    """
    texts: dict[str, str] = {}
    for text, label in _drawn(np.random.Generator(np.random.PCG64(seed_of("reviews")))):
        texts.setdefault(text, label)
        if len(texts) == count:
            return list(texts.items())
    raise AssertionError  # it yields reviews endlessly


def _drawn(rng: np.random.Generator) -> Iterator[tuple[str, str]]:
    while True:
        topic = str(rng.choice(list(THINGS)))
        words, strength = _sentence(topic, rng)
        opener, aside = (str(rng.choice(phrases)) for phrases in (OPENERS, BY_THE_WAY))
        label = REVIEW_CLASSES[int(strength + REVIEW_NOISE * rng.normal() > 0)]
        yield " ".join(f"{opener} {words} . {aside}".split()), label


def _sentence(topic: str, rng: np.random.Generator) -> Clause:
    """Draw one clause, two that agree, or two that contrast."""
    (first, first_strength), (second, second_strength) = (_clause(topic, rng) for _ in range(2))
    if rng.random() < 0.25:
        return first, first_strength
    if first_strength * second_strength > 0:
        return f"{first} , and {second}", first_strength + second_strength
    # What comes after "but" weighs more, what follows "although" less.
    if rng.random() < 0.5:
        return f"{first} , but {second}", 0.5 * first_strength + 1.2 * second_strength
    return f"{first} , although {second}", 1.2 * first_strength + 0.5 * second_strength


def _clause(topic: str, rng: np.random.Generator) -> Clause:
    thing = str(rng.choice(THINGS[topic]))
    if rng.random() < 0.25:
        verb = str(rng.choice(list(VERBS)))
        return f"we {verb} the {thing}", VERBS[verb]
    qualities = GENERAL if rng.random() < 0.5 else OWN[topic]
    word = str(rng.choice(list(qualities)))
    strength = qualities[word]
    if rng.random() < 0.15:
        return f"the {thing} was not {word}", -0.8 * strength
    if rng.random() < 0.4:
        degree = str(rng.choice(list(DEGREES)))
        return f"the {thing} was {degree} {word}", DEGREES[degree] * strength
    return f"the {thing} was {word}", strength


def write_reviews(folder: Path) -> Path:
    """Write the made-up reviews as a CSV ``text,label``, and return its path."""
    return _written(folder / "reviews.csv", ("text", "label"), reviews())


def write_loans(folder: Path) -> Path:
    """Write the made-up loans as a CSV with a column ``label``, and return its path."""
    return _written(folder / "loans.csv", LOAN_COLUMNS, loans())


def _written(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with naming(path), path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([header, *rows])
    return path
