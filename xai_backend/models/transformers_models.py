"""Image classifiers of Transformers, from a local folder."""

import importlib
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from stimuli.errors import UserError, first_line
from xai_backend.models.classifier import (
    FOLDER_FILE,
    Classifier,
    ModelSettings,
    assembled,
    settings_beside,
    state_sha256,
)
from xai_backend.models.processors import (
    UnsupportedSettingError,
    followed,
    timm_settings,
    transformers_settings,
)

PREFIX = "hf:"
MISSING = "hf:DIR needs the package transformers; add it with: .venv/bin/pip install transformers"
PROCESSORS = ("preprocessor_config.json", "processor_config.json")
"""Files that may hold a network's image processor."""


class Logits(nn.Module):
    """A network of Transformers that returns only its logits."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, pixels: Tensor) -> Tensor:
        """Return logits (n, K) of pictures (n, 3, H, W)."""
        return self.network(pixel_values=pixels).logits


def load_transformers(folder: Path, weights: str | None, device: torch.device) -> Classifier:
    """Return the classifier of a folder that ``save_pretrained`` wrote; none of its code is run.

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
    except Exception as fault:  # another library may raise anything
        raise UserError(
            f"--model {PREFIX}{folder}: contains no image classifier ({first_line(fault)})"
        ) from None
    settings = _settings(transformers, folder, network.config)
    digest = state_sha256(network)
    return assembled(f"{PREFIX}{folder.name}", Logits(network), settings, digest, device)


def _settings(transformers: Any, folder: Path, config: Any) -> ModelSettings:
    """Return how the network takes pictures: as its processor or its settings file says."""
    file_settings = settings_beside(folder)
    try:
        usual = _of_processor(transformers, folder)
    except UnsupportedSettingError as fault:
        if file_settings is None or not file_settings.determine_input:
            raise UserError(
                f"--model {PREFIX}{folder}: its image processor can't be followed ({fault}); state "
                f"side_px, mean and std in {folder / FOLDER_FILE} (docs/models.md)"
            ) from None
        usual = ModelSettings()
    labels = getattr(config, "id2label", {})
    classes = tuple(str(labels[number]) for number in sorted(labels))
    named = usual.model_copy(update={"classes": classes})
    return file_settings.over(named) if file_settings else named


def _of_processor(transformers: Any, folder: Path) -> ModelSettings:
    """Return the settings of the folder's processor, or raise UnsupportedSettingError."""
    try:
        processor = transformers.AutoImageProcessor.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False
        )
    except Exception as fault:  # another library may raise anything
        there = any((folder / name).is_file() for name in PROCESSORS)
        why = first_line(fault) if there else f"there is no {PROCESSORS[0]}"
        raise UnsupportedSettingError(why) from None
    kind, config = type(processor).__name__, processor.to_dict()
    timms = config.get("data_config")
    settings = timm_settings(timms) if timms else transformers_settings(kind, config)
    return followed(
        settings, lambda photo: processor(images=photo, return_tensors="pt")["pixel_values"][0]
    )
