"""Training of the plate network: from a stream of plates to weights, step by step.

A step depends on the seed and its number alone, so a training that was interrupted goes
on from its last snapshot to the very weights that it would have had.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from stimuli.images.digits import Digits
from xai_backend.determinism import deterministic
from xai_backend.models.image_model import ImageModel
from xai_backend.models.plate_cnn import DIGITS, RedGreen, plate_cnn
from xai_backend.models.plate_stream import NO_DIGIT, PlateStream, StreamSettings

State = dict[str, Tensor]


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How the network learns.

    Attributes
    ----------
    plates
        Plates seen, none twice; rounded up to whole batches.
    stream
        Which plates.
    seed
        Root of every draw, of the first weights too.
    batch
        Plates a step.
    peak_rate, warmup_share
        AdamW's learning rate rises linearly over this share of the steps, then falls to
        zero along a cosine.
    weight_decay
        AdamW's.
    label_smoothing
        Share of the target that all digits share, so that confidence stays graded. For
        a plate without a numeral every digit is equally right.
    """

    plates: int
    stream: StreamSettings
    seed: int
    batch: int = 64
    peak_rate: float = 4e-3
    warmup_share: float = 0.15
    weight_decay: float = 0.01
    label_smoothing: float = 0.05

    @property
    def steps(self) -> int:
        """Number of steps."""
        return math.ceil(self.plates / self.batch)

    def rate(self, step: int) -> float:
        """Return the learning rate of a step, 0 … steps − 1."""
        warm = max(1.0, self.warmup_share * self.steps)
        if step < warm:
            return self.peak_rate * (step + 1) / (warm + 1)
        done = (step - warm) / max(1.0, self.steps - warm)
        return self.peak_rate * (1 + math.cos(math.pi * done)) / 2


@dataclass(frozen=True, slots=True)
class Snapshots:
    """How a training can be interrupted.

    Attributes
    ----------
    start
        Steps done and state of a snapshot, to go on from; None for the beginning.
    keep
        Is given steps done and state.
    every
        After so many steps.
    """

    start: tuple[int, State] | None = None
    keep: Callable[[int, State], None] = lambda step, state: None
    every: int = 100


def train(
    settings: TrainingSettings,
    digits: Digits,
    device: str = "cpu",
    snapshots: Snapshots = Snapshots(),
    advance: Callable[[int], None] = lambda plates: None,
) -> ImageModel:
    """Return the trained network, on the device, ready for reading.

    Parameters
    ----------
    settings
        How.
    digits
        From what; only their training digits.
    device
        ``cpu`` or ``cuda``.
    snapshots
        What it goes on from, and what is kept on the way.
    advance
        Is told how many plates more were seen.
    """
    with deterministic(settings.seed):
        model = plate_cnn(settings.stream.spec).to(device)
        optimiser = torch.optim.AdamW(
            model.parameters(), lr=settings.peak_rate, weight_decay=settings.weight_decay
        )
        done = 0
        if snapshots.start is not None:
            done, state = snapshots.start
            _restore(model, optimiser, state)
            advance(done * settings.batch)
        stream = PlateStream(settings.stream, digits, settings.seed)
        model.train()
        for step in range(done, settings.steps):
            codes, labels = stream.batch(step, settings.batch)
            _learn(model, optimiser, codes, labels, settings, step)
            advance(settings.batch)
            if (step + 1) % snapshots.every == 0 and step + 1 < settings.steps:
                snapshots.keep(step + 1, _state(model, optimiser))
    return model.eval()


def _learn(
    model: ImageModel,
    optimiser: torch.optim.Optimizer,
    codes: np.ndarray,
    labels: np.ndarray,
    settings: TrainingSettings,
    step: int,
) -> None:
    for group in optimiser.param_groups:
        group["lr"] = settings.rate(step)
    front = model.normalise
    assert isinstance(front, RedGreen)
    signal = front.of_codes(torch.from_numpy(codes).to(model.device))
    target = _targets(torch.from_numpy(labels), settings.label_smoothing).to(model.device)
    loss = functional.cross_entropy(model.network(signal), target)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()


def _targets(labels: Tensor, smoothing: float) -> Tensor:
    """Return each plate's target distribution (n, 10)."""
    even = torch.full((len(labels), DIGITS), 1 / DIGITS)
    exact = functional.one_hot(labels.clamp(min=0), DIGITS).to(torch.float32)
    mixed = (1 - smoothing) * exact + smoothing * even
    return torch.where((labels == NO_DIGIT)[:, None], even, mixed)


def _state(model: nn.Module, optimiser: torch.optim.Optimizer) -> State:
    """Return all that the next step depends on, by name."""
    state = {f"model.{name}": value for name, value in model.state_dict().items()}
    for number, entry in optimiser.state_dict()["state"].items():
        state |= {f"optimiser.{number}.{name}": value for name, value in entry.items()}
    return {name: value.detach().cpu().clone() for name, value in state.items()}


def _restore(
    model: nn.Module, optimiser: torch.optim.Optimizer, state: Mapping[str, Tensor]
) -> None:
    weights = {
        name.removeprefix("model."): value
        for name, value in state.items()
        if name.startswith("model.")
    }
    model.load_state_dict(weights)
    entries: dict[int, State] = {}
    for name, value in state.items():
        if name.startswith("optimiser."):
            _, number, field = name.split(".")
            entries.setdefault(int(number), {})[field] = value
    optimiser.load_state_dict({**optimiser.state_dict(), "state": entries})
