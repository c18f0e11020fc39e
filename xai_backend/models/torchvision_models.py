"""torchvision's classifiers by name, with its published weights or those of a local file."""

from pathlib import Path
from typing import Any
from urllib.error import URLError

import torch
from torch import Tensor, nn
from torch.nn import init
from torch.overrides import TorchFunctionMode
from torchvision import models
from torchvision.models import Weights, WeightsEnum

from stimuli.errors import UserError, first_line
from stimuli.io.canonical import file_sha256
from xai_backend.models.classifier import (
    Classifier,
    ModelSettings,
    State,
    assembled,
    checked_device,
    classifier,
    fitted,
    hookable,
    read_state,
    settings_beside,
)

LAST_FEATURES = {
    "resnet": "layer4",
    "resnext": "layer4",
    "wide_resnet": "layer4",
    "alexnet": "features",
    "vgg": "features",
    "squeezenet": "features",
    "mobilenet": "features",
    "densenet": "features",
    "efficientnet": "features",
    "convnext": "features",
    "swin": "permute",
    "mnasnet": "layers",
    "regnet": "trunk_output",
    "shufflenet": "conv5",
    "googlenet": "inception5b",
    "inception": "Mixed_7c",
}
"""The stage that gives the last feature maps, by the start of an architecture's name."""

DRAWING = frozenset(
    {Tensor.normal_, Tensor.uniform_, init.normal_, init.uniform_, init.kaiming_uniform_}
)
"""Functions by which torch's layers fill tensors with random numbers."""


def names() -> list[str]:
    """Return the names of torchvision's image classifiers."""
    return [
        name
        for name in models.list_models(module=models)
        if not name.startswith(("quantized_", "raft"))
    ]


def load_classifier(name: str, weights: str | None = None, device: str = "cpu") -> Classifier:
    """Return a classifier with its weights.

    Parameters
    ----------
    name
        torchvision's name, such as ``resnet50``.
    weights
        A local file (a state dict saved by torch, or safetensors), or torchvision's name of
        published weights, such as ``IMAGENET1K_V2``; None for the first that were published.
        Published weights are downloaded once and kept by torch.
    device
        ``cpu``, ``cuda``, ``cuda:1`` …

    Raises
    ------
    UserError
        If there is no such architecture or device, or the weights aren't available or don't fit.
    """
    if name not in names():
        raise UserError(f"no model {name!r}; {_suggestion(name)}")
    place = checked_device(device)
    published = models.get_model_weights(name)
    path, preset = _weights_file(name, weights, published)
    state = read_state(path)
    network = fitted(name, _blank(name, state), state, str(path))
    classes = len(list(network.state_dict().values())[-1])
    file_settings = settings_beside(path) if weights == str(path) else None
    usual = _usual_settings(name, preset, classes)
    if file_settings is None:
        return classifier(name, network, usual, file_sha256(path), place)
    return assembled(name, network, file_settings.over(usual), file_sha256(path), place)


def _weights_file(
    name: str, weights: str | None, published: type[WeightsEnum]
) -> tuple[Path, Weights | None]:
    """Return the file of weights, and the preset that they were published with."""
    choices = {entry.name: entry.value for entry in published}
    first = next(iter(choices.values()), None)
    usual = first if weights is None else choices.get(weights)
    if usual is not None:
        return _downloaded(name, usual), usual
    if weights is None:
        raise UserError(f"{name}: has no published weights; give --weights FILE")
    path = Path(weights)
    if not path.is_file():
        raise UserError(
            f"--weights {weights}: is neither a file nor one of {', '.join(choices) or 'none'}"
        )
    same = [preset for preset in choices.values() if preset.url.endswith(f"/{path.name}")]
    return path, same[0] if same else first


def _downloaded(name: str, preset: Weights) -> Path:
    folder = Path(torch.hub.get_dir()) / "checkpoints"
    path = folder / preset.url.rpartition("/")[2]
    if path.is_file():
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        digits = path.stem.rpartition("-")[2]
        torch.hub.download_url_to_file(preset.url, str(path), hash_prefix=digits)
    except (URLError, OSError, RuntimeError) as fault:
        raise UserError(
            f"{name}: its weights can't be downloaded ({_reason(fault)}); put the file of "
            f"{preset.url} into {folder}, or give --weights FILE"
        ) from None
    return path


def untrained(name: str, **options: Any) -> nn.Module:
    """Return an architecture of torchvision without weights, adapted to its use here."""
    if name in ("googlenet", "inception_v3"):  # their weights expect it (torchvision's docs)
        options |= {"init_weights": False, "transform_input": True}
    return hookable(models.get_model(name, weights=None, **options))


def _blank(name: str, state: State) -> nn.Module:
    """Return an architecture with as many classes as the last layer of a state dict."""
    with _Undrawn():
        network = untrained(name)
        last, last_values = list(network.state_dict().items())[-1]
        classes = len(state.get(last, last_values))
        return network if classes == len(last_values) else untrained(name, num_classes=classes)


class _Undrawn(TorchFunctionMode):
    """Skips drawing initial weights, which takes longer than reading the trained ones."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run a function of torch, unless it fills a tensor with random numbers."""
        named = kwargs or {}
        if func in DRAWING:
            return args[0] if args else named["tensor"]
        return func(*args, **named)


def _usual_settings(name: str, preset: Weights | None, classes: int) -> ModelSettings:
    """Return torchvision's settings for published weights; without a preset, ImageNet's."""
    features = last_features(name) or ""
    if preset is None:
        return ModelSettings(resize_px=256, last_features=features)
    transforms = preset.transforms()
    categories = tuple(preset.meta["categories"])
    return ModelSettings(
        side_px=transforms.crop_size[0],
        resize_px=transforms.resize_size[0],
        interpolation=transforms.interpolation.value,
        mean=tuple(transforms.mean),
        std=tuple(transforms.std),
        classes=categories if len(categories) == classes else (),
        last_features=features,
    )


def last_features(name: str) -> str | None:
    """Return the module that gives an architecture's last feature maps; None if it isn't known."""
    return next((at for start, at in LAST_FEATURES.items() if name.startswith(start)), None)


def _suggestion(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name.lower(), names(), n=3)
    return f"did you mean {' or '.join(near)}?" if near else f"take one of {', '.join(names())}"


def _reason(fault: BaseException) -> str:
    reason = getattr(fault, "reason", None)
    return first_line(reason if isinstance(reason, OSError) else fault)
