"""torchvision's classifiers by name, with its published weights or those of a local file."""

import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError

import safetensors.torch
import torch
from torch import Tensor, nn
from torch.nn import functional
from torchvision import models
from torchvision.models import Weights, WeightsEnum

from stimuli.errors import UserError
from stimuli.io.canonical import file_sha256
from xai_backend.models.checkpoint import first_line
from xai_backend.models.frame import IMAGENET_MEAN, IMAGENET_STD, InputFrame, Normalise
from xai_backend.models.image_model import ImageModel

State = Mapping[str, Tensor]

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
    "mnasnet": "layers",
    "regnet": "trunk_output",
    "shufflenet": "conv5",
    "googlenet": "inception5b",
    "inception": "Mixed_7c",
}
"""The stage that gives the last feature maps, by how an architecture's name begins."""


@dataclass(frozen=True, slots=True)
class Classifier:
    """A network that names what is on a photograph.

    Attributes
    ----------
    name
        torchvision's name of the architecture.
    model
        On the device that was asked for, in evaluation mode.
    frame
        What it sees of a photograph.
    categories
        The classes' names in order; empty where nothing tells them.
    weights_sha256
        Of the weights' file.
    preprocessing
        What is done to RGB codes before they reach the weights, as plain JSON values: part
        of a result's key.
    """

    name: str
    model: ImageModel
    frame: InputFrame
    categories: tuple[str, ...]
    weights_sha256: str
    preprocessing: Any


