"""Attacked images: pushed away from their label, saved as JPEG, and looked at again."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import torch
from torch import Tensor

from stimuli.studies.human_ai_team.protocol import Attack
from xai_backend.determinism import deterministic
from xai_backend.explain.precompute import Found
from xai_backend.methods.method import Execution
from xai_backend.methods.pgd import Pgd
from xai_backend.models.image_model import ImageModel, as_images, batches, logits_of
from xai_backend.studies.human_ai_team.pictures import Codes, through_jpeg

INPUTS_AT_ONCE = 4
Stop = Literal["last", "wrong"]


@dataclass(frozen=True, slots=True)
class JpegAttack:
    """Projected gradient descent, then a JPEG (Nguyen et al. 2021, section 2.2).

    It is run as a method is, so that what it makes is computed by the same workers and kept
    by the same keys; what it makes are pictures.

    Attributes
    ----------
    epsilon, steps, relative_step, random_start
        See `Pgd`.
    quality
        Of the JPEG.
    stop
        ``last``: all steps are taken. ``wrong``: the first step after whose JPEG the
        network gives another label; all steps if there is none.
    """

    epsilon: float = 16 / 255
    steps: int = 40
    relative_step: float = 1 / 30
    random_start: bool = True
    quality: int = 95
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
            attack.stop,
        )

    def explain(
        self,
        model: ImageModel,
        inputs: Tensor,
        targets: Tensor,
        execution: Execution = Execution(),
    ) -> Tensor:
        """Return pictures, uint8 (n, H, W, 3) RGB codes, that the JPEGs hold.

        Parameters
        ----------
        model, inputs, execution
            As in `Method.explain`.
        targets
            int64 (n,): the labels to be driven away from.
        """
        model.eval()
        found = []
        with deterministic(threads=execution.threads):
            for some, count in batches(
                torch.arange(len(inputs)), execution.at_once or INPUTS_AT_ONCE
            ):
                found.append(self._attacked(model, inputs[some], targets[some])[:count])
        return torch.cat(found)

    def _attacked(self, model: ImageModel, images: Tensor, labels: Tensor) -> Tensor:
        pgd = Pgd(self.epsilon, self.steps, self.relative_step, self.random_start)
        if self.stop == "last":
            *_, last = pgd.ascent(model, images, labels)
            return self._saved(last)
        found = None
        right = torch.ones(len(labels), dtype=torch.bool)
        for here in pgd.ascent(model, images, labels):
            saved = self._saved(here)
            found = (
                saved if found is None else torch.where(right[:, None, None, None], saved, found)
            )
            right &= logits_of(model, as_images(saved), len(saved)).argmax(dim=1) == labels
            if not right.any():
                break
        assert found is not None  # there is one step at least
        return found

    def _saved(self, images: Tensor) -> Tensor:
        codes = (images.cpu().clamp(0, 1) * 255).round().to(torch.uint8).permute(0, 2, 3, 1)
        kept = [through_jpeg(one, self.quality) for one in codes.contiguous().numpy()]
        return torch.from_numpy(np.stack(kept))


def codes_in(found: Found) -> Codes:
    """Return the picture that came of an attack, uint8 (H, W, 3) RGB codes."""
    return np.ascontiguousarray(found.values, dtype=np.uint8)
