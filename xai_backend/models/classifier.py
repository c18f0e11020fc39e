"""A network that names what is on a photograph: its weights read, fitted and tried."""

import hashlib
import pickle
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from torch import Tensor, nn
from torch.nn import functional

from stimuli.errors import UserError, first_line
from xai_backend.determinism import deterministic
from xai_backend.models.frame import InputFrame, Normalise
from xai_backend.models.image_model import ImageModel
from xai_backend.models.settings import ModelSettings
from xai_backend.own_code import FAILURES, fault_line

State = Mapping[str, Tensor]
SEVERAL = 2


@dataclass(frozen=True, slots=True)
class Classifier:
    """A network that names what is on a photograph.

    Attributes
    ----------
    name
        The architecture's name, or the name that the network was asked for by.
    model
        On the device that was asked for, in evaluation mode.
    frame
        What it sees of a photograph.
    categories
        The classes' names in order; empty where nothing tells them.
    weights_sha256
        Of the weights' file, or of all else that determines the answers.
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

    def forward(self, input: Tensor) -> Tensor:
        """Return the averages (n, C, rows, columns) of features (n, C, h, w)."""
        asked, sides = self.output_size, input.shape[2:]
        sizes = (asked, asked) if asked is None or isinstance(asked, int) else asked
        windows = [
            side // cells
            for side, cells in zip(sides, sizes, strict=True)
            if cells and not side % cells
        ]
        # A window over the whole is a plain mean, which torch knows.
        if len(windows) < len(sides) or windows == list(sides):
            return super().forward(input)
        return functional.avg_pool2d(input, windows)


def assembled(
    name: str,
    network: nn.Module,
    settings: ModelSettings,
    weights_sha256: str,
    device: torch.device,
) -> Classifier:
    """Return a network as a classifier.

    Parameters
    ----------
    name
        What it is called in messages and tables.
    network
        From normalised pictures (n, 3, side, side) to logits (n, K).
    settings
        How it takes its pictures.
    weights_sha256
        Of all that determines its answers.
    device
        Where it is to run.

    Raises
    ------
    UserError
        If it can't take pictures of this size, several at once, its output isn't (n, K), or
        it has another number of classes than the settings name.
    """
    found = classifier(name, network, settings, weights_sha256, device)
    count = outputs_of(found)
    if settings.classes and len(settings.classes) != count:
        raise UserError(
            f"{name}: has {count} outputs, but its settings name {len(settings.classes)} classes"
        )
    return found


def classifier(
    name: str,
    network: nn.Module,
    settings: ModelSettings,
    weights_sha256: str,
    device: torch.device,
) -> Classifier:
    """Return a network as a classifier without trying it; else as `assembled`."""
    model = ImageModel(front_of(settings), hookable(network), settings.last_features or None)
    preprocessing: dict[str, Any] = {
        "codes": "/255",
        "mean": list(settings.mean),
        "std": list(settings.std),
    }
    if settings.channels != "rgb":  # as long as it isn't so, keys are what they were
        preprocessing["channels"] = settings.channels
    return Classifier(
        name,
        model.to(device).eval().requires_grad_(False),
        settings.frame,
        settings.classes,
        weights_sha256,
        preprocessing,
    )


def front_of(settings: ModelSettings) -> Normalise:
    """Return what a picture goes through before the network."""
    return Normalise(settings.mean, settings.std, bgr=settings.channels == "bgr")


def outputs_of(found: Classifier) -> int:
    """Return how many outputs a network has, tried with two pictures.

    Raises
    ------
    UserError
        If it can't take them, or its output isn't (n, K).
    """
    name, model, side_px = found.name, found.model, found.frame.crop_px
    pictures = torch.zeros(SEVERAL, 3, side_px, side_px, device=model.device)
    try:
        with torch.no_grad(), deterministic():
            logits = model(pictures)
    except FAILURES as fault:
        raise UserError(
            f"{name}: doesn't take {SEVERAL} pictures of {side_px} × {side_px} px "
            f"({fault_line(fault)})"
        ) from None
    if not isinstance(logits, Tensor) or logits.dim() != 2 or len(logits) != SEVERAL:
        shape = tuple(logits.shape) if isinstance(logits, Tensor) else type(logits).__name__
        raise UserError(f"{name}: gives {shape} for {SEVERAL} pictures, not logits (n, K)")
    if not logits.is_floating_point():
        kind = str(logits.dtype).removeprefix("torch.")
        raise UserError(
            f"{name}: gives numbers of the type {kind}, not logits: return real numbers"
        )
    return logits.shape[1]


def state_sha256(network: nn.Module) -> str:
    """Return the hash of a network's weights: names, types, shapes and values."""
    digest = hashlib.sha256()
    for key, value in sorted(network.state_dict().items()):
        plain = value.detach().cpu().contiguous()
        digest.update(f"{key} {plain.dtype} {tuple(plain.shape)}\n".encode())
        digest.update(plain.flatten().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


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
        If it is not a file of weights.
    """
    try:
        if path.suffix == ".safetensors":
            found: Any = safetensors.torch.load_file(path)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # torch's words about pickles; ours are below
                found = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise UserError(f"{path}: this file of weights doesn't exist") from None
    except pickle.UnpicklingError:
        raise UserError(
            f"{path}: is not a file of weights only; save the state_dict and nothing else "
            "(torch.save(model.state_dict(), FILE), or safetensors)"
        ) from None
    except Exception as fault:  # what is no pickle stops the reader in any way it likes
        raise UserError(f"{path}: is not a file of weights ({first_line(fault)})") from None
    for wrapper in ("state_dict", "model"):
        if isinstance(found, Mapping) and isinstance(found.get(wrapper), Mapping):
            found = found[wrapper]
    tensors = isinstance(found, Mapping) and all(isinstance(v, Tensor) for v in found.values())
    if not tensors or not found:
        raise UserError(f"{path}: contains no state_dict (names and tensors)")
    return {
        str(key).removeprefix("module."): value.float() if value.is_floating_point() else value
        for key, value in found.items()
    }


def fitted(name: str, network: nn.Module, state: State, where: str) -> nn.Module:
    """Return a network with the weights of a state; UserError in one line if they don't fit."""
    try:
        missing, unexpected = network.load_state_dict(state, strict=False)
    except RuntimeError as fault:
        detail = str(fault).splitlines()[-1].strip()
        raise UserError(f"{where}: doesn't fit {name} ({detail})") from None
    if missing or unexpected:
        detail = f"{missing[0]} is missing" if missing else f"{unexpected[0]} is unknown"
        raise UserError(f"{where}: doesn't fit {name} ({detail})")
    return network


def hookable(network: nn.Module) -> nn.Module:
    """Return the same network, changed so that hooks and gradients are exact."""
    modules: list[Any] = list(network.modules())
    for module in modules:
        # What runs in place would change what hooks have kept.
        if getattr(module, "inplace", False) is True:
            module.inplace = False
        if type(module) is nn.AdaptiveAvgPool2d:
            module.__class__ = EvenAveragePool
    return network
