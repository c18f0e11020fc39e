"""Whether material fits a protocol: refused before anything is composed."""

import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from PIL import Image

from stimuli.cases import check_labels, check_text
from stimuli.errors import UserError
from stimuli.io.canonical import sha256_hex
from stimuli.names import ANY_LANGUAGE
from stimuli.studies.human_ai_team.material import Case, Material, bin_of
from stimuli.studies.human_ai_team.protocol import HumanAiTeam, help_kind
from stimuli.studies.human_ai_team.tables import ADVERSARIAL, BINS


def check(protocol: HumanAiTeam, material: Material) -> None:
    """Refuse material that doesn't fit the protocol.

    Raises
    ------
    UserError
        If images are too few, too many or not of their own, or an image or a help is missing or
        of the wrong size: which.
    """
    _check_numbers(protocol, material)
    _check_bins(protocol, material.main)
    for case in material.cases:
        _check_case(protocol, case)
        for arm in protocol.help.arms:
            _check_help(protocol, material, case.item, arm)
    if protocol.prior.asked:
        _check_samples(protocol, material)
    _check_taught(material)
    if protocol.cases == "texts":
        labels = ((case.item, case.predicted_label) for case in material.cases)
        check_labels(labels, material.names)


def wanted_in_bins(protocol: HumanAiTeam) -> dict[str, int]:
    """Return how many images of each bin the main trials have."""
    bins = protocol.bins
    return {
        name: bins.adversarial_per_level if name.startswith(ADVERSARIAL) else bins.per_bin
        for name in BINS
    }


def _check_numbers(protocol: HumanAiTeam, material: Material) -> None:
    for phase, cases, count, where in (
        ("validation", material.validation, protocol.validation.trials, "validation.trials"),
        (
            "practice",
            material.practice,
            protocol.session.practice_trials,
            "session.practice_trials",
        ),
    ):
        if len(cases) != count:
            raise UserError(f"{len(cases)} {phase} images, but {where} is {count}")
    right = sum(case.ai_correct for case in material.validation)
    if right != protocol.validation.right_trials:
        raise UserError(
            f"the AI is right on {right} validation images, but validation.right_trials is "
            f"{protocol.validation.right_trials}"
        )
    twice = [item for item, n in Counter(case.item for case in material.cases).items() if n > 1]
    if twice:
        raise UserError(f"{twice[0]}: occurs twice; nobody sees an image again")


def _check_bins(protocol: HumanAiTeam, main: Sequence[Case]) -> None:
    places = {
        case.item: bin_of(case.confidence, case.ai_correct, case.adversarial, protocol.bins)
        for case in main
    }
    outside = [item for item, place in places.items() if place is None]
    if outside:
        raise UserError(f"{outside[0]}: is in no bin; main trials show images of the bins alone")
    counts = Counter(places.values())
    for name, wanted in wanted_in_bins(protocol).items():
        if counts[name] != wanted:
            field = "adversarial_per_level" if name.startswith(ADVERSARIAL) else "per_bin"
            raise UserError(
                f"bin {name}: {counts[name]} images, but bins.{field} is {wanted}; add images, or "
                f"lower bins.{field}"
            )


def _check_case(protocol: HumanAiTeam, case: Case) -> None:
    if protocol.cases == "texts":
        check_text(case.item, case.texts, protocol.languages)
    else:
        _check_picture(protocol, case.image, case.item)
    if not 0 <= case.confidence <= 1:
        raise UserError(f"{case.item}: confidence is {case.confidence}, not from 0 to 1")
    side = protocol.images.size_px
    if case.box is not None:
        left, top, right, bottom = case.box
        if not (0 <= left < right <= side and 0 <= top < bottom <= side):
            raise UserError(f"{case.item}: box {case.box} is none within {side}×{side} pixels")


def _check_help(protocol: HumanAiTeam, material: Material, item: str, arm: str) -> None:
    kind = help_kind(arm)
    if kind == "heatmap":
        _check_heatmap(protocol, material, item, arm)
    elif kind == "examples":
        examples, wanted = material.examples.get(item, ()), protocol.help.neighbours
        # A missing example would reveal that the label is rare, or the image strange.
        if len(examples) != wanted:
            raise UserError(f"{item}: {len(examples)} examples, but help.neighbours is {wanted}")
        _check_pictures(protocol, examples, f"{item}, an example")
    elif kind == "text" and not _has_text(protocol, material.texts.get(arm, {}), item):
        raise UserError(
            f"{item}: has no text in {' or '.join(protocol.languages)}; give every image one, or "
            f"leave the arm {arm} out of help.arms"
        )


def _check_heatmap(protocol: HumanAiTeam, material: Material, item: str, arm: str) -> None:
    values, side = material.heatmaps.get(arm, {}).get(item), protocol.images.size_px
    if values is None:
        raise UserError(f"{item}: has no map of {arm}")
    if values.shape != (side, side) or not np.isfinite(values).all():
        raise UserError(f"{item}: the map of {arm} is not finite and {side}×{side} pixels")
    if values.min() < 0 or values.max() > 1:
        raise UserError(f"{item}: the map of {arm} goes beyond 0…1; divide it by its maximum")


def _has_text(protocol: HumanAiTeam, texts: Mapping[tuple[str, str], str], item: str) -> bool:
    return bool(texts.get((item, ANY_LANGUAGE))) or all(
        texts.get((item, language)) for language in protocol.languages
    )


def _check_samples(protocol: HumanAiTeam, material: Material) -> None:
    for label in sorted({case.predicted_label for case in material.cases}):
        samples, most = material.samples.get(label, ()), protocol.prior.samples
        if len(samples) > most:
            raise UserError(f"{label}: {len(samples)} samples, but prior.samples is {most}")
        _check_pictures(protocol, samples, f"{label}, a sample")


def _check_taught(material: Material) -> None:
    """Refuse a judged image that is also an example or a sample, which would reveal its label."""
    taught = {sha256_hex(data) for pictures in _taught(material) for data in pictures}
    for case in material.cases:
        if sha256_hex(case.content) in taught:
            raise UserError(
                f"{case.item}: is judged, and shown as an example or sample too; take these from "
                "other images"
            )


def _taught(material: Material) -> Iterable[Sequence[bytes]]:
    return (*material.examples.values(), *material.samples.values())


def _check_pictures(protocol: HumanAiTeam, pictures: Iterable[bytes], where: str) -> None:
    for picture in pictures:
        _check_picture(protocol, picture, where)


def _check_picture(protocol: HumanAiTeam, data: bytes, where: str) -> None:
    """Refuse all but bare RGB PNGs of the protocol's size: a header could reveal something."""
    side = protocol.images.size_px
    try:
        with Image.open(io.BytesIO(data)) as image:
            header = (image.format, image.mode, image.size, image.info)
    except OSError:
        raise UserError(f"{where}: is not an image") from None
    if header != ("PNG", "RGB", (side, side), {}):
        raise UserError(
            f"{where}: is {header[0]} {header[1]} {header[2]} with "
            f"{sorted(header[3]) or 'nothing'} beside its pixels, not a bare RGB PNG of "
            f"{side}×{side}"
        )
