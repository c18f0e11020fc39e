"""Image classifiers of Transformers, from a local folder."""

import importlib
import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from stimuli.errors import UserError, first_line
from xai_backend.models.classifier import Classifier, assembled, state_sha256
from xai_backend.models.frame import IMAGENET_MEAN, IMAGENET_STD
from xai_backend.models.settings import ModelSettings, settings_beside

PREFIX = "hf:"
MISSING = "hf:DIR needs the package transformers; add it with: .venv/bin/pip install transformers"
PREPROCESSOR = "preprocessor_config.json"
BICUBIC = 3
"""Pillow's number of it, as Transformers writes it."""


class Logits(nn.Module):
    """A network of Transformers that returns its logits alone."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, pixels: Tensor) -> Tensor:
        """Return logits (n, K) of pictures (n, 3, H, W)."""
        return self.network(pixel_values=pixels).logits


def load_transformers(folder: Path, weights: str | None, device: torch.device) -> Classifier:
    """Return the classifier of a folder that ``save_pretrained`` wrote; no code of it is run.

    Raises
    ------
    UserError
        If Transformers isn't installed, or the folder holds no image classifier.
    """
    if weights is not None:
        raise UserError(f"--weights goes with other models; {PREFIX}{folder} has its own")
    if not (folder / "config.json").is_file():
        raise UserError(f"--model {PREFIX}{folder}: no such folder with a config.json")
    try:
        transformers = importlib.import_module("transformers")
    except ImportError:
        raise UserError(MISSING) from None
    try:
        network = transformers.AutoModelForImageClassification.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False
        )
    except Exception as fault:  # somebody else's library fails in any way it likes
        raise UserError(
            f"--model {PREFIX}{folder}: contains no image classifier ({first_line(fault)})"
        ) from None
    own, usual = settings_beside(folder), _own_settings(folder, network.config)
    settings = own.over(usual) if own else usual
    digest = state_sha256(network)
    return assembled(f"{PREFIX}{folder.name}", Logits(network), settings, digest, device)


def _own_settings(folder: Path, config: Any) -> ModelSettings:
    """Return the settings that lie in the folder."""
    told = _preprocessor(folder)
    size = told.get("size", {})
    shorter = _side(size) or getattr(config, "image_size", 224)
    side = _side(told.get("crop_size", {})) if told.get("do_center_crop") else None
    plain = told.get("do_normalize") is False
    labels = getattr(config, "id2label", {})
    return ModelSettings(
        side_px=side or shorter,
        resize_px=max(shorter, side or 0),
        interpolation="bicubic" if told.get("resample") == BICUBIC else "bilinear",
        mean=(0.0, 0.0, 0.0) if plain else tuple(told.get("image_mean", IMAGENET_MEAN)),
        std=(1.0, 1.0, 1.0) if plain else tuple(told.get("image_std", IMAGENET_STD)),
        classes=tuple(str(labels[number]) for number in sorted(labels)),
    )


def _preprocessor(folder: Path) -> dict[str, Any]:
    path = folder / PREPROCESSOR
    if not path.is_file():
        return {}
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise UserError(f"{path}: can't be read ({first_line(fault)})") from None


def _side(size: Any) -> int | None:
    """Return the side that a size of Transformers states, in any of its forms."""
    if isinstance(size, int):
        return size
    known = [size.get(key) for key in ("shortest_edge", "height", "width")]
    sides = [value for value in known if isinstance(value, int)]
    return min(sides) if sides else None
