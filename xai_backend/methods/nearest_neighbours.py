"""Explanation by example: the training images that a network finds most alike."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from stimuli.errors import UserError
from xai_backend.determinism import deterministic
from xai_backend.methods.method import Execution
from xai_backend.models.image_model import ImageModel, batches

INPUTS_AT_ONCE = 8
REFERENCES_AT_ONCE = 1024
ROUNDING = 1e-5
"""Images of the same content may differ in their features by this share: sums are rounded
differently at another place in a batch."""


@dataclass(frozen=True, slots=True)
class References:
    """Images to choose neighbours from, as the network sees them.

    Attributes
    ----------
    names
        One per image.
    labels
        int64 (N,): their classes.
    features
        float32 (N, D), on the CPU.
    """

    names: tuple[str, ...]
    labels: Tensor
    features: Tensor


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A reference and its distance in features (Euclidean)."""

    name: str
    label: int
    distance: float


@dataclass(frozen=True, slots=True)
class NearestNeighbours:
    """Nearest training images of the class that is explained (Nguyen et al. 2021, section 2.3).

    Features are the last feature maps, flattened; distances are Euclidean. A reference
    closer than ``duplicate_distance``, such as the image itself or a copy of it, is passed over; so
    is a reference that is as close to a neighbour already taken.

    Attributes
    ----------
    count
        Neighbours of each image.
    layer
        Name, within the network, of the module whose output is compared; without it the
        last feature maps that the model names.
    duplicate_distance
        In units of the features; 0 passes over exact copies only.
    """

    count: int = 3
    layer: str = ""
    duplicate_distance: float = 0.0

    name: ClassVar[str] = "nearest_neighbours"
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if self.count < 1 or not self.duplicate_distance >= 0:
            raise ValueError("count starts at 1, duplicate_distance at 0")

    def references(
        self,
        model: ImageModel,
        parts: Iterable[tuple[Sequence[str], Tensor, Tensor]],
        execution: Execution = Execution(),
    ) -> References:
        """Return references from parts of a set: names, images (n, 3, H, W), classes (n,)."""
        names: list[str] = []
        labels, features = [], []
        for part_names, images, classes in parts:
            names += part_names
            labels.append(classes.cpu())
            features.append(self.features(model, images, execution))
        if not names:
            raise UserError("nearest_neighbours: there are no training images to choose from")
        return References(tuple(names), torch.cat(labels), torch.cat(features))

    def features(
        self, model: ImageModel, images: Tensor, execution: Execution = Execution()
    ) -> Tensor:
        """Return the features, float32 (n, D) on the CPU, of images (n, 3, H, W)."""
        layer = self.layer or model.last_features
        if layer is None:
            raise UserError("nearest_neighbours: this network names no features; name a layer")
        try:
            module = model.network.get_submodule(layer)
        except AttributeError:
            raise UserError(f"nearest_neighbours: the network has no layer {layer!r}") from None
        model.eval()
        kept: list[Tensor] = []
        hook = module.register_forward_hook(
            lambda module, inputs, output: kept.append(output.flatten(1).cpu().clone())
        )
        batch_features = []
        try:
            with deterministic(threads=execution.threads), torch.no_grad():
                for batch, real in batches(images, execution.at_once or INPUTS_AT_ONCE):
                    model(batch.to(model.device))
                    batch_features.append(kept.pop()[:real])
        finally:
            hook.remove()
        return torch.cat(batch_features)

    def neighbours(
        self,
        model: ImageModel,
        inputs: Tensor,
        targets: Tensor,
        references: References,
        execution: Execution = Execution(),
    ) -> list[tuple[Neighbour, ...]]:
        """Return each image's neighbours, nearest first.

        Parameters
        ----------
        model, inputs, targets, execution
            As in `Method.explain`; only references of the target class are looked at.
        references
            What to choose from.

        Returns
        -------
        list of tuple
            Fewer than ``count`` if the class has no more.
        """
        features = self.features(model, inputs, execution)
        neighbours = []
        for feature, target in zip(features, targets.tolist(), strict=True):
            rows = torch.nonzero(references.labels == target)[:, 0]
            neighbours.append(self._nearest(feature, rows, references) if len(rows) else ())
        return neighbours

    def _nearest(
        self, feature: Tensor, rows: Tensor, references: References
    ) -> tuple[Neighbour, ...]:
        distances = torch.cat(
            [
                _distances(feature, references.features[batch])
                for batch in rows.split(REFERENCES_AT_ONCE)
            ]
        )
        taken: list[Neighbour] = []
        seen = [feature]
        nearest = max(self.duplicate_distance, ROUNDING * float(feature.norm()))
        for k in torch.argsort(distances, stable=True).tolist():
            row = int(rows[k])
            candidate = references.features[row]
            if _distances(candidate, torch.stack(seen)).min() <= nearest:
                continue
            seen.append(candidate)
            name, label = references.names[row], int(references.labels[row])
            taken.append(Neighbour(name, label, float(distances[k])))
            if len(taken) == self.count:
                break
        return tuple(taken)


def _distances(feature: Tensor, others: Tensor) -> Tensor:
    """Return Euclidean distances (N,) from differences: products would round small ones off."""
    return (others - feature).square().sum(dim=1).sqrt()
