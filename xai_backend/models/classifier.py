"""A network that names what is on a photograph: its settings, its weights, and how it is tested.

A settings file beside the weights says how the network takes its pictures. For a network that is
mostly wrong there is a caution, before people see explanations of its answers.
"""

import hashlib
import pickle
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

import safetensors.torch
import torch
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from torch import Tensor, nn
from torch.nn import functional

from stimuli.errors import UserError, first_line
from stimuli.io.given_files import read_toml
from stimuli.io.inside import refuse_odd
from stimuli.io.invalid import place_and_reason
from xai_backend.determinism import deterministic
from xai_backend.models.frame import (
    IMAGENET_MEAN,
    IMAGENET_STD,
    Fit,
    InputFrame,
    Normalise,
    OddPx,
    Resizer,
)
from xai_backend.models.image_model import ImageModel
from xai_backend.own_code import FAILURES, fault_line
from xai_backend.progress import Reporter

SETTINGS_SUFFIX: Final = ".toml"
FOLDER_FILE: Final = "model.toml"
LARGEST_PX: Final = 4096

Side = Annotated[int, Field(ge=8, le=LARGEST_PX)]
Share = Annotated[float, Field(ge=0, le=1, strict=False)]
Code = Annotated[int, Field(ge=0, le=255)]
Spread = Annotated[float, Field(gt=0, le=1, strict=False)]
State = Mapping[str, Tensor]
SEVERAL = 2


class ModelSettings(BaseModel):
    """What must be known of a network to show it a picture; the defaults are ImageNet's.

    A picture is resized to ``resize_px`` as ``fit`` says, the centre of ``side_px`` is cut out or
    a border added, and each channel becomes (code / 255 - mean) / std.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    side_px: Side = Field(default=224, description="Side of the square that the network sees.")
    resize_px: Side | None = Field(
        default=None, description="Side after resizing; fit says which. Default: side_px."
    )
    fit: Fit = Field(
        default="crop",
        description="crop: the shorter side is resized to resize_px. pad: the longer side is. "
        "squash: both are.",
    )
    interpolation: Literal["bilinear", "bicubic", "lanczos"] = Field(
        default="bilinear", description="How pictures are resized."
    )
    odd_px: OddPx = Field(
        default="even",
        description="How the edge of the centre is rounded where an odd number of pixels is cut.",
    )
    border: tuple[Code, Code, Code] = Field(
        default=(0, 0, 0), description="RGB codes of a border, 0…255."
    )
    resizer: Resizer = Field(default="pillow", description="The library that resizes.")
    mean: tuple[Share, Share, Share] = Field(
        default=IMAGENET_MEAN, description="Of red, green and blue, as fractions 0…1."
    )
    std: tuple[Spread, Spread, Spread] = Field(
        default=IMAGENET_STD, description="Of red, green and blue."
    )
    channels: Literal["rgb", "bgr"] = Field(
        default="rgb", description="Order in which the network takes colours."
    )
    classes: tuple[str, ...] = Field(default=(), description="The classes, in the outputs' order.")
    prompt: str = Field(
        default="",
        description="What a language model is asked, with {text} for the sentence; its next token "
        "is its answer, one of classes.",
    )
    last_features: str = Field(
        default="", description="Module that gives the last feature maps, which GradCAM weights."
    )

    @property
    def frame(self) -> InputFrame:
        """What the network sees of a photograph."""
        return InputFrame(
            self.resize_px or self.side_px,
            self.side_px,
            self.interpolation,
            self.fit,
            self.odd_px,
            self.border,
            self.resizer,
        )

    @property
    def determine_input(self) -> bool:
        """Whether the stated settings suffice to show the network a picture without defaults."""
        return self.model_fields_set >= {"side_px", "mean", "std"}

    def over(self, usual: Self) -> Self:
        """Return these settings, with a network's defaults for what isn't stated.

        If a side or a fit is stated, the default resizing isn't used: it belongs to another side or
        fit.
        """
        stated = {name: getattr(self, name) for name in self.model_fields_set}
        if {"side_px", "fit"} & stated.keys():
            stated.setdefault("resize_px", None)
        return usual.model_copy(update=stated)


def settings_beside(place: Path) -> ModelSettings | None:
    """Return the settings beside a file or in a folder; None if there are none.

    Beside ``net.pt`` that is ``net.toml``, in a folder ``model.toml``.

    Raises
    ------
    UserError
        If the file can't be read or isn't a settings file.
    """
    path = place / FOLDER_FILE if place.is_dir() else place.with_suffix(SETTINGS_SUFFIX)
    if not path.exists():
        return None
    document = read_toml(path)
    try:
        for name in ("mean", "std", "border", "classes"):
            if isinstance(document.get(name), list):
                document[name] = tuple(document[name])
        return ModelSettings.model_validate(document)
    except ValidationError as fault:
        known = ", ".join(ModelSettings.model_fields)
        raise UserError(f"{path}: {place_and_reason(fault, known)}") from None


@dataclass(frozen=True, slots=True)
class Classifier:
    """A network that classifies photographs.

    Attributes
    ----------
    name
        The architecture's name, or the name by which the network was asked for.
    model
        On the device that was asked for, in evaluation mode.
    frame
        Which part of a photograph it sees.
    categories
        The classes' names in order; empty if they aren't known.
    weights_sha256
        Hash of the weights' file, or of whatever else determines the answers.
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
    """Adaptive average pooling, by equal windows if the sides divide evenly.

    Adaptive pooling's gradient has no deterministic algorithm on a GPU; VGG and AlexNet use
    it although, in their frame, there is nothing to average at all.
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
        # A window over the whole map is a plain mean, which torch knows.
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
        Its name in messages and tables.
    network
        From normalised pictures (n, 3, side, side) to logits (n, K).
    settings
        How it takes its pictures.
    weights_sha256
        Hash of all that determines its answers.
    device
        Where it is to run.

    Raises
    ------
    UserError
        If it can't take pictures of this size, or several at once, if its output isn't (n, K), or
        if the settings name another number of classes.
    """
    assembled_classifier = classifier(name, network, settings, weights_sha256, device)
    count = outputs_of(assembled_classifier)
    if settings.classes and len(settings.classes) != count:
        raise UserError(
            f"{name}: has {count} outputs, but its settings name {len(settings.classes)} classes"
        )
    return assembled_classifier


