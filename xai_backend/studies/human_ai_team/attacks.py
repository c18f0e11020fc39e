"""Attacked images of every level: pushed away from their label until there are enough."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np
import torch
from torch import Tensor

from stimuli.errors import UserError
from stimuli.io.canonical import keyed_order
from stimuli.studies.human_ai_team.protocol import Attack, HumanAiTeam, Subsampling
from xai_backend.determinism import deterministic
from xai_backend.explain.precompute import ComputedMap, Picture
from xai_backend.methods.method import Execution
from xai_backend.methods.pgd import Pgd
from xai_backend.models.image_model import ImageModel, as_images, batches, logits_of
from xai_backend.studies.human_ai_team.ai import Ai
from xai_backend.studies.human_ai_team.draw import (
    Fits,
    Judged,
    adversarial_levels,
    binned,
    can_show,
    first,
    remedy,
    table,
)
from xai_backend.studies.human_ai_team.images import ATTACKED, Codes, Jpeg
from xai_backend.studies.human_ai_team.training_images import Showable

CHUNK = 256
"""Number of images that are attacked before checking whether there are enough."""

INPUTS_AT_ONCE = 4

Stop = Literal["last", "wrong"]


@dataclass(frozen=True, slots=True)
class Attacked:
    """The result of the attacks.

    Attributes
    ----------
    main, allowed
        Attacked images of the main trials; all attacked images that may be shown.
    pictures
        Pictures of all successful attacks, by item.
    tried, misled, outside
        Number of images that were attacked; number on which the AI was still wrong after the JPEG;
        number of these with a label outside ``images.labels``, which nobody is shown.
    by_level
        Successful attacks by bin, without those outside.
    """

    main: tuple[Judged, ...] = ()
    allowed: tuple[Judged, ...] = ()
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    tried: int = 0
    misled: int = 0
    outside: int = 0
    by_level: Mapping[str, int] = field(default_factory=dict)


def attacked(
    natural: Sequence[Judged],
    pictures: Mapping[str, Picture],
    protocol: HumanAiTeam,
    ai: Ai,
    showable: Showable,
) -> Attacked:
    """Return attacked images of all levels that a protocol asks for.

    Parameters
    ----------
    natural
        Images that the AI gets right and that nobody is shown unchanged, in any order.
    pictures
        Their pictures, by item.
    protocol
        How to attack, and how many images of each level are wanted.
    ai
        The AI that is attacked.
    showable
        Tells which images can be shown.

    Raises
    ------
    UserError
        If a level can't be filled; the message has the counts of all levels.
    """
    levels, wanted = adversarial_levels(protocol), protocol.bins.adversarial_per_level
    if not levels:
        return Attacked()
    by_item = {image.item: image for image in natural}
    queue = [by_item[item] for item in keyed_order(by_item, protocol.seed, "attacks")]
    allowed: list[Judged] = []
    attacked_pictures: dict[str, Picture] = {}
    drawn: list[Judged] = []
    tried = misled = 0
    for start in range(0, len(queue), CHUNK):
        chunk = queue[start : start + CHUNK]
        tried += len(chunk)
        new, new_pictures = _attacked(chunk, pictures, protocol, ai)
        misled += len(new)
        allowed += [image for image in new if can_show(image.label, protocol)]
        attacked_pictures |= new_pictures
        drawn = _drawn(allowed, attacked_pictures, protocol, showable)
        if len(drawn) == wanted * len(levels):
            break
    by_bin, outside = binned(allowed, protocol), misled - len(allowed)
    by_level = {name: len(by_bin.get(name, ())) for name in levels}
    usable = {name: sum(map(showable.fits, by_bin.get(name, ()))) for name in levels}
    least = min(usable.values())
    if least < wanted:
        counts = {name: (usable[name], by_level[name]) for name in levels}
        label = f", {outside} to a label outside images.labels" if outside else ""
        raise UserError(
            f"attacked {table(counts, wanted)}; {tried} were attacked, {misled} mislead the AI "
            f"after their JPEG{label}; {remedy('--adversarial-per-level', least)}, or change "
            "attack.epsilon_255 or attack.stop in the protocol"
        )
    return Attacked(
        tuple(drawn), tuple(allowed), attacked_pictures, tried, misled, outside, by_level
    )


def _attacked(
    images: Sequence[Judged], pictures: Mapping[str, Picture], protocol: HumanAiTeam, ai: Ai
) -> tuple[list[Judged], dict[str, Picture]]:
    """Return the images that mislead the AI even after the JPEG, and their pictures by item."""
    method = JpegAttack.of(protocol.attack)
    targets = [ai.output_of(image.true_label) for image in images]
    attacks = ai.work.maps(method, [pictures[image.item] for image in images], targets)
    attacked_pictures = {
        f"{image.item}{ATTACKED}": Picture.of(
            f"{image.item}{ATTACKED}", codes_in(attacks[image.item])
        )
        for image in images
        if image.item in attacks
    }
    answers = ai.answers(list(attacked_pictures.values()))
    misled = []
    for image in images:
        item = f"{image.item}{ATTACKED}"
        if item in answers and answers[item].label != image.true_label:
            now = answers[item]
            misled.append(
                replace(
                    image, item=item, label=now.label, confidence=now.confidence, adversarial=True
                )
            )
    return misled, {image.item: attacked_pictures[image.item] for image in misled}


def _drawn(
    misled: Sequence[Judged],
    pictures: Mapping[str, Picture],
    protocol: HumanAiTeam,
    showable: Showable,
) -> list[Judged]:
    by_bin, wanted = binned(misled, protocol), protocol.bins.adversarial_per_level

    def choose(fits: Fits) -> list[Judged]:
        return [
            image
            for name in adversarial_levels(protocol)
            for image in first(by_bin.get(name, ()), wanted, fits)
        ]

    showable.settled(choose, pictures)
    return choose(showable.fits)


@dataclass(frozen=True, slots=True)
class JpegAttack:
    """Projected gradient descent, then a JPEG (Nguyen et al. 2021, section 2.2).

    It has the interface of a method, so that the same workers compute it and its results are kept
    under the same kind of keys; but its results are pictures.

    Attributes
    ----------
    epsilon, steps, relative_step, random_start
        See `Pgd`.
    quality, subsampling
        Settings of the JPEG; see `Jpeg`.
    stop
        ``last``: all steps are taken. ``wrong``: the first step after whose JPEG the
        network gives another label; all steps if there is none.
    """

    epsilon: float = 16 / 255
    steps: int = 40
    relative_step: float = 1 / 30
    random_start: bool = True
    quality: int = 75
    subsampling: Subsampling = "4:2:0"
    stop: Stop = "last"

    name: ClassVar[str] = "pgd_jpeg"
    version: ClassVar[int] = 1

    @classmethod
    def of(cls, attack: Attack) -> "JpegAttack":
        """Return the attack that a protocol describes."""
        return cls(
            attack.epsilon_255 / 255,
            attack.steps,
            attack.relative_step,
            attack.random_start,
            attack.jpeg_quality,
            attack.jpeg_subsampling,
            attack.stop,
        )

    def explain(
        self,
        model: ImageModel,
        inputs: Tensor,
        targets: Tensor,
        execution: Execution = Execution(),
    ) -> Tensor:
        """Return the pictures in the JPEGs, uint8 (n, H, W, 3) RGB codes.

        Parameters
        ----------
        model, inputs, execution
            As in `Method.explain`.
        targets
            int64 (n,): the labels that the attack leads away from.
        """
        model.eval()
        pictures = []
        with deterministic(threads=execution.threads):
            for batch, count in batches(
                torch.arange(len(inputs)), execution.at_once or INPUTS_AT_ONCE
            ):
                pictures.append(self._attacked(model, inputs[batch], targets[batch])[:count])
        return torch.cat(pictures)

    def _attacked(self, model: ImageModel, images: Tensor, labels: Tensor) -> Tensor:
        pgd = Pgd(self.epsilon, self.steps, self.relative_step, self.random_start)
        if self.stop == "last":
            *_, last = pgd.ascent(model, images, labels)
            return self._saved(last)
        attacked_codes = None
        right = torch.ones(len(labels), dtype=torch.bool)
        for here in pgd.ascent(model, images, labels):
            saved = self._saved(here)
            attacked_codes = (
                saved
                if attacked_codes is None
                else torch.where(right[:, None, None, None], saved, attacked_codes)
            )
            right &= logits_of(model, as_images(saved), len(saved)).argmax(dim=1) == labels
            if not right.any():
                break
        assert attacked_codes is not None  # there is at least one step
        return attacked_codes

    def _saved(self, images: Tensor) -> Tensor:
        codes = (images.cpu().clamp(0, 1) * 255).round().to(torch.uint8).permute(0, 2, 3, 1)
        jpeg = Jpeg(self.quality, self.subsampling)
        kept = [jpeg.through(picture) for picture in codes.contiguous().numpy()]
        return torch.from_numpy(np.stack(kept))


def codes_in(attack: ComputedMap) -> Codes:
    """Return the picture that an attack made, uint8 (H, W, 3) RGB codes."""
    return np.ascontiguousarray(attack.values, dtype=np.uint8)
