"""What the image processors of timm and Transformers do to a picture, as settings."""

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Self

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from pydantic import ValidationError
from torch import Tensor

from stimuli.errors import UserError, first_line
from stimuli.io.invalid import place_and_reason
from xai_backend.models.classifier import ModelSettings, front_of
from xai_backend.models.frame import RESAMPLING, InputFrame
from xai_backend.models.image_model import as_images

Config = Mapping[str, Any]
Fields = dict[str, Any]

FITS: Final = MappingProxyType({"center": "crop", "squash": "squash", "border": "pad"})
"""timm's crop modes."""
SWITCHES: Final = frozenset(
    {
        "do_resize", "do_center_crop", "do_rescale", "do_normalize", "do_flip_channel_order",
        "do_convert_rgb",  # photographs are already RGB
        "do_reduce_labels",  # for segmentations
    }
)  # fmt: skip
"""Steps that processors of Transformers can switch on, as far as known here."""
OTHER_SIZES: Final = ("size_divisor", "resize_short", "max_num_patches")
"""Settings of processors whose pictures have no fixed side."""
CONVNEXT_SQUASHES_FROM_PX: Final = 384
LEVIT_SHARE: Final = 256 / 224
TOLERANCE: Final = 1.001
"""RGB codes by which a picture may differ: one, as libraries round differently."""


class UnsupportedSettingError(UserError):
    """A processor does something that `ModelSettings` can't express."""

    @classmethod
    def named(cls, setting: str, value: object) -> Self:
        """Return the error about a setting that isn't supported."""
        return cls(f"{setting} = {value!r} is not supported")


def timm_settings(config: Config) -> ModelSettings:
    """Return the settings in a network's data config of timm.

    Parameters
    ----------
    config
        As ``timm.data.resolve_model_data_config`` returns it.

    Raises
    ------
    UnsupportedSettingError
        If it says what isn't supported here.
    """
    channels, height, side = config["input_size"]
    if (channels, height) != (3, side):
        raise UnsupportedSettingError.named("input_size", tuple(config["input_size"]))
    mode, interpolation = config["crop_mode"], config["interpolation"]
    if mode not in FITS:
        raise UnsupportedSettingError.named("crop_mode", mode)
    if interpolation not in RESAMPLING:
        raise UnsupportedSettingError.named("interpolation", interpolation)
    fit, mean = FITS[mode], tuple(config["mean"])
    return _settings(
        side_px=side,
        resize_px=math.floor(side / config["crop_pct"]),
        fit=fit,
        interpolation=interpolation,
        border=tuple(round(255 * value) for value in mean) if fit == "pad" else (0, 0, 0),
        mean=mean,
        std=tuple(config["std"]),
    )


def transformers_settings(kind: str, config: Config) -> ModelSettings:
    """Return what a processor of Transformers does.

    Parameters
    ----------
    kind
        The processor's class.
    config
        Its settings, as its ``to_dict`` returns them.

    Raises
    ------
    UnsupportedSettingError
        If it does something that isn't supported here.
    """
    for name, value in config.items():
        strange = name.startswith("do_") and name not in SWITCHES
        if value and (strange or name in OTHER_SIZES):
            raise UnsupportedSettingError.named(name, value)
    if not config.get("do_resize"):
        raise UnsupportedSettingError.named("do_resize", config.get("do_resize"))
    code, names = config.get("resample"), {int(value): name for name, value in RESAMPLING.items()}
    if code not in names:
        raise UnsupportedSettingError.named("resample", code)
    return _settings(
        **_sides(kind, config),
        **_values(config),
        interpolation=names[code],
        odd_px="down",
        channels="bgr" if config.get("do_flip_channel_order") else "rgb",
    )


def _sides(kind: str, config: Config) -> Fields:
    """Return how a processor resizes and cuts."""
    if kind.startswith("Perceiver"):
        raise UnsupportedSettingError.named("do_center_crop before do_resize", True)
    size = {name: px for name, px in dict(config["size"]).items() if px}
    crop = _square(config["crop_size"], "crop_size") if config.get("do_center_crop") else None
    share = config.get("crop_pct")
    if size.keys() == {"height", "width"}:
        side = _square(size, "size")
        if kind.startswith("PoolFormer") and share:  # then it doesn't squash
            return _cut(int(side / share), crop, size)
        return {"resize_px": side, "side_px": crop or side, "fit": "squash"}
    if size.keys() != {"shortest_edge"}:
        raise UnsupportedSettingError.named("size", size)
    side = size["shortest_edge"]
    if kind.startswith("ConvNext"):
        if crop:
            raise UnsupportedSettingError.named("do_center_crop", True)
        if side >= CONVNEXT_SQUASHES_FROM_PX:
            return {"resize_px": side, "side_px": side, "fit": "squash"}
        return {"resize_px": int(side / share), "side_px": side}
    if kind.startswith("Levit"):
        return _cut(int(LEVIT_SHARE * side), crop, size)
    if kind.startswith("PoolFormer") and share:
        return _cut(int(side / share), crop, size)
    return _cut(side, crop, size)


