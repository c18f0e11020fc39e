"""Small domains whose models can be computed by hand: words and values with weights."""

import itertools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from stimuli.studies.simulatability.protocol import Simulatability
from stimuli.studies.simulatability.stimulus import TableInput, TextInput
from xai_backend.studies.simulatability.trained import Labelled, Trained

CLASSES = ("neg", "pos")
FILE = Path("stimuli/studies/simulatability/protocol.toml")


def protocol(variant="near_code", **explained):
    document = tomllib.loads(FILE.read_text(encoding="utf-8"))
    document["models"]["variant"] = variant
    document["explained"] |= explained
    return Simulatability.model_validate(document)


GROUPS = {
    "ADJ": ("good", "great", "fine", "dull", "bad", "awful"),
    "NOUN": ("film", "plot", "cast", "score"),
    "VERB": ("is", "seems", "was"),
    "DET": ("the", "a"),
    "PUNCT": (".", ",", "--"),
}
WEIGHTS = {"good": 1.4, "great": 2.0, "fine": 0.6, "dull": -1.2, "bad": -1.6, "awful": -2.2}
WEIGHTS |= {"seems": -0.4, "cast": 0.3, "plot": -0.2}
TAGS = {word: tag for tag, words in GROUPS.items() for word in words}

COLUMNS = ("Age", "Sex", "Work", "Gains")
LEVELS = {
    "Age": ("Age <= 28.00", "28.00 < Age <= 48.00", "Age > 48.00"),
    "Sex": ("Female", "Male"),
    "Work": ("Admin", "Sales", "Service"),
    "Gains": ("No gains", "High gains"),
}
VALUES = {
    "Age <= 28.00": -1.5, "Age > 48.00": 0.8, "Male": 0.5, "Admin": 0.3, "Service": -0.9,
    "High gains": 3.0, "No gains": -0.4,
}  # fmt: skip


@dataclass
class Additive:
    """Evidence is a sum over parts, with an interaction of two; latents are what stands where."""

    weights: Mapping[str, float]
    bias: float = 0.0
    pair: tuple[str, str, float] = ("", "", 0.0)
    classes: tuple[str, str] = CLASSES
    calls: list[int] = field(default_factory=list)

    def margin(self, parts):
        first, second, extra = self.pair
        both = extra if first in parts and second in parts else 0.0
        return self.bias + sum(self.weights.get(part, 0.0) for part in parts) + both

    def margins(self, inputs):
        self.calls.append(len(inputs))
        return np.array([self.margin(one.parts) for one in inputs])

    def latents(self, inputs):
        places = sorted(self.weights)
        return np.array([[one.parts.count(name) for name in places] for one in inputs], float)

    def margins_without(self, instance):
        parts = instance.parts
        return np.array(
            [self.margin((*parts[:k], "<unk>", *parts[k + 1 :])) for k in range(len(parts))]
        )


@dataclass
class Nearest(Additive):
    """A prototype network on an additive model's latents."""

    prototypes: tuple = ()
    prototype_labels: tuple = ()

    def likeness(self, inputs):
        own, theirs = self.latents(inputs), self.latents(self.prototypes)
        return np.exp(-((own[:, None] - theirs[None]) ** 2).sum(axis=2))

    def scores(self, inputs):
        likeness = self.likeness(inputs)
        of = np.array(self.prototype_labels)
        return np.stack([likeness[:, of == label].max(axis=1) for label in self.classes], axis=1)

    def scores_without(self, instance):
        name = "tokens" if isinstance(instance, TextInput) else "values"
        return self.scores(
            [
                instance.model_copy(update={name: (*parts[:k], "<unk>", *parts[k + 1 :])})
                for parts in [instance.parts]
                for k in range(len(parts))
            ]
        )


class Words:
    """A word may become any of its own kind; determiners and signs stay."""

    def neighbours(self, token):
        own = GROUPS.get(TAGS.get(token), ())
        near = (word for word in own if word != token)
        return tuple((word, 0.9 - 0.1 * place) for place, word in enumerate(near))

    def tags(self, tokens):
        return tuple(TAGS.get(token, "X") for token in tokens)

    def substitutes(self, sentence):
        tokens = sentence.tokens
        kinds = ("ADJ", "NOUN", "VERB")
        return tuple(
            self.neighbours(token) if tag in kinds else ()
            for token, tag in zip(tokens, self.tags(tokens), strict=True)
        )

    def changes(self, instance, most_edits, rng):
        return iter(())


class Values:
    """All values of the small table; their shares are those of its training split."""

    columns = COLUMNS
    levels = LEVELS

    def __init__(self, rows):
        self.shares = {
            column: np.array([sum(row.values[at] == level for row in rows) for level in levels])
            / len(rows)
            for at, (column, levels) in enumerate(LEVELS.items())
        }

    def changes(self, instance, most_edits, rng):
        return iter(())


def sentence(text):
    return TextInput(tokens=tuple(text.split()))


def row(*values):
    return TableInput(columns=COLUMNS, values=values)


def every_row():
    return [row(*values) for values in itertools.product(*LEVELS.values())]


def labelled(inputs, model):
    said = model.margins(inputs) > 0
    return [
        Labelled(f"id{number}", one, CLASSES[int(positive)])
        for number, (one, positive) in enumerate(zip(inputs, said, strict=True))
    ]


def text_domain(**of_model):
    model = Additive(WEIGHTS, bias=0.2, **of_model)
    rng = np.random.default_rng(1)
    words = sorted(TAGS)
    inputs = [sentence(" ".join(rng.choice(words, 6))) for _ in range(40)]
    return _trained("text", model, inputs, Words())


def table_domain(**of_model):
    model = Additive(VALUES, bias=0.1, **of_model)
    rng = np.random.default_rng(2)
    all_rows = every_row()
    inputs = [all_rows[number] for number in rng.integers(len(all_rows), size=300)]
    return _trained("tabular", model, inputs, Values(inputs))


def _trained(domain, model, inputs, space):
    data = labelled(inputs, model)
    prototypes = [next(one for one in data if one.label == label) for label in CLASSES]
    network = Nearest(
        model.weights,
        model.bias,
        prototypes=tuple(one.instance for one in prototypes),
        prototype_labels=CLASSES,
    )
    return Trained(domain, model, network, {"train": data, "test": data}, space, (1.0, 1.0))
