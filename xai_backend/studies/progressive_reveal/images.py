"""The images of a progressive_reveal pack: which there are, and which of them are drawn."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from stimuli.errors import UserError
from stimuli.images.digits import Digits, Place, digit_figure, digit_name, digit_picture, place_by
from stimuli.images.sets import read_labelled
from stimuli.io.canonical import keyed_order
from stimuli.io.given_files import read_text
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from xai_backend.models.frame import InputFrame, read_photo

Codes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """An image as people see it.

    Attributes
    ----------
    picture
        sRGB codes, uint8 (size, size, 3).
    whole_size
        Width and height of the photograph of which it is the centre, pixels.
    figure
        Pixels of the object, bool (size, size), if they are known.
    """

    picture: Codes
    whole_size: tuple[int, int]
    figure: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A labelled image that may be drawn; it is read when it is needed.

    Attributes
    ----------
    item
        Its path within the set, or the digit's name.
    class_id
        Its class.
    read
        Reads the image at a side in pixels.
    """

    item: str
    class_id: str
    read: Callable[[int], Shown]

    @property
    def stem(self) -> str:
        """The file's name without folder and suffix, by which people's maps are found."""
        return PurePosixPath(self.item).stem


@dataclass(frozen=True, slots=True)
class Drawn:
    """The images of a set that go into a pack.

    Attributes
    ----------
    main, practice, catch
        Images of the main rounds, of practice and of the catch rounds.
    left
        Further images of the same classes, which nobody is shown.
    """

    main: tuple[Candidate, ...]
    practice: tuple[Candidate, ...]
    left: tuple[Candidate, ...]
    catch: tuple[Candidate, ...] = ()

    @property
    def mapped(self) -> tuple[Candidate, ...]:
        """Images that methods uncover: main images, then practice images."""
        return (*self.main, *self.practice)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes, sorted."""
        return tuple(sorted({image.class_id for image in self.main}))


def photo_candidates(source: Path) -> list[Candidate]:
    """Return the images of a labelled set (see `read_labelled`), sorted by item."""
    return [
        Candidate(image.item, image.label, partial(_read_photo, image.path))
        for image in read_labelled(source)
    ]


def digit_candidates(digits: Digits) -> list[Candidate]:
    """Return the held-out digits as images: no network learns from them."""
    return [
        Candidate(
            digit_name(digits, index),
            str(digits.labels[index]),
            partial(_draw_digit, digits.images[index], place_by(digit_name(digits, index))),
        )
        for index in digits.held_out_indices.tolist()
    ]


def draw(
    candidates: Sequence[Candidate],
    protocol: ProgressiveReveal,
    where: str,
    fits: Callable[[Candidate], bool] = lambda candidate: True,
    listed: Sequence[Candidate] | None = None,
) -> Drawn:
    """Return the images that a protocol asks for; those that aren't named are drawn by its seed.

    Parameters
    ----------
    candidates
        The available images.
    protocol
        How many classes, images of each, practice images and images of catch rounds.
    where
        The set's name in error messages.
    fits
        Returns whether methods can uncover an image: it has people's maps, for example.
    listed
        The main images, if they aren't drawn (`listed_images`).

    Raises
    ------
    UserError
        If there are too few, or a named image or class is missing; the message says what to change.
    """
    _check_named(candidates, protocol)
    by_class = _by_class(filter(fits, candidates))
    if listed is None:
        chosen = _chosen(by_class, protocol, where)
    else:
        chosen = _checked_list(listed, by_class, protocol, where)
    ordered = {class_id: _ordered(by_class[class_id], protocol.seed) for class_id in chosen}
    if listed is None:
        per_class = protocol.images.images_per_class
        main = [candidate for class_id in chosen for candidate in ordered[class_id][:per_class]]
    else:
        main = sorted(listed, key=lambda image: (image.class_id, image.item))
    named = {image.item for image in main}
    turns = [
        [candidate for candidate in ordered[class_id] if candidate.item not in named]
        for class_id in keyed_order(chosen, protocol.seed, "turns")
    ]
    spare = [
        candidate for candidate in chain.from_iterable(zip_longest(*turns)) if candidate is not None
    ]
    practice = spare[: protocol.session.practice_rounds]
    if len(practice) < protocol.session.practice_rounds:
        raise UserError(
            f"{where}: {len(practice)} images are left for session.practice_rounds "
            f"{protocol.session.practice_rounds}; add images, or lower it or "
            "images.images_per_class"
        )
    in_use = {image.item for image in (*main, *practice)}
    left = [
        candidate
        for candidate in candidates
        if candidate.class_id in chosen and candidate.item not in in_use
    ]
    catch = _caught(left, protocol, where)
    return Drawn(
        tuple(main),
        tuple(practice),
        tuple(candidate for candidate in left if candidate not in catch),
        catch,
    )


def _caught(
    candidates: Sequence[Candidate], protocol: ProgressiveReveal, where: str
) -> tuple[Candidate, ...]:
    """Return the images of the catch rounds, alternating classes; UserError if too few."""
    by_class, rounds = _by_class(candidates), protocol.session.catch_rounds
    classes = keyed_order(by_class, protocol.seed, "catch")
    turns = [_ordered(by_class[class_id], protocol.seed) for class_id in classes]
    turned = [
        candidate for candidate in chain.from_iterable(zip_longest(*turns)) if candidate is not None
    ]
    if len(turned) < rounds:
        raise UserError(
            f"{where}: {len(turned)} images are left for session.catch_rounds {rounds}; add "
            "images, or lower it or images.images_per_class"
        )
    return tuple(turned[:rounds])


def listed_images(path: Path, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the images that a file lists, one per line, by path within the set or by file stem.

    Empty lines and lines that begin with # are ignored.

    Raises
    ------
    UserError
        If it can't be read, or a line names no image, several images, or an image again.
    """
    lines = read_text(path).splitlines()
    by_name: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        for name in {candidate.item, PurePosixPath(candidate.item).name, candidate.stem}:
            by_name.setdefault(name, []).append(candidate)
    images: dict[str, Candidate] = {}
    for number, line in enumerate(lines, start=1):
        name, where = line.strip(), f"--images {path}, line {number}"
        if not name or name.startswith("#"):
            continue
        matches = by_name.get(name, [])
        if len(matches) != 1:
            trouble = (
                "names several images; write its path" if matches else "is not an image of the set"
            )
            raise UserError(f"{where}: {name} {trouble}")
        if matches[0].item in images:
            raise UserError(f"{where}: {name} occurs twice")
        images[matches[0].item] = matches[0]
    return tuple(images.values())


