"""timm's image classifiers by name, with weights of a local file or those that timm keeps."""

import importlib
from pathlib import Path
from typing import Any

import torch
from torch import nn

from stimuli.errors import UserError, first_line
from stimuli.io.canonical import file_sha256
from xai_backend.models.classifier import (
    Classifier,
    ModelSettings,
    State,
    assembled,
    fitted,
    read_state,
    settings_beside,
    state_sha256,
)
from xai_backend.models.processors import UnsupportedSettingError, followed, timm_settings

PREFIX = "timm:"
MISSING = "timm:NAME needs the package timm; add it with: .venv/bin/pip install timm"


def load_timm(name: str, weights: str | None, device: torch.device) -> Classifier:
    """Return timm's network of a name (without the prefix).

    timm's settings say how it takes pictures, unless a settings file lies beside the weights.

    Raises
    ------
    UserError
        If timm isn't installed or has no such network, or the weights aren't available or don't
        fit.
    """
    try:
        timm = importlib.import_module("timm")
    except ImportError:
        raise UserError(MISSING) from None
    if name not in timm.list_models():
        near = timm.list_models(f"*{name.split('.')[0]}*")[:3]
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UserError(f"--model {PREFIX}{name}: timm has no such model{hint}")
    whole = f"{PREFIX}{name}"
    if weights is None:
        network, digest, file_settings = *_published(timm, name), None
    else:
        path = Path(weights)
        state = read_state(path)
        network = fitted(whole, _untrained(timm, name, state), state, weights)
        digest, file_settings = file_sha256(path), settings_beside(path)
    settings = _settings(timm, name, network, file_settings)
    return assembled(whole, network, settings, digest, device)


def _published(timm: Any, name: str) -> tuple[nn.Module, str]:
    try:
        network = timm.create_model(name, pretrained=True)
    except Exception as fault:  # offline, no such weights, or the hub's errors
        raise UserError(
            f"--model {PREFIX}{name}: its weights can't be had ({first_line(fault)}); give "
            "--weights FILE"
        ) from None
    return network, state_sha256(network)


def _untrained(timm: Any, name: str, state: State) -> nn.Module:
    """Return the architecture with as many classes as a state dict has."""
    with torch.device("meta"):
        last = timm.create_model(name).default_cfg["classifier"]
    last = last[0] if isinstance(last, (tuple, list)) else last
    head = state.get(f"{last}.weight")
    return timm.create_model(name, **({} if head is None else {"num_classes": len(head)}))


def _settings(
    timm: Any, name: str, network: nn.Module, file_settings: ModelSettings | None
) -> ModelSettings:
    """Return how a network takes pictures: as timm prepares them, or as its file states."""
    config = timm.data.resolve_model_data_config(network)
    try:
        usual = followed(timm_settings(config), timm.data.create_transform(**config))
    except UnsupportedSettingError as fault:
        if file_settings is None or not file_settings.determine_input:
            raise UserError(
                f"--model {PREFIX}{name}: its pictures can't be prepared as timm does ({fault}); "
                "state side_px, mean and std in a file of settings beside --weights "
                "(docs/models.md)"
            ) from None
        usual = ModelSettings()
    usual = usual.model_copy(update={"last_features": _last_stage(network)})
    return file_settings.over(usual) if file_settings else usual


def _last_stage(network: nn.Module) -> str:
    """Return the module of the last feature maps; empty for networks of tokens.

    These have a single convolution, which cuts the picture into patches, and no feature maps with
    channels last, as Swin has.
    """
    stages = list(getattr(network, "feature_info", None) or ())
    convolutions = sum(isinstance(part, nn.Conv2d) for part in network.modules())
    maps = convolutions > 1 or getattr(network, "output_fmt", "") == "NHWC"
    return str(stages[-1]["module"]) if stages and maps else ""
