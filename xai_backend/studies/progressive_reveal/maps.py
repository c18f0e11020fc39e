"""The maps that uncover images: a network's explanations, ProtoPNet's, and people's."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from participants.studies.progressive_reveal.robots.bubblers import Bubblers, bubbled_by_robots
from stimuli.errors import UserError
from stimuli.io.canonical import hash_of, sha256_hex
from stimuli.maps.origin import RESPONSE_MODEL, Origin, together
from stimuli.studies.progressive_reveal.material import ModelAnswer
from xai_backend.determinism import not_finite
from xai_backend.explain.metrics import metrics_of_maps
from xai_backend.explain.precompute import Picture, Precompute
from xai_backend.methods import Method, identity_of
from xai_backend.methods.human import Human, origins_of, read_human_maps, read_maps
from xai_backend.methods.saliency_sod import centre_surround
from xai_backend.models.frame import InputFrame, in_frame
from xai_backend.models.image_model import probability
from xai_backend.packs.origins import computed
from xai_backend.packs.subject import Subject
from xai_backend.studies.progressive_reveal.images import Candidate, Shown

Maps = Mapping[str, NDArray[np.float32]]

PROBABILITY_DIGITS = 6
"""Decimals of a probability that are kept; further ones differ between machines."""
SALIENCE_POWER = 3.0
"""Exponent of salience when robots bubble photographs, so that they keep to what stands out
most."""


@dataclass(frozen=True, slots=True, eq=False)
class Mapped:
    """A method's maps of all images.

    Attributes
    ----------
    maps
        float32 (H, W) by item, each covering the whole picture.
    about
        Further facts about the maps as plain JSON values; part of the pack's content.
    origin
        Who made the maps, and how.
    answers
        The explained model's answers by item; empty if there is no model.
    halved_to
        By item: inputs at once after halving for lack of memory, which may change a map's last
        digits.
    metrics
        By item how well its map foretells the model, if that was asked for.
    """

    maps: Maps
    about: Mapping[str, Any]
    origin: Origin
    answers: Mapping[str, ModelAnswer] = field(default_factory=dict)
    halved_to: Mapping[str, int] = field(default_factory=dict)
    metrics: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def described(self) -> dict[str, Any]:
        """All facts about the maps, as plain JSON values."""
        return {"origin": self.origin.kind, "origin_note": self.origin.note, **self.about}


Images = Mapping[Candidate, Shown]


def as_seen(of: Subject, images: Images) -> list[Picture]:
    """Return images as a network sees them: all that people see, at the network's side."""
    return [
        Picture.of(candidate.item, in_frame(picture.picture, of.classifier.frame))
        for candidate, picture in images.items()
    ]


def explained_outputs(
    of: Subject, images: Images, logits: Mapping[str, NDArray[np.float32]], which: str
) -> dict[str, int]:
    """Return the output whose logit is explained, by item; `System.explained_class` says which."""
    if which == "predicted":
        return {image.item: int(logits[image.item].argmax()) for image in images}
    return {image.item: of.outputs.index(image.class_id) for image in images}


def explained(
    of: Subject,
    method: Method,
    work: Precompute,
    images: Images,
    which: str = "true",
    *,
    metrics: bool = False,
) -> Mapped:
    """Return a method's maps of a network's logit, for each image's class or the predicted class.

    The network sees the whole picture that people see, at the network's side, so that the maps
    cover all of it. ``which`` is as in `explained_outputs`; with ``metrics`` maps have these, too.

    Raises
    ------
    UserError
        If workers can't be started or the store can't be written; finished results stay.
    """
    pictures, class_of = as_seen(of, images), {image.item: image.class_id for image in images}
    logits = work.logits(pictures)
    target_of = explained_outputs(of, images, logits, which)
    targets = [target_of[picture.name] for picture in pictures]
    computed_maps = work.maps(method, pictures, targets)
    for item, explained_map in computed_maps.items():
        if fault := not_finite(explained_map.values):
            raise UserError(f"{method.name}: its map of {item} can't be shown: {fault}")
    origin = computed(method, of.classifier.name, of.network.weights_sha256)
    about = {
        "method": identity_of(method),
        "network": of.classifier.name,
        "weights_sha256": of.network.weights_sha256,
        "explained_class": which,
    }
    answers = {item: _answer(logits[item], of.outputs, class_of[item]) for item in computed_maps}
    halved_to = {
        item: explained_map.halved_to
        for item, explained_map in computed_maps.items()
        if explained_map.halved_to
    }
    maps = {item: explained_map.values for item, explained_map in computed_maps.items()}
    scores = metrics_of_maps(work, pictures, targets, maps) if metrics else {}
    return Mapped(maps, about, origin, answers, halved_to, scores)


