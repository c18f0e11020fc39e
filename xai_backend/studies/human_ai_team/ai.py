"""What the AI says of pictures: one label each, and how confident it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from xai_backend.explain.precompute import Picture, Precompute
from xai_backend.models.image_model import probability
from xai_backend.packs.subject import Subject

DIGITS = 6
"""Decimals of a probability that are kept: beyond them machines differ."""


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """The AI's answer to a picture.

    Attributes
    ----------
    output
        Number of the output that is largest.
    label
        What it is called.
    confidence
        Its probability, 0…1.
    logits
        float32 (K,), of all outputs, divided by the temperature.
    """

    output: int
    label: str
    confidence: float
    logits: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Ai:
    """The classifier whose labels are judged.

    Attributes
    ----------
    of, work
        The classifier, and who lets it answer.
    temperature
        What divides its logits.
    recorded
        Its answers by item, if they were recorded beforehand; it then answers nothing else.
    """

    of: Subject
    work: Precompute
    temperature: float = 1.0
    recorded: Mapping[str, Said] | None = None

    def answers(self, pictures: Sequence[Picture]) -> dict[str, Said]:
        """Return the answers by the pictures' names; `Precompute` keeps them.

        Raises
        ------
        UserError
            If workers can't be had or the store can't be written.
        """
        if self.recorded is not None:
            named = (one.name for one in pictures)
            return {name: self.recorded[name] for name in named if name in self.recorded}
        return {name: self._answer_of(one) for name, one in self.work.logits(pictures).items()}

    def output_of(self, label: str) -> int:
        """Return the number of a label's output."""
        return self.of.outputs.index(label)

    def _answer_of(self, logits: NDArray[np.float32]) -> Said:
        if self.temperature != 1:
            logits = (logits / self.temperature).astype(np.float32)
        output = int(logits.argmax())
        confidence = round(probability(logits, output), DIGITS)
        return Said(output, self.of.outputs[output], confidence, logits)


def confidence_in(said: Said, output: int) -> float:
    """Return the AI's probability of an output that needn't be the largest, 0…1."""
    return round(probability(said.logits, output), DIGITS)


Answers = Mapping[str, Said]