def _check_named(candidates: Sequence[Candidate], protocol: ProgressiveReveal) -> None:
    """Refuse classes that the protocol names and the set doesn't have."""
    known = {candidate.class_id for candidate in candidates}
    unknown = [name for name in protocol.images.named_classes if name not in known]
    if unknown:
        raise UserError(
            f"images.named_classes: {unknown[0]} is not a class of the images; one of them is "
            f"{min(known)}"
        )


def _chosen(
    by_class: Mapping[str, Sequence[Candidate]], protocol: ProgressiveReveal, where: str
) -> list[str]:
    """Return the protocol's classes, or classes drawn among those with enough images."""
    wanted, per_class = protocol.images.classes, protocol.images.images_per_class
    for name in protocol.images.named_classes:
        if (count := len(by_class.get(name, ()))) < per_class:
            raise UserError(
                f"{where}: class {name} has {count} images that can be shown, {per_class} are "
                "wanted; add images, lower images.images_per_class or name another class"
            )
    if protocol.images.named_classes:
        return sorted(protocol.images.named_classes)
    enough = [class_id for class_id, images in by_class.items() if len(images) >= per_class]
    if len(enough) < wanted:
        raise UserError(_too_few(by_class, protocol, where))
    return sorted(keyed_order(enough, protocol.seed, "classes")[:wanted])


def _checked_list(
    listed: Sequence[Candidate],
    by_class: Mapping[str, Sequence[Candidate]],
    protocol: ProgressiveReveal,
    where: str,
) -> list[str]:
    """Return the classes of listed images; UserError unless they fit the protocol."""
    wanted, per_class = protocol.images.classes, protocol.images.images_per_class
    able = {candidate.item for images in by_class.values() for candidate in images}
    lacking = [image.item for image in listed if image.item not in able]
    if lacking:
        raise UserError(f"--images: {lacking[0]} is none of {where}; take it off the list")
    counts = Counter(image.class_id for image in listed)
    odd = [name for name in sorted(counts) if counts[name] != per_class]
    if odd:
        raise UserError(
            f"--images: {counts[odd[0]]} of class {odd[0]}, but images.images_per_class is "
            f"{per_class}"
        )
    if len(counts) != wanted:
        raise UserError(f"--images: of {len(counts)} classes, but images.classes is {wanted}")
    named = protocol.images.named_classes
    if named and set(named) != set(counts):
        raise UserError(
            f"--images: has no images of {min(set(named) - set(counts))}, which "
            "images.named_classes names"
        )
    return sorted(counts)


def _by_class(candidates: Iterable[Candidate]) -> dict[str, list[Candidate]]:
    by_class: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        by_class.setdefault(candidate.class_id, []).append(candidate)
    return by_class


def _ordered(candidates: Sequence[Candidate], seed: int) -> list[Candidate]:
    by_item = {candidate.item: candidate for candidate in candidates}
    return [by_item[item] for item in keyed_order(by_item, seed, "images")]


def _too_few(
    by_class: Mapping[str, Sequence[Candidate]], protocol: ProgressiveReveal, where: str
) -> str:
    wanted, per_class = protocol.images.classes, protocol.images.images_per_class
    counts = sorted(map(len, by_class.values()), reverse=True)
    enough = sum(count >= per_class for count in counts)
    ways = ["add images"]
    if len(counts) >= wanted:
        ways.append(f"lower images.images_per_class ({per_class}) to {counts[wanted - 1]}")
    if enough >= 2:
        ways.append(f"lower images.classes ({wanted}) to {enough}")
    *others, last = ways
    return (
        f"{where}: {enough} of {len(counts)} classes have {per_class} images that can be shown, "
        f"{wanted} are wanted; {', '.join(others) + ' or ' if others else ''}{last}"
    )


def _read_photo(path: Path, size_px: int) -> Shown:
    photo = read_photo(path)
    return Shown(InputFrame(size_px, size_px).codes(photo), photo.size)


def _draw_digit(grey: NDArray[np.float32], place: Place, size_px: int) -> Shown:
    picture = digit_picture(grey, size_px, place)
    return Shown(picture, (size_px, size_px), digit_figure(grey, size_px, place))
