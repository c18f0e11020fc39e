"""A trained ProtoPNet with all that is known of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from xai_backend.models.classifier import Classifier
from xai_backend.models.frame import InputFrame
from xai_backend.models.image_model import ImageModel
from xai_backend.models.labelled import Labelled
from xai_backend.protopnet.backbone import Backbone
from xai_backend.protopnet.network import ProtoPNet
from xai_backend.protopnet.push import Cell, Origin
from xai_backend.protopnet.region import Box
from xai_backend.protopnet.settings import ProtoPNetSettings

ARCHITECTURE = "protopnet"


@dataclass(frozen=True, slots=True)
class Epoch:
    """How far training was.

    Attributes
    ----------
    stage, number
        ``warm`` or ``joint`` and the epoch, ``push`` or ``last layer`` and the cycle.
    cross_entropy, cluster, separation
        Means over the pictures: as they came in an epoch, or after a push or the last layer
        of the pictures as they are.
    accuracy
        Share of training pictures whose class is right.
    """

    stage: str
    number: int
    cross_entropy: float
    cluster: float
    separation: float
    accuracy: float


@dataclass(frozen=True, slots=True, eq=False)
class Prototype:
    """A prototype and the part of a training picture that it is.

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
        """RGB codes of the part that the box frames."""
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
        What it was built over.
    frame
        What it sees of a photograph.
    classes
        Ids in the order of its outputs.
    settings
        How it learnt.
    prototypes
        In the order of the network's.
    history
        Of the training.
    """

    model: ImageModel
    backbone: Backbone
    frame: InputFrame
    classes: tuple[str, ...]
    settings: ProtoPNetSettings
    prototypes: tuple[Prototype, ...]
    history: tuple[Epoch, ...]

    def classifier(self, weights_sha256: str) -> Classifier:
        """Return it as one of the classifiers, by the hash of its file."""
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
    """Return prototypes with their pictures, from where the last push took them."""
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