class EvenAveragePool(nn.AdaptiveAvgPool2d):
    """The same average, by equal windows where the sides divide evenly.

    Adaptive pooling's gradient has no deterministic algorithm on a GPU; VGG and AlexNet use
    it where, in their frame, there is nothing to average at all.
    """

    def forward(self, features: Tensor) -> Tensor:
        """Return the averages (n, C, rows, columns) of features (n, C, h, w)."""
        asked = self.output_size
        sizes = (asked, asked) if isinstance(asked, int) else asked
        pairs = list(zip(features.shape[2:], sizes, strict=True))
        single = all(cells == 1 for _, cells in pairs)  # a plain mean, which torch knows
        if single or any(not cells or side % cells for side, cells in pairs):
            return super().forward(features)
        return functional.avg_pool2d(features, [side // cells for side, cells in pairs])


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
        published weights, such as ``IMAGENET1K_V2``; without it the first that were
        published. Published weights are downloaded once and kept by torch.
    device
        ``cpu``, ``cuda``, ``cuda:1`` …

    Raises
    ------
    UserError
        If there is no such architecture or device, or the weights can't be had or don't fit.
    """
    if name not in names():
        raise UserError(f"no model {name!r}; {_suggestion(name)}")
    place = checked_device(device)
    published = models.get_model_weights(name)
    path, preset = _weights_file(name, weights, published)
    state = read_state(path)
    network = _network(name, state, path)
    frame, mean, std = _frame(preset)
    model = ImageModel(Normalise(mean, std), network, last_features=last_features(name))
    categories = tuple(preset.meta["categories"]) if preset else ()
    fits = len(categories) == _classes(name, state)
    return Classifier(
        name,
        model.to(place).eval().requires_grad_(False),
        frame,
        categories if fits else (),
        file_sha256(path),
        {"codes": "/255", "mean": list(mean), "std": list(std)},
    )


def checked_device(device: str) -> torch.device:
    """Return the device of a name; UserError where this machine has none of it."""
    try:
        place = torch.device(device)
    except RuntimeError:
        raise UserError(f"--device {device}: is no device; use cpu or cuda") from None
    known = {
        "cpu": True,
        "cuda": torch.cuda.is_available() and (place.index or 0) < torch.cuda.device_count(),
        "mps": torch.backends.mps.is_available(),
    }
    if not known.get(place.type, False):
        raise UserError(f"--device {device}: torch finds no such device on this machine; use cpu")
    return place


def read_state(path: Path) -> dict[str, Tensor]:
    """Return a file's tensors by name, float32; nothing but tensors is ever unpickled.

    Weights that a training script wrapped (``state_dict``, ``module.`` before each name) are
    unwrapped.

    Raises
    ------
    UserError
        If it is no file of weights.
    """
    try:
        if path.suffix == ".safetensors":
            found: Any = safetensors.torch.load_file(path)
        else:
            found = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file of weights") from None
    except pickle.UnpicklingError:
        raise UserError(
            f"{path}: is no file of weights alone; save the state_dict and nothing else "
            "(torch.save(model.state_dict(), FILE), or safetensors)"
        ) from None
    except Exception as fault:  # what is no pickle stops the reader in any way it likes
        raise UserError(f"{path}: is no file of weights ({_reason(fault)})") from None
    for wrapper in ("state_dict", "model"):
        if isinstance(found, Mapping) and isinstance(found.get(wrapper), Mapping):
            found = found[wrapper]
    tensors = isinstance(found, Mapping) and all(isinstance(v, Tensor) for v in found.values())
    if not tensors or not found:
        raise UserError(f"{path}: holds no state_dict (names and tensors)")
    return {
        str(key).removeprefix("module."): value.float() if value.is_floating_point() else value
        for key, value in found.items()
    }


def _weights_file(
    name: str, weights: str | None, published: type[WeightsEnum]
) -> tuple[Path, Weights | None]:
    """Return the file of weights, and the preset that they were published with."""
    choices = {entry.name: entry.value for entry in published}
    first = next(iter(choices.values()), None)
    if weights is None and first is None:
        raise UserError(f"{name}: has no published weights; give --weights FILE")
    if weights is None or weights in choices:
        preset = choices[weights] if weights else first
        return _downloaded(name, preset), preset
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


def _network(name: str, state: State, path: Path) -> nn.Module:
    """Return the architecture with a state, with as many classes as the state has."""
    network = untrained(name, num_classes=_classes(name, state))
    try:
        missing, unexpected = network.load_state_dict(state, strict=False)
    except RuntimeError as fault:
        detail = str(fault).splitlines()[-1].strip()
        raise UserError(f"{path}: doesn't fit {name} ({detail})") from None
    if missing or unexpected:
        detail = f"{missing[0]} is missing" if missing else f"{unexpected[0]} is unknown"
        raise UserError(f"{path}: doesn't fit {name} ({detail})")
    return network


def untrained(name: str, **options: Any) -> nn.Module:
    """Return an architecture of torchvision's as networks are used here, without weights."""
    if name in ("googlenet", "inception_v3"):  # their weights expect it, as torchvision says
        options |= {"init_weights": False, "transform_input": True}
    network = models.get_model(name, weights=None, **options)
    for module in network.modules():
        # What runs in place would change what hooks have kept.
        if getattr(module, "inplace", False):
            module.inplace = False
        if type(module) is nn.AdaptiveAvgPool2d:
            module.__class__ = EvenAveragePool
    return network


def _classes(name: str, state: State) -> int:
    """Return how many classes a state's last layer has; the architecture's own, if unclear."""
    with torch.device("meta"):
        own = models.get_model(name, weights=None).state_dict()
    last = list(own)[-1]
    return len(state.get(last, own[last]))


def _frame(
    preset: Weights | None,
) -> tuple[InputFrame, tuple[float, ...], tuple[float, ...]]:
    if preset is None:
        return InputFrame(), IMAGENET_MEAN, IMAGENET_STD
    transforms = preset.transforms()
    frame = InputFrame(
        resize_px=transforms.resize_size[0],
        crop_px=transforms.crop_size[0],
        interpolation=transforms.interpolation.value,
    )
    return frame, tuple(transforms.mean), tuple(transforms.std)


def last_features(name: str) -> str | None:
    """Return the module that gives an architecture's last feature maps; None for none known."""
    return next((at for start, at in LAST_FEATURES.items() if name.startswith(start)), None)


def _suggestion(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name.lower(), names(), n=3)
    return f"did you mean {' or '.join(near)}?" if near else f"take one of {', '.join(names())}"


def _reason(fault: BaseException) -> str:
    fault = fault.reason if isinstance(getattr(fault, "reason", None), OSError) else fault
    return first_line(fault)