def _answer(logits: NDArray[np.float32], outputs: Sequence[str], class_id: str) -> ModelAnswer:
    share = round(probability(logits, outputs.index(class_id)), PROBABILITY_DIGITS)
    return ModelAnswer(outputs[int(logits.argmax())], share)


@dataclass(frozen=True, slots=True, eq=False)
class Brought:
    """Maps of some of the images that already exist: people's, or a lab's own.

    Attributes
    ----------
    maps
        Maps by item or file stem.
    origin
        Who made them, by their map sets; other files count as imported from their folder.
    option
        The option that gave them, for messages.
    """

    maps: Human
    origin: Origin
    option: str = "--human-maps"

    @classmethod
    def by_people(cls, folders: Sequence[Path]) -> "Brought":
        """Return the maps of folders (see `read_human_maps`); an image's map is in one folder only.

        Raises
        ------
        UserError
            If a folder can't be read, or two have maps of one image.
        """
        maps: dict[str, NDArray[np.float32]] = {}
        origins: set[Origin] = set()
        for folder in folders:
            folder_maps = read_human_maps(folder).maps
            twice = sorted(set(folder_maps) & set(maps))
            if twice:
                raise UserError(f"--human-maps {folder}: another folder has a map of {twice[0]}")
            maps |= folder_maps
            origins |= origins_of(folder)
        return cls(Human(maps), together(origins))

    @classmethod
    def by_lab(cls, method: str, folder: Path) -> "Brought":
        """Return the maps of a lab's own method; UserError as `read_maps`."""
        return cls(read_maps(folder), together(origins_of(folder)), f"--maps {method}")

    def has(self, candidate: Candidate) -> bool:
        """Return whether there is a map of an image that isn't empty."""
        name = self._name(candidate)
        return name in self.maps.maps and bool(self.maps.maps[name].max() > 0)

    def mapped(self, images: Images) -> Mapped:
        """Return the maps, framed as the pictures are.

        A map with the photograph's proportions is cropped like the photograph; a square map covers
        the picture that people see.

        Raises
        ------
        UserError
            If a map has other proportions, or marks nothing of what is shown.
        """
        maps = {
            candidate.item: self._framed(candidate, picture)
            for candidate, picture in images.items()
        }
        content = {item: sha256_hex(values.tobytes()) for item, values in maps.items()}
        signed = any(bool((values < 0).any()) for values in maps.values())
        return Mapped(maps, {"maps": hash_of(content), "signed": signed}, self.origin)

    def _framed(self, candidate: Candidate, photo: Shown) -> NDArray[np.float32]:
        size = len(photo.picture)
        name = self._name(candidate)
        height, width = self.maps.maps[name].shape
        whole = (size, size) if height == width else photo.whole_size
        frame = InputFrame(size, size)
        try:
            values = self.maps.explain([name], [whole], frame)[0].numpy()
        except UserError as fault:
            raise UserError(f"{self.option}: {fault}") from None
        if not values.max() > 0:
            raise UserError(
                f"{self.option}: the map of {candidate.item} marks nothing of the middle square, "
                "which is what people see; remove that map"
            )
        return np.ascontiguousarray(values)

    def _name(self, candidate: Candidate) -> str:
        return candidate.item if candidate.item in self.maps.maps else candidate.stem


def bubbled(images: Images, seed: int, players: int, advance: Callable[[int], None]) -> Mapped:
    """Return bubble counts of simulated players, who go over the object, or over what stands out.

    Parameters
    ----------
    images
        If the object's pixels are known, the players go over them; else over what stands out from
        its surround, whatever the class.
    seed
        Seed of every draw.
    players
        Number of players for each image.
    advance
        Called after each image.
    """
    party = Bubblers(players=players)
    maps = {}
    for candidate, photo in images.items():
        key = hash_of(["bubblers", seed, candidate.item])
        maps[candidate.item] = bubbled_by_robots(_weight(photo), key=key, bubblers=party)
        advance(1)
    figures = all(photo.figure is not None for photo in images.values())
    about = {
        **asdict(party),
        "meant_for": "the object" if figures else "what stands out (centre_surround)",
    }
    return Mapped(maps, about, Origin(RESPONSE_MODEL, f"{players} bubblers an image"))


def _weight(photo: Shown) -> NDArray[np.floating]:
    if photo.figure is not None:
        return photo.figure.astype(np.float64)
    salience = centre_surround(photo.picture) ** SALIENCE_POWER
    return salience if salience.max() > 0 else np.ones_like(salience)
