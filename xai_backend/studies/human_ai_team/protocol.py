"""The protocol of a human_ai_team pack, with what the command line and the digits change."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from stimuli.errors import UserError
from stimuli.placeholders import flat
from stimuli.protocol import Deviation, load_protocol, own_values
from stimuli.studies.human_ai_team.protocol import HumanAiTeam
from xai_backend.models.frame import InputFrame
from xai_backend.models.picture_cnn import ARCHITECTURE as PICTURE_CNN
from xai_backend.models.picture_cnn import INPUT_PX
from xai_backend.own_code import refuse_code
from xai_backend.packs.differences import OF_COMMAND, of_build, of_methods, stated, with_deviations
from xai_backend.packs.origins import name_in_pack
from xai_backend.packs.text_cases import cases_of
from xai_backend.studies.human_ai_team.ai import changes_of, of_answers, text_changes
from xai_backend.studies.human_ai_team.request import TeamRequest

NAME: Final = "human_ai_team"
DIGITS: Final = "digits.toml"
NUMBERS: Final = ("per_bin", "adversarial_per_level", "sheets", "trials_per_sheet")
"""Settings of the bins that say how many images there are."""
DIGIT_SECTIONS: Final = ("images", "system", "attack", "help", "metrics")
"""Sections of the protocol that digits change."""


def resolved(request: TeamRequest) -> HumanAiTeam:
    """Return the protocol of a pack, before it is adapted to the network's frame.

    Digits have the defaults of ``digits.toml``, unless a protocol file says otherwise.

    Raises
    ------
    UserError
        If the protocol isn't valid, or a network is named for digits, which have their own network.
    """
    of_texts = cases_of(request.source, NAME, request.protocol_file) == "texts"
    changes: dict[str, Any] = {} if request.seed is None else {"seed": request.seed}
    bins = _bins(request)
    if request.answers is not None and not request.of_digits:
        named = request.protocol_file is not None
        changes |= changes_of(request.answers, named_arms=named)
        changes |= text_changes(named_arms=named) if of_texts else {}
        changes["bins"] |= {"per_bin": request.per_bin} if request.per_bin else {}
        fewer = _fitted(request.protocol_file, changes, changes["bins"])
        return of_answers(fewer)
    if not request.of_digits:
        if request.model is not None:
            changes["system"] = _system(request)
        protocol = _fitted(request.protocol_file, changes, bins)
        if request.model is None:
            where = f"{request.protocol_file or NAME}: system.network"
            refuse_code(protocol.system.network, where)
        return protocol
    if request.model not in (None, PICTURE_CNN):
        raise UserError(
            f"--model {request.model} goes with images of your own (--source); digits are judged "
            f"by {PICTURE_CNN}, which is trained on the spot"
        )
    changes |= _for_digits(request)
    return _of_digits(_fitted(request.protocol_file, changes, bins), tuple(flat(changes)))


def framed(protocol: HumanAiTeam, request: TeamRequest, frame: InputFrame) -> HumanAiTeam:
    """Return a protocol with the network's frame; a file with another frame is refused.

    Raises
    ------
    UserError
        In one line, with what to write into the file.
    """
    images = protocol.images
    if frame.crop_px > frame.resize_px:
        raise UserError(
            f"--model {protocol.system.network}: it sees pictures of {frame.resize_px} px in a "
            f"border ({frame.crop_px} px), which people would see too; take another network"
        )
    if (images.resize_px, images.size_px) == (frame.resize_px, frame.crop_px):
        return protocol
    if request.protocol_file is not None:
        raise UserError(
            f"images: {protocol.system.network} sees {frame.crop_px} px of an image resized to "
            f"{frame.resize_px}; write images.resize_px = {frame.resize_px} and images.size_px = "
            f"{frame.crop_px} into the protocol"
        )
    sides = {"resize_px": frame.resize_px, "size_px": frame.crop_px}
    resolved = protocol.resolved()
    changed = {**resolved, "images": {**resolved["images"], **sides}}
    return HumanAiTeam.model_validate(changed)


def with_differences(protocol: HumanAiTeam, request: TeamRequest, trained_on: str) -> HumanAiTeam:
    """Return a pack's protocol with what its build makes differ from the study.

    Parameters
    ----------
    protocol, request
        The pack's protocol, and what was asked for.
    trained_on
        Where samples and examples come from, in words.
    """
    others = [*_images(protocol, request), *of_methods(request.methods, request.maps)]
    if protocol.cases == "images":
        others.append(
            of_build(
                "--train",
                "Samples and nearest images come from the images on which the network was trained.",
                f"They come from {trained_on}.",
                OF_COMMAND,
            )
        )
    return stated(protocol, request.protocol_file, others)


def _images(protocol: HumanAiTeam, request: TeamRequest) -> Iterator[Deviation]:
    """Yield which images are judged, and how many if the command changes their number."""
    source = str(request.source or "digits")
    named = "digits" if request.of_digits else f"{protocol.cases} of {Path(source).name}"
    yield of_build(
        "--source",
        "Images come from ImageNet's validation images and from its dogs.",
        f"People judge {named}.",
        OF_COMMAND,
    )
    file = request.protocol_file
    file_bins = {} if file is None else own_values(file, NAME)[0].get("bins", {})
    asked = {**_loaded(None, {}).bins.model_dump(), **file_bins}
    if any(getattr(protocol.bins, name) != asked[name] for name in NUMBERS):
        yield Deviation(
            field="bins.per_bin",
            published="There are 450 images: 50 of each bin of real images, and 50 attacked images "
            "of each level. They are on 15 sheets of 30.",
            here="There are {bins.images} images: {bins.per_bin} of each bin, and "
            "{bins.adversarial_per_level} attacked ones of each level. They are on {bins.sheets} "
            "sheets of {bins.trials_per_sheet}.",
            reason=OF_COMMAND,
            whose="build",
        )


def _for_digits(request: TeamRequest) -> dict[str, Any]:
    """Return the changes of a protocol for digits, where its file keeps the published values."""
    asked, published = _loaded(request.protocol_file, {}), _loaded(None, {})
    digits = _loaded(Path(__file__).with_name(DIGITS), {})
    changes: dict[str, Any] = {} if request.protocol_file else {"name": digits.name}
    for name in DIGIT_SECTIONS:
        section = getattr(digits, name).model_dump()
        before, now = (getattr(protocol, name).model_dump() for protocol in (published, asked))
        changes[name] = {
            key: value
            for key, value in section.items()
            if value != before[key] and now[key] == before[key]
        }
    changes["images"] |= {"resize_px": INPUT_PX, "size_px": INPUT_PX}
    changes["system"] = {"network": PICTURE_CNN, "layer": ""}
    return changes


def _of_digits(protocol: HumanAiTeam, fields: tuple[str, ...]) -> HumanAiTeam:
    """Return a protocol with the deviations of digits whose value it has, and the fields set."""
    digits = _loaded(Path(__file__).with_name(DIGITS), {})
    here, there = flat(protocol.resolved()), flat(digits.resolved())
    more = [
        deviation.model_copy(
            update={
                "whose": "build",
                "rests_on": fields if deviation.field == "system.network" else None,
            }
        )
        for deviation in digits.deviations
        if deviation.whose == "lab" and here[deviation.field] == there[deviation.field]
    ]
    return with_deviations(protocol, more)


def _system(request: TeamRequest) -> dict[str, Any]:
    """Return the changes for another network; the published layer is kept only for ResNets."""
    system = _loaded(request.protocol_file, {}).system
    if request.model == system.network:
        return {}
    published = _loaded(None, {}).system
    layer = system.layer
    if layer == published.layer and not str(request.model).startswith(("resnet", "wide_resnet")):
        layer = ""
    return {"network": name_in_pack(str(request.model)), "layer": layer}


def _bins(request: TeamRequest) -> dict[str, int]:
    asked = {
        "per_bin": request.per_bin,
        "adversarial_per_level": request.adversarial_per_level,
    }
    return {name: count for name, count in asked.items() if count is not None}


def _fitted(path: Path | None, changes: Mapping[str, Any], bins: Mapping[str, int]) -> HumanAiTeam:
    """Return a protocol with fewer images per bin; no sheet gets more images than there are."""
    if not bins:
        return _loaded(path, changes)
    file_bins = _loaded(path, changes).bins
    less = file_bins.model_copy(update=dict(bins))
    fewer = {"trials_per_sheet": min(file_bins.trials_per_sheet, less.images)}
    return _loaded(path, {**changes, "bins": {**bins, **fewer}})


def _loaded(path: Path | None, changes: Mapping[str, Any]) -> HumanAiTeam:
    protocol = load_protocol(NAME, path, changes)
    assert isinstance(protocol, HumanAiTeam)
    return protocol
