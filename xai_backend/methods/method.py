"""What an explanation method is, how it is run, and its settings as typed: NAME=VALUE."""

import difflib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, asdict, dataclass
from functools import partial
from typing import Any, ClassVar, Final, Protocol, TypeGuard

import numpy as np
import torch
from torch import Tensor

from stimuli.errors import UserError
from stimuli.io.canonical import seed_of, sha256_hex
from xai_backend.determinism import THREADS, deterministic
from xai_backend.models.image_model import ImageModel, batches

CAPTUM: Final = "captum:"
"""Prefix of the names of captum's attributions. It is defined here, so that captum is imported only
for them."""
CPU_REFUSAL: Final = "can't allocate memory"
"""Part of torch's message when memory runs out on the CPU; on a GPU it has an exception for
that."""


def typed_settings(name: str, usual: Mapping[str, Any], texts: Sequence[str]) -> dict[str, Any]:
    """Return the settings of a method from texts such as ``patch_px=16`` or ``areas=[.1,.2]``.

    Parameters
    ----------
    name
        The method's.
    usual
        Its settings with their default values. A value has the type of the default; if that is
        None, it may be any plain JSON value.
    texts
        The texts that the user typed.

    Raises
    ------
    UserError
        If the method has no such setting, or the value has another type.
    """
    settings: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or key not in usual:
            near = difflib.get_close_matches(key, usual, n=1)
            hint = f"did you mean {near[0]}?" if near else f"it has: {', '.join(usual) or 'none'}"
            raise UserError(f"--set {text}: {name} has no setting {key!r}; {hint}")
        settings[key] = _value(value, usual[key], text)
    return settings


def _value(text: str, usual: Any, typed: str) -> Any:
    """Return a text as a value of the same type as the default."""
    if isinstance(usual, str):
        return text
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        value = text if usual is None else None
    if usual is None and _plain(value):
        return tuple(value) if isinstance(value, list) else value
    if isinstance(usual, tuple) and isinstance(value, list) and all(map(_is_number, value)):
        return tuple(float(part) for part in value)
    if isinstance(usual, bool):
        if isinstance(value, bool):
            return value
    elif isinstance(usual, int):
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    elif isinstance(usual, float) and _is_number(value):
        return float(value)
    raise UserError(f"--set {typed}: takes a value such as {json.dumps(usual)}, the default")


def _plain(value: Any) -> bool:
    parts = value if isinstance(value, list) else [value]
    return all(isinstance(part, (bool, int, float, str)) for part in parts)


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Execution:
    """How a method is run: this affects its speed and a map's last bits, not the map's meaning.

    Attributes
    ----------
    at_once
        Inputs that go through the network together; None for the method's own number.
    threads
        Threads within an operation on the CPU.
    compiled
        Whether the network goes through torch.compile; only occlusion uses this.
    """

    at_once: int | None = None
    threads: int = THREADS
    compiled: bool = False

    def __post_init__(self) -> None:
        if self.threads < 1 or (self.at_once is not None and self.at_once < 1):
            raise ValueError(f"at_once ({self.at_once}) and threads ({self.threads}) start at 1")

    def in_batches(
        self,
        model: ImageModel,
        inputs: Tensor,
        targets: Tensor,
        explain: Callable[[Tensor, Tensor], Tensor],
        at_once: int,
    ) -> Tensor:
        """Return the results of ``explain`` for all images, a fixed number of them at a time.

        Parameters
        ----------
        model, inputs, targets
            As of `Method.explain`.
        explain
            Returns a tensor with a row for each image; given images (n, 3, H, W) and targets
            (n,), both on the model's device.
        at_once
            How many go through the network together, unless this execution has its own ``at_once``.

        Returns
        -------
        Tensor
            float32 on the CPU, a row for each input.
        """
        model.eval()
        results = []
        with deterministic(threads=self.threads):
            for rows, count in batches(torch.arange(len(inputs)), self.at_once or at_once):
                images, chosen = inputs[rows].to(model.device), targets[rows].to(model.device)
                results.append(explain(images, chosen)[:count].cpu().float())
        return torch.cat(results)