def classifier(
    name: str,
    network: nn.Module,
    settings: ModelSettings,
    weights_sha256: str,
    device: torch.device,
) -> Classifier:
    """Return a network as a classifier, as `assembled` does, but without trying it."""
    model = ImageModel(front_of(settings), hookable(network), settings.last_features or None)
    preprocessing: dict[str, Any] = {
        "codes": "/255",
        "mean": list(settings.mean),
        "std": list(settings.std),
    }
    if settings.channels != "rgb":  # so that the keys of other networks' results stay the same
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
    """Return the normalisation in front of a network."""
    return Normalise(settings.mean, settings.std, bgr=settings.channels == "bgr")


def outputs_of(network: Classifier) -> int:
    """Return how many outputs a network has, by running it on two pictures.

    Raises
    ------
    UserError
        If its weights aren't float32, it can't take pictures, or its output isn't (n, K).
    """
    name, model, side_px = network.name, network.model, network.frame.crop_px
    types = {weight.dtype for weight in model.network.parameters() if weight.is_floating_point()}
    if other := sorted(str(dtype).removeprefix("torch.") for dtype in types - {torch.float32}):
        raise UserError(
            f"{name}: its weights are {other[0]}, and pictures are float32; make the network's "
            "float32: network.float()"
        )
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
    """Return the device of a name; UserError if this machine doesn't have it."""
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

    Wrappings of training scripts (``state_dict``, ``module.`` before each name) are removed.

    Raises
    ------
    UserError
        If it isn't a file of weights.
    """
    refuse_odd(path)
    try:
        if path.suffix == ".safetensors":
            state: Any = safetensors.torch.load_file(path)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about pickles; our message is below
                state = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise UserError(f"{path}: this file of weights doesn't exist") from None
    except pickle.UnpicklingError:
        raise UserError(
            f"{path}: is not a file of weights only; save the state_dict and nothing else "
            "(torch.save(model.state_dict(), FILE), or safetensors)"
        ) from None
    except Exception as fault:  # on a file that isn't a pickle, the reader may raise anything
        raise UserError(f"{path}: is not a file of weights ({first_line(fault)})") from None
    for wrapper in ("state_dict", "model"):
        if isinstance(state, Mapping) and isinstance(state.get(wrapper), Mapping):
            state = state[wrapper]
    tensors = isinstance(state, Mapping) and all(isinstance(v, Tensor) for v in state.values())
    if not tensors or not state:
        raise UserError(f"{path}: contains no state_dict (names and tensors)")
    return {
        str(key).removeprefix("module."): value.float() if value.is_floating_point() else value
        for key, value in state.items()
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
        # Operations in place would change the tensors that hooks have kept.
        if getattr(module, "inplace", False) is True:
            module.inplace = False
        if type(module) is nn.AdaptiveAvgPool2d:
            module.__class__ = EvenAveragePool
    return network


def say_if_mostly_wrong(reporter: Reporter, network: str, right: int, labelled: int) -> None:
    """Report the caution about a network that is wrong on most labelled images, if it applies."""
    caution = caution_of_errors(network, right, labelled)
    if caution:
        reporter.say(f"caution: {caution}")


def caution_of_errors(network: str, right: int, labelled: int) -> str | None:
    """Return a caution if a network is wrong on most labelled images; else None.

    Parameters
    ----------
    network
        Its name.
    right
        Number of images on which it gives the label.
    labelled
        Number of images with a label.
    """
    if 2 * right >= labelled:
        return None
    return (
        f"{network} is right on {right} of {labelled} labelled images. If you expect more, check "
        "that its classes are named in the order of its outputs, and that its pictures are "
        "prepared as in training: classes, side_px, resize_px, fit, mean and std in its settings "
        "file (docs/models.md)"
    )
