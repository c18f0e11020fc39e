"""Which images a pack shows, and what is known of all others."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stimuli.errors import UserError
from stimuli.io.given_tables import numbered_rows
from stimuli.studies.human_ai_team.material import AiAnswer, shown_percent
from stimuli.studies.human_ai_team.protocol import HumanAiTeam, Validation
from stimuli.studies.human_ai_team.tables import NATURAL_BINS
from xai_backend.explain.precompute import Picture
from xai_backend.models.classifier import say_if_mostly_wrong
from xai_backend.models.frame import InputFrame, cut_line
from xai_backend.progress import Reporter
from xai_backend.store import TensorStore
from xai_backend.studies.human_ai_team.ai import Ai, Answers, confidence_in
from xai_backend.studies.human_ai_team.attacks import Attacked, attacked
from xai_backend.studies.human_ai_team.confidence import with_limits
from xai_backend.studies.human_ai_team.draw import (
    Drawn,
    Fits,
    Judged,
    Obvious,
    binned,
    can_show,
    check,
    draw,
    off_range,
)
from xai_backend.studies.human_ai_team.images import file_name, gathered
from xai_backend.studies.human_ai_team.request import TeamRequest
from xai_backend.studies.human_ai_team.source import Source
from xai_backend.studies.human_ai_team.training_images import Examples, Pool, Showable

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
        for image in judged:
            items.setdefault(image.true_label, []).append(image.item)
        usual = {
            label: np.mean([_shares(answers[item].logits) for item in label_items], axis=0).round(
                DIGITS
            )
            for label, label_items in items.items()
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
        taken = {judged.true_label, self.answers[judged.item].label}
        others = [label for label in self.known if label not in taken]
        for label in sorted(others, key=lambda label: float(logits[self.ai.output_of(label)])):
            yield self.proposed(judged, label)

    def proposed(self, judged: Judged, label: str) -> Judged:
        """Return an image with a label and the AI's confidence in this label."""
        answer = self.answers[judged.item]
        if label == answer.label:
            return replace(judged, label=label, confidence=answer.confidence, swapped=False)
        confidence = confidence_in(answer, self.ai.output_of(label))
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
    by_name = {file_name(image.item): image for image in judged} | {
        image.item: image for image in judged
    }
    allowed = protocol.images.labels or labels.ai.of.outputs
    images: list[Judged] = []
    for number, row in numbered_rows(path, ("image",)):
        where, image = f"--validation {path}, row {number}", by_name.get(row["image"])
        if image is None:
            raise UserError(f"{where}: {row['image']} is not an image that can be shown")
        label = row.get("label") or image.label
        if label not in allowed:
            raise UserError(
                f"{where}: {label} is not a label of the network, or not among images.labels"
            )
        if label != image.label and labels.ai.recorded is not None:
            raise UserError(
                f"{where}: {label} isn't the recorded answer, so its confidence isn't known; leave "
                "the label empty"
            )
        images.append(labels.proposed(image, label))
    rule, right = protocol.validation, sum(image.right for image in images)
    if (len(images), right) != (rule.trials, rule.right_trials):
        raise UserError(
            f"--validation {path}: {len(images)} images, {right} with their own label; the "
            f"protocol wants {rule.trials}, {rule.right_trials} (validation.trials, right_trials)"
        )
    return images


def counts_of(drawn: Sequence[Judged], rule: Validation) -> dict[str, Any]:
    """Return the counts of validation images for a pack."""
    unswapped = [image for image in drawn if not image.swapped]
    return {
        "right": sum(image.right for image in drawn),
        "errors": sum(not image.right for image in unswapped),
        "swapped": len(drawn) - len(unswapped),
        "outside_confidence": sum(off_range(image, rule) > 0 for image in unswapped),
    }


def line_of(drawn: Sequence[Judged], rule: Validation) -> str:
    """Return a line on the validation images; empty without any."""
    if not drawn:
        return ""
    counts = counts_of(drawn, rule)
    right = [image for image in drawn if image.right]
    errors = [image for image in drawn if not image.right and not image.swapped]
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