def _cut(resize_px: int, crop: int | None, size: Config) -> Fields:
    if crop is None:  # this keeps the proportions, but here networks are shown squares
        raise UnsupportedSettingError.named("size without do_center_crop", dict(size))
    return {"resize_px": resize_px, "side_px": crop}


def _square(size: Any, name: str) -> int:
    """Return the side of a square that a setting gives as a number or as two sides."""
    if isinstance(size, int):
        return size
    sides = {size.get("height"), size.get("width")}
    if len(sides) != 1 or None in sides:
        raise UnsupportedSettingError.named(name, dict(size))
    return min(sides)


def _values(config: Config) -> Fields:
    """Return mean and std of fractions 0…1 that sum up all that a processor does to values."""
    slope = 255 * config["rescale_factor"] if config.get("do_rescale") else 255.0
    offset = 1.0 if config.get("do_rescale") and config.get("rescale_offset") else 0.0
    mean, std = [0.0] * 3, [1.0] * 3
    if config.get("do_normalize"):
        mean, std = _three(config["image_mean"]), _three(config["image_std"])
    top = _three(config["image_std"]) if config.get("include_top") else [1.0] * 3
    return {
        "mean": tuple((value + offset) / slope for value in mean),
        "std": tuple(value * again / slope for value, again in zip(std, top, strict=True)),
    }


def _three(value: float | Iterable[float]) -> list[float]:
    return [float(value)] * 3 if isinstance(value, (int, float)) else list(value)


def _settings(**fields: Any) -> ModelSettings:
    try:
        return ModelSettings(**fields)
    except ValidationError as fault:
        raise UnsupportedSettingError(place_and_reason(fault)) from None


def followed(settings: ModelSettings, prepare: Callable[[Image.Image], Tensor]) -> ModelSettings:
    """Return settings with the resizer that is closest to what a processor does.

    Parameters
    ----------
    settings
        What the processor's settings say.
    prepare
        The processor itself: from an RGB picture to the network's input (3, H, W).

    Raises
    ------
    UnsupportedSettingError
        If a picture differs by more than one RGB code from what the settings say, or the processor
        fails.
    """
    probes = _probes(settings.frame)
    try:
        theirs = [prepare(photo) for photo in probes]
    except Exception as fault:  # another library may raise anything
        raise UnsupportedSettingError(f"the processor fails: {first_line(fault)}") from None
    choices = [settings]
    if settings.interpolation != "bilinear":  # torch's resizing depends on the CPU
        choices.append(settings.model_copy(update={"resizer": "torch"}))
    off = [max(map(partial(codes_apart, choice), probes, theirs)) for choice in choices]
    if not min(off) <= TOLERANCE:
        raise UnsupportedSettingError("its pictures are others than its settings say")
    return choices[off.index(min(off))]


def codes_apart(settings: ModelSettings, photo: Image.Image, theirs: Tensor) -> float:
    """Return the largest difference, in RGB codes, between their input (3, H, W) and ours."""
    ours = front_of(settings)(as_images(torch.from_numpy(settings.frame.codes(photo).copy())[None]))
    if theirs.shape != ours.shape[1:]:
        return math.inf
    std = torch.tensor(settings.std[::-1] if settings.channels == "bgr" else settings.std)
    return float(((ours[0] - theirs) * std.view(3, 1, 1) * 255).abs().max())


def _probes(frame: InputFrame) -> list[Image.Image]:
    """Return noise with sharp edges, in sizes that reveal cutting, borders and rounding."""
    side, crop = frame.resize_px, frame.crop_px
    odd = 3 + (crop - side) % 4  # an odd number is cut off, and its half rounds up to even
    sizes = [(side + odd, side), (side + 1, 2 * side + 7), (side // 2 + 3, side // 2 + 8)]
    draw, probes = np.random.default_rng(0), []
    for width, height in sizes:
        codes: NDArray[np.uint8] = draw.integers(0, 256, (height, width, 3), dtype=np.uint8)
        codes[: height // 3], codes[:, : width // 5] = 255, 0
        probes.append(Image.fromarray(codes))
    return probes
