"""How near copies of an image are in a network's features: whether a distance recognises them.

The published distance, 100, is meant for layer4 of ResNet-34. In the features of another network
every image may be nearer than that to every other one, or no copy may be.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from stimuli.errors import UserError
from stimuli.io.canonical import keyed_order
from stimuli.studies.human_ai_team.protocol import NEIGHBOURS, HumanAiTeam
from xai_backend.methods.nearest_neighbours import NearestNeighbours
from xai_backend.models.image_model import as_images
from xai_backend.progress import Reporter
from xai_backend.studies.human_ai_team.ai import Ai
from xai_backend.studies.human_ai_team.images import Candidate, Codes, Jpeg, codes_of
from xai_backend.studies.human_ai_team.source import Source

LABELS: Final = 10
IMAGES_A_LABEL: Final = 8
"""For each of `LABELS` labels, at most this many images are measured."""
COPY_QUALITY: Final = 50
COPY_SCALE: Final = 0.75
"""A copy is an image reduced to this scale, enlarged again and saved as a JPEG of
`COPY_QUALITY`."""
HALF: Final = 0.5
DIGITS: Final = 3
"""Number of significant digits of a distance."""


@dataclass(frozen=True, slots=True)
class Distances:
    """Distances in a network's features, ascending.

    Attributes
    ----------
    copies
        Distances of images to a copy of themselves.
    others
        Distances of images to the nearest other image of their class.
    """

    copies: NDArray[np.float64]
    others: NDArray[np.float64]

    def nearer(self, distance: float) -> tuple[float, float]:
        """Return the shares of copies and of other images that are within a distance."""
        return float((self.copies <= distance).mean()), float((self.others <= distance).mean())

    @property
    def fitting(self) -> float | None:
        """A distance between nearly all copies and nearly all others; None if there is none."""
        copies, others = np.quantile(self.copies, 0.95), np.quantile(self.others, 0.05)
        return _short(float(np.sqrt(copies * others))) if copies < others else None

    def described(self, distance: float) -> dict[str, Any]:
        """Return the distances as plain JSON values."""
        copies, others = self.nearer(distance)
        return {
            "images": len(self.copies),
            "copies_median": _short(float(np.median(self.copies))),
            "others_median": _short(float(np.median(self.others))),
            "copies_recognised": round(copies, DIGITS),
            "others_passed_over": round(others, DIGITS),
            "fitting_distance": self.fitting,
        }


def checked_distance(source: Source, ai: Ai, reporter: Reporter) -> dict[str, Any]:
    """Measure distances of near-duplicates, and return the results as plain JSON values.

    Nothing is measured, and {} is returned, if no arm has examples, if only exact copies are passed
    over, or if no class has two training images.

    Raises
    ------
    UserError
        If most images have another image of their class that counts as a copy.
    """
    rule = source.protocol.help
    distance = rule.near_duplicate_distance
    if NEIGHBOURS not in rule.arms or distance == 0:
        return {}
    images = _some(source.train, source.protocol)
    if not images:
        return {}
    name = source.of.classifier.name
    found = measured(images, ai, NearestNeighbours(layer=source.protocol.system.layer))
    copies, others = found.nearer(distance)
    advice = "0 (exact copies only)" if found.fitting is None else f"{found.fitting:g}"
    where = f"help.near_duplicate_distance ({distance:g}): in the features of {name}"
    if others > HALF:
        raise UserError(
            f"{where}, {others:.0%} of images have another image of their class that is nearer, "
            f"and would lose it as an example; write {advice} into the protocol"
        )
    if copies < HALF:
        reporter.say(
            f"caution: {where}, only {copies:.0%} of copies (smaller, and saved again) are "
            f"nearer, so most stay among the examples; {advice} fits better"
        )
    return {"near_duplicates": found.described(distance)}


def measured(images: Mapping[str, Sequence[Codes]], ai: Ai, method: NearestNeighbours) -> Distances:
    """Return distances of images, by class, to their copies and to each other."""
    copies, others = [], []
    for own in images.values():
        plain = _features(own, ai, method)
        apart = torch.cdist(plain, plain, compute_mode="donot_use_mm_for_euclid_dist")
        apart.fill_diagonal_(torch.inf)
        others += apart.min(dim=1).values.tolist()
        changed = _features([copy_of(codes) for codes in own], ai, method)
        copies += (plain - changed).square().sum(dim=1).sqrt().tolist()
    return Distances(np.sort(np.array(copies)), np.sort(np.array(others)))


def copy_of(codes: Codes) -> Codes:
    """Return an image, uint8 (side, side, 3), after it was reduced, enlarged again and saved."""
    side = codes.shape[0]
    small = max(1, round(COPY_SCALE * side))
    image = Image.fromarray(codes).resize((small, small), Image.Resampling.BILINEAR)
    stream = io.BytesIO()
    image.resize((side, side), Image.Resampling.BILINEAR).save(
        stream, "JPEG", quality=COPY_QUALITY, subsampling=Jpeg().subsampling
    )
    return codes_of(stream.getvalue())


def _some(train: Sequence[Candidate], protocol: HumanAiTeam) -> dict[str, list[Codes]]:
    """Return some images of some classes that have at least two."""
    by_label: dict[str, dict[str, Candidate]] = {}
    for one in train:
        by_label.setdefault(one.label, {})[one.item] = one
    several = [label for label, own in by_label.items() if len(own) > 1]
    return {
        label: [
            by_label[label][item].codes()
            for item in keyed_order(by_label[label], protocol.seed, "copies")[:IMAGES_A_LABEL]
        ]
        for label in keyed_order(several, protocol.seed, "copies")[:LABELS]
    }


def _features(images: Sequence[Codes], ai: Ai, method: NearestNeighbours) -> Tensor:
    return method.features(ai.of.classifier.model, as_images(torch.from_numpy(np.stack(images))))


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