class Method(Protocol):
    """A method's specification, a dataclass: its name, its version and its parameters.

    Together they are its part of a map's key. Raise the version by hand whenever the same
    parameters would make another map.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def version(self) -> int:
        """The version, raised by hand (see above)."""

    def explain(
        self,
        model: ImageModel,
        inputs: Tensor,
        targets: Tensor,
        execution: Execution = Execution(),
    ) -> Tensor:
        """Return maps, float32 (n, H, W), of a target's logit.

        An image's map doesn't depend on the other images, nor on their number or order.

        Parameters
        ----------
        model
            The network with its preprocessing.
        inputs
            Images (n, 3, H, W), RGB codes as fractions 0…1, on any device.
        targets
            int64 (n,): the class to explain in each.
        execution
            How to run.

        Returns
        -------
        float32 (n, H, W)
            On the CPU; channels summed; larger is more relevant.
        """


def is_out_of_memory(fault: BaseException) -> bool:
    """Return whether memory ran out, on the CPU or on a graphics card."""
    return isinstance(fault, (torch.OutOfMemoryError, MemoryError)) or CPU_REFUSAL in str(fault)


def identity_of(method: Method) -> dict[str, Any]:
    """Return a method's part of a map's key."""
    return {"name": method.name, "version": method.version, "parameters": asdict(method)}


def generator_for(name: str, image: Tensor, target: int) -> np.random.Generator:
    """Return the random generator of an image's explanation.

    It depends only on the method's name, the image's content and the class: not on the device, the
    batch or the order.
    """
    content = image.detach().to("cpu", torch.float32).contiguous().numpy()
    seed = seed_of(name, sha256_hex(content.tobytes()), target)
    return np.random.Generator(np.random.PCG64(seed))


def one_by_one(
    explain_one: Callable[[Tensor, int], Tensor], inputs: Tensor, targets: Tensor
) -> Tensor:
    """Return maps, float32 (n, H, W) on the CPU, each made from its own image alone.

    Parameters
    ----------
    explain_one
        Takes an image (3, H, W) and its class, and returns a map (H, W).
    inputs, targets
        As in `Method.explain`.
    """
    maps = torch.empty(len(inputs), *inputs.shape[2:])
    for k, target in enumerate(targets.tolist()):
        maps[k] = explain_one(inputs[k], target).detach()
    return maps


def input_gradients(model: ImageModel, images: Tensor, targets: Tensor) -> Tensor:
    """Return the gradient of the target's logit at the image, (n, 3, H, W), on its device."""
    points = images.detach().requires_grad_()
    with torch.enable_grad():
        logits = model(points).gather(1, targets[:, None])
        (gradients,) = torch.autograd.grad(logits.sum(), points)
    return gradients


class OneByOne:
    """A `Method` that makes each map by itself."""

    __slots__ = ()

    def map_of(self, model: ImageModel, image: Tensor, target: int, execution: Execution) -> Tensor:
        """Return the map (H, W) of an image (3, H, W) and its class, on any device."""
        raise NotImplementedError

    def explain(
        self,
        model: ImageModel,
        inputs: Tensor,
        targets: Tensor,
        execution: Execution = Execution(),
    ) -> Tensor:
        """Return maps, float32 (n, H, W); see `Method.explain`."""
        model.eval()
        with deterministic(threads=execution.threads):
            return one_by_one(
                lambda image, target: self.map_of(model, image, target, execution), inputs, targets
            )


class InBatches:
    """A `Method` that makes the maps of several images together."""

    __slots__ = ()
    inputs_at_once: ClassVar[int]

    def maps_of(self, model: ImageModel, images: Tensor, targets: Tensor) -> Tensor:
        """Return the maps (n, H, W) of images (n, 3, H, W), both on the model's device."""
        raise NotImplementedError

    def explain(
        self,
        model: ImageModel,
        inputs: Tensor,
        targets: Tensor,
        execution: Execution = Execution(),
    ) -> Tensor:
        """Return maps, float32 (n, H, W); see `Method.explain`."""
        maps_of = partial(self.maps_of, model)
        return execution.in_batches(model, inputs, targets, maps_of, self.inputs_at_once)
