"""Validation images: which labels nobody can mistake, by the AI's own answers or a lab's list."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stimuli.errors import UserError
from stimuli.io.given_tables import numbered_rows
from stimuli.studies.human_ai_team.material import shown_percent
from stimuli.studies.human_ai_team.protocol import HumanAiTeam, Validation
from xai_backend.studies.human_ai_team.ai import Ai, Answers, confidence_in
from xai_backend.studies.human_ai_team.draw import Judged, Obvious, off_range
from xai_backend.studies.human_ai_team.images import file_name

DIGITS = 6
"""Decimals of a mean probability that are kept; further ones differ between machines."""


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels that can be proposed for images, and the AI's answers.

    Attributes
    ----------
    ai, answers
        The AI, and its answers to the images, by item.
    known
        Labels that images of the source have and that people may see by the protocol.
    usual
        By true label: the mean probability of each output over the label's images, float64 (K,).
    """

    ai: Ai
    answers: Answers
    known: tuple[str, ...]
    usual: Mapping[str, NDArray[np.float64]]

    @classmethod
    def of(
        cls, judged: Sequence[Judged], protocol: HumanAiTeam, ai: Ai, answers: Answers
    ) -> "Labels":
        """Return the labels of a source's images."""
        items: dict[str, list[str]] = {}
        for one in judged:
            items.setdefault(one.true_label, []).append(one.item)
        usual = {
            label: np.mean([_shares(answers[item].logits) for item in own], axis=0).round(DIGITS)
            for label, own in items.items()
        }
        allowed = set(protocol.images.labels) or items.keys()
        return cls(ai, answers, tuple(sorted(items.keys() & allowed)), usual)

    def obvious(self, listed: Sequence[Judged] | None) -> Obvious:
        """Return what a draw needs to know about labels."""
        return Obvious(self.confusion, self.swapped, listed)

    def confusion(self, judged: Judged) -> float:
        """Return how often the AI takes images of one of an image's two labels for the other."""
        there = self.usual[judged.true_label][self.ai.output_of(judged.label)]
        back = self.usual.get(judged.label)
        return float(
            there if back is None else max(there, back[self.ai.output_of(judged.true_label)])
        )

    def swapped(self, judged: Judged) -> Iterator[Judged]:
        """Yield an image with each label but its true one and the AI's, the least likely first."""
        if self.ai.recorded is not None:
            return  # Such an AI's confidence in labels that it didn't give isn't known.
        logits = self.answers[judged.item].logits
        given = {judged.true_label, self.answers[judged.item].label}
        others = [label for label in self.known if label not in given]
        for label in sorted(others, key=lambda label: float(logits[self.ai.output_of(label)])):
            yield self.proposed(judged, label)

    def proposed(self, judged: Judged, label: str) -> Judged:
        """Return an image with a label and the AI's confidence in this label."""
        said = self.answers[judged.item]
        if label == said.label:
            return replace(judged, label=label, confidence=said.confidence, swapped=False)
        confidence = confidence_in(said, self.ai.output_of(label))
        return replace(judged, label=label, confidence=confidence, swapped=True)


def _shares(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the probabilities of all outputs."""
    exact = np.exp(logits.astype(np.float64) - float(logits.max()))
    return exact / exact.sum()


def listed(
    path: Path, judged: Sequence[Judged], protocol: HumanAiTeam, labels: Labels
) -> list[Judged]:
    """Return the validation images of a lab's own CSV ``image``, with ``label`` if it differs.

    Raises
    ------
    UserError
        If it names an image or a label that can't be shown, or not as many images as the protocol
        wants.
    """
    by_name = {file_name(one.item): one for one in judged} | {one.item: one for one in judged}
    allowed = protocol.images.labels or labels.ai.of.outputs
    found: list[Judged] = []
    for number, row in numbered_rows(path, ("image",)):
        where, one = f"--validation {path}, row {number}", by_name.get(row["image"])
        if one is None:
            raise UserError(f"{where}: {row['image']} is not an image that can be shown")
        label = row.get("label") or one.label
        if label not in allowed:
            raise UserError(
                f"{where}: {label} is not a label of the network, or not among images.labels"
            )
        if label != one.label and labels.ai.recorded is not None:
            raise UserError(
                f"{where}: {label} isn't the recorded answer, so its confidence isn't known; leave "
                "the label empty"
            )
        found.append(labels.proposed(one, label))
    rule, right = protocol.validation, sum(one.right for one in found)
    if (len(found), right) != (rule.trials, rule.right_trials):
        raise UserError(
            f"--validation {path}: {len(found)} images, {right} with their own label; the "
            f"protocol wants {rule.trials}, {rule.right_trials} (validation.trials, right_trials)"
        )
    return found


def counts_of(drawn: Sequence[Judged], rule: Validation) -> dict[str, Any]:
    """Return the counts of validation images for a pack."""
    own = [one for one in drawn if not one.swapped]
    return {
        "right": sum(one.right for one in drawn),
        "errors": sum(not one.right for one in own),
        "swapped": len(drawn) - len(own),
        "outside_confidence": sum(off_range(one, rule) > 0 for one in own),
    }


def line_of(drawn: Sequence[Judged], rule: Validation) -> str:
    """Return a line on the validation images; empty without any."""
    if not drawn:
        return ""
    counts = counts_of(drawn, rule)
    right = [one for one in drawn if one.right]
    errors = [one for one in drawn if not one.right and not one.swapped]
    parts = [f"{counts['right']} right labels{_percents(right)}"]
    parts.append(f"{counts['errors']} errors of the AI{_percents(errors)}")
    if counts["outside_confidence"]:
        parts.append(
            f"{counts['outside_confidence']} of these are outside the confidence of "
            "validation.right_from, wrong_from and wrong_to"
        )
    if counts["swapped"]:
        parts.append(
            f"{counts['swapped']} labels aren't the AI's: the source has no other errors that can "
            "be shown, or your list names them; the debrief says so"
        )
    return f"validation: {', '.join(parts)}"


def _percents(some: Sequence[Judged]) -> str:
    """Return the range of images' confidences, in words."""
    if not some:
        return ""
    found = sorted(shown_percent(one.confidence) for one in some)
    return f" ({found[0]} to {found[-1]} %)"
