"""A trained ProtoPNet with all that is known about it, and the push that makes its prototypes.

The push makes every prototype the nearest patch of a training picture of its class.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from xai_backend.models.classifier import Classifier
from xai_backend.models.frame import InputFrame
from xai_backend.models.image_model import ImageModel, batches
from xai_backend.models.labelled import Labelled
from xai_backend.protopnet.backbone import Backbone, Box, enlarged, most_active_box
from xai_backend.protopnet.network import ProtoPNet, ProtoPNetSettings, own_class, squared_distances

PICTURES_AT_ONCE = 32

Cell = tuple[int, int]
ARCHITECTURE = "protopnet"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a prototype comes from.

    Attributes
    ----------
    picture
        Row of the training picture.
    cell
        Row and column of the patch in the latent maps.
    box
        Part of the picture, see `most_active_box`, pixels of the network's frame.
    distance
        ‖z − p‖² between patch and prototype before the prototype became the patch.
    """

    picture: int
    cell: Cell
    box: Box
    distance: float


@dataclass(frozen=True, slots=True, eq=False)
class _Patch:
    """A latent patch (D,) and its place."""

    values: Tensor
    picture: int
    cell: Cell
    distance: float


@torch.no_grad()
def push(model: ImageModel, pictures: Labelled) -> tuple[Origin, ...]:
    """Make every prototype the nearest latent patch of its own class (section 2.3, stage 2).

    p(j) ← argmin ‖z − p(j)‖ over the patches z of all training pictures of its class; the
    first of equally near patches. Pictures aren't varied. The model is put into evaluation mode,
    and stays in it.

    Parameters
    ----------
    model
        Its network is a ProtoPNet, which is changed.
    pictures
        They include a picture of every class.

    Returns
    -------
    tuple of Origin
        One for each prototype.
    """
    network = _protopnet(model)
    model.eval()
    patches = _nearest_patches(model, network, pictures)
    network.prototypes.copy_(torch.stack([patch.values for patch in patches]))
    return tuple(_origin(model, network, pictures, j, patch) for j, patch in enumerate(patches))


def _nearest_patches(model: ImageModel, network: ProtoPNet, pictures: Labelled) -> list[_Patch]:
    best: dict[int, _Patch] = {}
    for batch, count in batches(torch.arange(len(pictures)), PICTURES_AT_ONCE):
        latent = network.latent(model.normalise(pictures.images(batch).to(model.device)))[:count]
        rows = batch[:count]
        of_own_class = own_class(pictures.targets(rows).to(model.device), network.prototype_classes)
        distances = squared_distances(latent, network.prototypes)
        distances = torch.where(of_own_class[:, :, None, None], distances, torch.inf)
        # Flat from picture to cell: the first of equal minima is that of the first picture.
        flat = distances.transpose(0, 1).flatten(1)
        places = flat.argmin(dim=1)
        least = flat.gather(1, places[:, None])[:, 0]
        width, cells = latent.shape[3], latent.shape[2] * latent.shape[3]
        for j, (value, place) in enumerate(zip(least.tolist(), places.tolist(), strict=True)):
            if value < (best[j].distance if j in best else torch.inf):
                row, (down, across) = place // cells, divmod(place % cells, width)
                patch = latent[row, :, down, across].clone()
                best[j] = _Patch(patch, int(rows[row]), (down, across), value)
    return [_exact(best[j], network.prototypes[j]) for j in range(len(best))]


def _exact(patch: _Patch, prototype: Tensor) -> _Patch:
    """Return a patch with its distance from differences: products would round small ones off."""
    return replace(patch, distance=float((patch.values - prototype).square().sum()))


def _origin(
    model: ImageModel, network: ProtoPNet, pictures: Labelled, j: int, patch: _Patch
) -> Origin:
    image = pictures.images(torch.tensor([patch.picture])).to(model.device)
    activation = network.activations(model.normalise(image))[:, j]
    box = most_active_box(enlarged(activation, image.shape[2:], network.lattice)[0])
    return Origin(patch.picture, patch.cell, box, patch.distance)


def _protopnet(model: ImageModel) -> ProtoPNet:
    assert isinstance(model.network, ProtoPNet)
    return model.network


@dataclass(frozen=True, slots=True)
class Epoch:
    """A point in training, with costs and accuracy.

    Attributes
    ----------
    stage, number
        ``warm`` or ``joint`` and the epoch, ``push`` or ``last layer`` and the cycle.
    cross_entropy, cluster, separation
        Means over the pictures: in an epoch over the varied pictures, after a push or the last
        layer over the unchanged ones.
    accuracy
        Share of training pictures that are classified correctly.
    """

    stage: str
    number: int
    cross_entropy: float
    cluster: float
    separation: float
    accuracy: float


@dataclass(frozen=True, slots=True, eq=False)
class Prototype:
    """A prototype, and the part of a training picture that it stands for.

    Attributes
    ----------
    label
        Index of its class.
    image
        Name of the picture.
    cell
        Row and column of the patch in the latent maps.
    box
        Top, left, bottom, right of its part of the picture, pixels; see `most_active_box`.
    distance
        ‖z − p‖² between the patch and the prototype before the last push.
    picture
        RGB codes (H, W, 3) of the whole picture in the network's frame.
    """

    label: int
    image: str
    cell: Cell
    box: Box
    distance: float
    picture: NDArray[np.uint8]

    @property
    def part(self) -> NDArray[np.uint8]:
        """RGB codes of the part within the box."""
        top, left, bottom, right = self.box
        return self.picture[top:bottom, left:right]


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """A trained ProtoPNet.

    Attributes
    ----------
    model
        In evaluation mode; its network is a `ProtoPNet`.
    backbone
        The backbone that it was built on.
    frame
        Which part of a photograph it sees.
    classes
        Class ids in the order of its outputs.
    settings
        Settings of the training.
    prototypes
        In the order of the network's prototypes.
    history
        Course of the training.
    """

    model: ImageModel
    backbone: Backbone
    frame: InputFrame
    classes: tuple[str, ...]
    settings: ProtoPNetSettings
    prototypes: tuple[Prototype, ...]
    history: tuple[Epoch, ...]

    def classifier(self, weights_sha256: str) -> Classifier:
        """Return the ProtoPNet as a classifier with the hash of its file."""
        return Classifier(
            ARCHITECTURE,
            self.model,
            self.frame,
            self.classes,
            weights_sha256,
            self.backbone.preprocessing,
        )


def prototypes_from(
    origins: Sequence[Origin], network: ProtoPNet, pictures: Labelled
) -> tuple[Prototype, ...]:
    """Return prototypes with the pictures from which the last push took them."""
    labels = network.prototype_classes.tolist()
    return tuple(
        Prototype(
            label=label,
            image=pictures.name(origin.picture),
            cell=origin.cell,
            box=origin.box,
            distance=origin.distance,
            picture=pictures.codes[np.array([origin.picture])][0].copy(),
        )
        for label, origin in zip(labels, origins, strict=True)
    )