def _percents(images: Sequence[Judged]) -> str:
    """Return the range of images' confidences, in words."""
    if not images:
        return ""
    percents = sorted(shown_percent(image.confidence) for image in images)
    return f" ({percents[0]} to {percents[-1]} %)"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The images of a pack.

    Attributes
    ----------
    protocol
        With the limits of the bins.
    drawn, attacked
        Images as they are, and attacked ones.
    pictures
        Pictures of all of them, by item.
    showable
        Their samples and examples.
    answers
        The AI's answers to all images of the source that the protocol takes.
    by_bin
        Number of images in each bin.
    dropped
        Number of images that the protocol leaves out, by reason.
    passed_over
        Number of images of the bins that lack samples or an arm's help, by what they lack.
    """

    protocol: HumanAiTeam
    drawn: Drawn
    attacked: Attacked
    pictures: Mapping[str, Picture]
    showable: Showable
    answers: Sequence[AiAnswer]
    by_bin: Mapping[str, int]
    dropped: Mapping[str, int]
    passed_over: Mapping[str, int]

    @property
    def judged(self) -> tuple[Judged, ...]:
        """All images that people judge."""
        return (*self.drawn.all, *self.attacked.main)


def choose(
    source: Source, request: TeamRequest, ai: Ai, store: TensorStore, reporter: Reporter
) -> Chosen:
    """Return the images of a pack.

    Raises
    ------
    UserError
        If a bin or a level can't be filled; the message has the counts of all.
    """
    protocol = source.protocol
    album = gathered(source.judged, protocol, reporter)
    frame = InputFrame(protocol.images.resize_px, protocol.images.size_px)
    line = cut_line("a person or the network", frame, album.sizes)
    if line:
        reporter.say(line)
    plain = ai.answers(list(album.pictures.values()))
    true = {candidate.item: candidate.label for candidate in source.judged}
    right = sum(answer.label == true[item] for item, answer in plain.items())
    if ai.recorded is None:
        say_if_mostly_wrong(reporter, source.of.network.name, right, len(plain))
    answered = {item: answer for item, answer in plain.items() if can_show(answer.label, protocol)}
    dropped = dict(album.dropped)
    if len(answered) < len(plain):
        dropped["given a label outside images.labels"] = len(plain) - len(answered)
    if dropped:
        why = ", ".join(f"{count} {reason}" for reason, count in dropped.items())
        reporter.say(f"left out: {why}")
    judged = [
        Judged(item, true[item], answer.label, answer.confidence)
        for item, answer in answered.items()
    ]
    protocol = with_limits(protocol, judged, reporter)
    pool = Pool(source.train, ai, protocol, reporter)
    showable = Showable(pool, Examples(ai, pool, protocol, store, reporter), protocol)
    labels = Labels.of(judged, protocol, ai, answered)
    validation = (
        listed(request.validation, judged, protocol, labels) if request.validation else None
    )
    drawn = _drawn(judged, protocol, showable, album.pictures, labels.obvious(validation))
    if line := line_of(drawn.validation, protocol.validation):
        reporter.say(line)
    used = {image.item for image in drawn.all}
    free = [image for image in judged if image.right and image.item not in used]
    attacks = attacked(free, album.pictures, protocol, ai, showable)
    natural = {name: len(images) for name, images in binned(judged, protocol).items()}
    return Chosen(
        protocol,
        drawn,
        attacks,
        {**album.pictures, **attacks.pictures},
        showable,
        [AiAnswer(image.item, image.confidence, image.right) for image in judged],
        {**{name: natural.get(name, 0) for name in NATURAL_BINS}, **attacks.by_level},
        dropped,
        _passed_over([*judged, *attacks.allowed], protocol, showable),
    )


def _passed_over(
    judged: Sequence[Judged], protocol: HumanAiTeam, showable: Showable
) -> dict[str, int]:
    """Return the number of images of the bins that can't be shown, by what they lack."""
    lacking = (
        showable.lacking(image) for of_bin in binned(judged, protocol).values() for image in of_bin
    )
    return dict(sorted(Counter(filter(None, lacking)).items()))


def _drawn(
    judged: Sequence[Judged],
    protocol: HumanAiTeam,
    showable: Showable,
    pictures: Mapping[str, Picture],
    obvious: Obvious,
) -> Drawn:
    """Return unchanged images; UserError if there are too few."""

    def once(fits: Fits) -> Drawn:
        return draw(judged, protocol, fits, obvious)

    showable.settled(lambda fits: once(fits).all, pictures)
    drawn = once(showable.fits)
    check(drawn, binned(judged, protocol), showable.fits, protocol)
    return drawn
