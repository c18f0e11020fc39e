"""Salient objects: what stands out in the image, whatever a classifier makes of it."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from stimuli.colour.spaces import srgb_decode
from stimuli.errors import UserError
from xai_backend.methods.method import Execution
from xai_backend.models.image_model import ImageModel

Floats = NDArray[np.float64]
Provider = Callable[[NDArray[np.uint8]], Floats]
"""Takes RGB codes (H, W, 3) and returns saliency (H, W), 0…1."""


@dataclass(frozen=True, slots=True)
class SalientObject:
    """Salient-object detection, the control that never sees the classifier.

    Nguyen et al. (2021) used PoolNet. Here a provider is chosen, and recorded with the map:
    ``centre_surround`` needs nothing and is a baseline, not a trained detector;
    ``u2net`` (Qin et al. 2020) comes with the package rembg, which the lab installs.

    Attributes
    ----------
    provider
        ``centre_surround`` or ``u2net``.
    """

    provider: str = "centre_surround"

    name: ClassVar[str] = "saliency_sod"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.provider not in PROVIDERS:
            raise ValueError(f"provider is {self.provider!r}, not {' or '.join(PROVIDERS)}")

    def explain(
        self,
        model: ImageModel,
        inputs: Tensor,
        targets: Tensor,
        execution: Execution = Execution(),
    ) -> Tensor:
        """Return maps, float32 (n, H, W), 0…1; model and targets don't matter.

        Raises
        ------
        UserError
            If the provider isn't installed.
        """
        salient = PROVIDERS[self.provider]()
        codes = (inputs.detach().cpu().clamp(0, 1) * 255).round().to(torch.uint8)
        maps = [salient(picture.permute(1, 2, 0).numpy()) for picture in codes]
        return torch.from_numpy(np.stack(maps).astype(np.float32))


def centre_surround(codes: NDArray[np.uint8]) -> Floats:
    """Return how far each pixel's colour is from that of its surround, 0…1.

    Maximum symmetric surround (Achanta & Süsstrunk 2010, equations 1 to 4): the surround is
    the largest rectangle centred on the pixel that fits in the image, so that the background, which
    reaches the edge, differs little from its surround. Distances are in CIELAB.
    """
    lab = lab_of(codes)
    height, width = lab.shape[:2]
    sums = np.zeros((height + 1, width + 1, 3))
    sums[1:, 1:] = lab.cumsum(axis=0).cumsum(axis=1)
    rows, columns = np.arange(height), np.arange(width)
    down = np.minimum(rows, height - 1 - rows)
    across = np.minimum(columns, width - 1 - columns)
    top, bottom = (rows - down)[:, None], (rows + down + 1)[:, None]
    left, right = columns - across, columns + across + 1
    area = ((2 * down + 1)[:, None] * (2 * across + 1))[..., None]
    surround = (
        sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
    ) / area
    distance = np.sqrt((surround - _smoothed(lab)) ** 2 @ np.ones(3))
    peak = distance.max()
    # Less than a thousandth of a just visible difference is only rounding.
    return distance / peak if peak > 1e-3 else np.zeros_like(distance)


def lab_of(codes: NDArray[np.uint8]) -> Floats:
    """Return CIELAB (H, W, 3), white point D65, of sRGB codes."""
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    relative = srgb_decode(codes / 255) @ (to_xyz / to_xyz.sum(axis=1, keepdims=True)).T
    edge = 6 / 29
    root = np.where(relative > edge**3, np.cbrt(relative), relative / (3 * edge**2) + 4 / 29)
    x, y, z = np.moveaxis(root, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def _smoothed(lab: Floats) -> Floats:
    """Return colours under the binomial kernel (1, 4, 6, 4, 1)/16 in both directions."""
    weights = np.array([1, 4, 6, 4, 1]) / 16
    framed = np.pad(lab, ((2, 2), (2, 2), (0, 0)), mode="edge")
    height, width = lab.shape[:2]
    down = sum(weight * framed[k : k + height] for k, weight in enumerate(weights))
    return sum(weight * down[:, k : k + width] for k, weight in enumerate(weights))


def _u2net() -> Provider:
    try:
        rembg = importlib.import_module("rembg")
    except ImportError:
        raise UserError(
            "saliency_sod: provider u2net needs the package rembg; install it "
            '(pip install "rembg[cpu]") or use centre_surround'
        ) from None
    session = rembg.new_session("u2net")

    def salient(codes: NDArray[np.uint8]) -> Floats:
        mask = rembg.remove(Image.fromarray(codes), session=session, only_mask=True)
        return np.asarray(mask.convert("L"), dtype=np.float64) / 255

    return salient


PROVIDERS: Mapping[str, Callable[[], Provider]] = MappingProxyType(
    {"centre_surround": lambda: centre_surround, "u2net": _u2net}
)
