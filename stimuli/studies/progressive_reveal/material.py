"""What a pack is made of: images, every method's maps of them, and their classes' names."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from stimuli.errors import UserError
from stimuli.maps.origin import UNKNOWN, Origin
from stimuli.studies.progressive_reveal.protocol import PROTOTYPES, ProgressiveReveal
from stimuli.studies.progressive_reveal.reveal import Bytes

Map = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What the explained model makes of an image.

    Attributes
    ----------
    class_id
        The class that it gives.
    target_probability
        Its probability of the image's own class, None where it isn't known.
    """

    class_id: str
    target_probability: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """An image and what is known of it.

    Attributes
    ----------
    item, class_id
        Its id and its class.
    image
        uint8 (size_px, size_px, 3), sRGB, the size of the protocol.
    figure
        bool (size_px, size_px), the object's own pixels; None where they aren't known.
    """

    item: str
    class_id: str
    image: Bytes
    figure: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MethodMaps:
    """What a method makes of the images.

    Attributes
    ----------
    maps
        By item the relevance for the image's own class, floats (h, w) of any size, over all
        of the square that is shown.
    answers
        By item what the explained model makes of it; none for people's maps.
    prototypes
        By item the most similar prototype, uint8 (h, w, 3), where one is shown.
    origin
        Who made the maps.
    metrics
        By item how well its map foretells the model (`tables.METRICS`), if that was asked for.
    """

    maps: Mapping[str, Map]
    answers: Mapping[str, ModelAnswer] = field(default_factory=dict)
    prototypes: Mapping[str, Bytes] = field(default_factory=dict)
    origin: Origin = UNKNOWN
    metrics: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """All that a pack is made of.

    Attributes
    ----------
    main, practice
        Images of the main rounds; those of the practice rounds, in their order.
    methods
        By method its maps, of all these images.
    names
        What classes are called (`classes.class_rows`).
    catch
        Images of the catch rounds, of which nobody needs a map.
    """

    main: Sequence[Picture]
    practice: Sequence[Picture]
    methods: Mapping[str, MethodMaps]
    names: Mapping[tuple[str, str], str] = field(default_factory=dict)
    catch: Sequence[Picture] = ()

    @property
    def mapped(self) -> tuple[Picture, ...]:
        """The images that methods uncover."""
        return (*self.main, *self.practice)

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """All images."""
        return (*self.mapped, *self.catch)


def check(protocol: ProgressiveReveal, material: Material) -> None:
    """Refuse what no pack of this protocol can be made of.

    Raises
    ------
    UserError
        If images are too few, too many, of the wrong size or not of their own, or maps or
        prototypes are missing: which.
    """
    _check_numbers(protocol, material)
    side = protocol.images.size_px
    for picture in material.pictures:
        if picture.image.shape != (side, side, 3) or picture.image.dtype != np.uint8:
            raise UserError(
                f"{picture.item}: the image is {picture.image.dtype} {picture.image.shape}, not "
                f"8-bit RGB of images.size_px {side}"
            )
        if picture.figure is not None and picture.figure.shape != (side, side):
            raise UserError(f"{picture.item}: its figure is not of the image's size")
    for picture in material.mapped:
        for method in protocol.reveal.methods:
            _check_maps(protocol, material, picture.item, method)


def _check_numbers(protocol: ProgressiveReveal, material: Material) -> None:
    images, of_class = protocol.images, Counter(picture.class_id for picture in material.main)
    odd = [name for name in sorted(of_class) if of_class[name] != images.images_per_class]
    if odd:
        raise UserError(
            f"class {odd[0]}: {of_class[odd[0]]} main images, but images.images_per_class is "
            f"{images.images_per_class}"
        )
    if len(of_class) != images.classes:
        raise UserError(
            f"images of {len(of_class)} classes, but images.classes is {images.classes}"
        )
    session = protocol.session
    wanted = {
        "practice": (material.practice, session.practice_rounds),
        "catch": (material.catch, session.catch_rounds),
    }
    for kind, (there, count) in wanted.items():
        if len(there) != count:
            raise UserError(f"{len(there)} {kind} images, but session.{kind}_rounds is {count}")
    twice = [
        item for item, n in Counter(picture.item for picture in material.pictures).items() if n > 1
    ]
    if twice:
        raise UserError(f"{twice[0]}: occurs twice; nobody sees an image again")
    strange = {picture.class_id for picture in (*material.practice, *material.catch)} - set(
        of_class
    )
    if strange:
        raise UserError(f"class {min(strange)}: of no main image; it is in no class table")


def _check_maps(protocol: ProgressiveReveal, material: Material, item: str, method: str) -> None:
    of_method = material.methods.get(method)
    if of_method is None or item not in of_method.maps:
        raise UserError(f"{item}: has no map of method {method}")
    values = of_method.maps[item]
    if values.ndim != 2 or not values.size or not np.isfinite(values).all():
        raise UserError(f"{item}: the map of method {method} is no finite H×W array")
    if method == protocol.reveal.reference and not (values > 0).any():
        raise UserError(f"{item}: the map of {method} is blank; it would never be uncovered")
    if (
        method == PROTOTYPES
        and protocol.reveal.prototype_beside
        and item not in of_method.prototypes
    ):
        raise UserError(f"{item}: has no prototype, but reveal.prototype_beside is on")
