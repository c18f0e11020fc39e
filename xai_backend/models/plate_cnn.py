"""The network that reads plates, its training, and its checkpoints.

Its first layers do what the eye's red–green channel does. Light is decoded and turned into the
difference of L and M cone signals (zero at the plate's base colour, above it for figure dots on
either confusion axis), scaled to the plate's own contrast, and rectified. Luminance and S noise,
which carry no information, never reach the trained layers, and a black patch means "no figure
here", not a shape of its own. Five small convolutions and a mean over the plate follow.

Training goes from a stream of plates to weights, step by step. A step depends only on the seed and
its number. So an interrupted training goes on from its last snapshot, and ends with the same
weights as without the interruption. Trained weights are found again by a hash of all that
determines them.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from pydantic import TypeAdapter
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor, nn
from torch.nn import functional

from stimuli.colour.display import linear_to_lms
from stimuli.colour.spaces import srgb_decode
from stimuli.errors import UserError
from stimuli.images.digits import Digits
from stimuli.io.canonical import canonical_json, sha256_hex
from stimuli.io.files import write_whole
from stimuli.plates.spec import PlateSpec, base_lms
from xai_backend.determinism import deterministic
from xai_backend.models.checkpoint import checkpoint_bytes, checkpoint_id, read_about, sound
from xai_backend.models.image_model import ImageModel
from xai_backend.models.plate_stream import NO_DIGIT, PlateStream, StreamSettings, digits_hash
from xai_backend.progress import Reporter

ARCHITECTURE = "plate_cnn"
VERSION = 1
"""Raise it by hand whenever the same settings would give other weights."""

DIGITS = 10
CONTRAST_FLOOR = 0.005
"""RMS red–green signal (relative cone contrast) below which a plate isn't scaled up further:
a third of the lowest rung's, so that rounding to 8 bits doesn't become a pattern."""

WIDTHS = (16, 32, 64, 64, 128)
LAST_FEATURES = str(3 * len(WIDTHS))
"""Name of the module of the last convolution's rectified output."""
State = dict[str, Tensor]
FORMAT = "checkpoint/1.0"
SNAPSHOT_STEPS = 50
SHIPPED = Path(__file__).with_name("shipped_networks")


class RedGreen(nn.Module):
    """Red–green cone signal of sRGB images: L/L₀ − M/M₀, with the plate's base colour as zero.

    Pointwise; black gives 0.
    """

    weights: Tensor
    table: Tensor

    def __init__(self, spec: PlateSpec) -> None:
        super().__init__()
        self.spec = spec
        base_l, base_m, _ = base_lms(spec)
        guns = linear_to_lms(np.eye(3))
        weights = guns[:, 0] / base_l - guns[:, 1] / base_m
        table = srgb_decode(np.arange(256) / 255)[None, :] * weights[:, None]
        self.register_buffer("weights", torch.from_numpy(weights).to(torch.float32))
        self.register_buffer("table", torch.from_numpy(table).to(torch.float32), persistent=False)

    def forward(self, images: Tensor) -> Tensor:
        """Return the signal (n, 1, H, W) of images (n, 3, H, W), RGB codes as fractions."""
        linear = torch.where(
            images <= 0.04045, images / 12.92, ((images.clamp(min=0) + 0.055) / 1.055) ** 2.4
        )
        return (linear * self.weights.view(1, 3, 1, 1)).sum(dim=1, keepdim=True)

    def of_codes(self, codes: Tensor) -> Tensor:
        """Return the signal (n, 1, H, W) of 8-bit codes, uint8 (n, H, W, 3), from a table."""
        guns = [self.table[gun][codes[..., gun].long()] for gun in range(3)]
        return (guns[0] + guns[1] + guns[2])[:, None]


class PlateContrast(nn.Module):
    """Scale a signal (n, 1, H, W) by its RMS over the plate, then rectify it."""

    def forward(self, signal: Tensor) -> Tensor:
        """Return the scaled signal, ≥ 0."""
        power = signal.square().mean(dim=(1, 2, 3), keepdim=True)
        return torch.relu(signal / (power + CONTRAST_FLOOR**2).sqrt())


def plate_cnn(spec: PlateSpec = PlateSpec()) -> ImageModel:
    """Return the untrained network for plates of a look; weights from torch's generator."""
    return ImageModel(RedGreen(spec), plate_layers(), LAST_FEATURES)


def plate_layers() -> nn.Sequential:
    """Return the network's layers after the front, untrained."""
    first, second, third, fourth, fifth = WIDTHS
    return nn.Sequential(
        PlateContrast(),
        # Dots are 1 to 3 pixels wide: the first layer sums them over a stroke's width.
        *_block(1, first, kernel=8, stride=4, padding=2),
        *_block(first, second, stride=2),
        *_block(second, third),
        *_block(third, fourth, stride=2),
        *_block(fourth, fifth),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(fifth, DIGITS),
    )


def _block(
    channels_in: int, channels_out: int, kernel: int = 3, stride: int = 1, padding: int = 1
) -> list[nn.Module]:
    convolution = nn.Conv2d(channels_in, channels_out, kernel, stride, padding, bias=False)
    return [convolution, nn.BatchNorm2d(channels_out), nn.ReLU()]


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How the network learns.

    Attributes
    ----------
    plates
        Plates seen, none twice; rounded up to whole batches.
    stream
        Which plates are drawn.
    seed
        Seed of every draw, including the initial weights.
    batch
        Plates in a step.
    peak_rate, warmup_share
        AdamW's learning rate rises linearly over this share of the steps, then falls to
        zero along a cosine.
    weight_decay
        Weight decay of AdamW.
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
        Steps done and state of a snapshot to continue from; None for the beginning.
    keep
        Called with the steps done and the state, to keep a snapshot.
    every
        Steps between snapshots.
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
        How the network learns.
    digits
        Only their training digits are used.
    device
        ``cpu`` or ``cuda``.
    snapshots
        The snapshot to continue from, and how snapshots are kept.
    advance
        Called with the number of further plates seen.
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
    """Return everything that the next step depends on, by name."""
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


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A trained network.

    Attributes
    ----------
    checkpoint_id
        Name of the architecture and a hash of all that determines the weights.
    weights_sha256
        Hash of the weights themselves.
    model
        On the device that was asked for, in evaluation mode.
    path
        Its file.
    """

    checkpoint_id: str
    weights_sha256: str
    model: ImageModel
    path: Path


def identity(settings: TrainingSettings, digits: Digits) -> dict[str, Any]:
    """Return all that determines the weights, as plain JSON values."""
    plain = json.loads(canonical_json(asdict(settings)))
    learnt_from = digits_hash(digits, digits.train_indices)
    return {
        "architecture": ARCHITECTURE,
        "version": VERSION,
        "training": plain,
        "digits": learnt_from,
    }


def trained(
    settings: TrainingSettings,
    digits: Digits,
    folder: Path,
    reporter: Reporter,
    device: str = "cpu",
) -> Checkpoint:
    """Return a trained network; it is trained unless the folder or the checkout already has it.

    The demo's network comes with the checkout (``shipped_networks``), under a name made from all
    that determines its weights. An interrupted training continues from its last snapshot.

    Raises
    ------
    UserError
        If the folder's checkpoint is damaged.
    """
    determined_by = identity(settings, digits)
    name = checkpoint_id(determined_by)
    shipped, cached = (place / f"{name}.safetensors" for place in (SHIPPED, folder))
    path = shipped if shipped.exists() else cached
    snapshot = folder / f"{name}.snapshot.safetensors"
    if not path.exists():
        model = _train(settings, digits, snapshot, reporter, device)
        about = {"format": FORMAT, **determined_by}
        write_whole(path, checkpoint_bytes(model.state_dict(), about))
    snapshot.unlink(missing_ok=True)
    try:
        checkpoint, _ = read_checkpoint(path, device)
        if checkpoint.checkpoint_id != name:
            raise UserError(
                f"{path}: contains no valid checkpoint (it was made from something else)"
            )
    except UserError as fault:
        raise UserError(f"{fault}; delete it") from None
    return checkpoint


def read_checkpoint(path: Path, device: str = "cpu") -> tuple[Checkpoint, TrainingSettings]:
    """Return the network of a file, and how it was trained.

    Raises
    ------
    UserError
        If the file isn't a valid checkpoint of this version.
    """
    with sound(path, "checkpoint"):
        data = path.read_bytes()
        about = read_about(path)
        if about.pop("format") != FORMAT or about["version"] != VERSION:
            raise ValueError("it is of another version")
        settings = TypeAdapter(TrainingSettings).validate_python(about["training"])
        model = plate_cnn(settings.stream.spec)
        model.load_state_dict(load(data))
    loaded = Checkpoint(checkpoint_id(about), sha256_hex(data), model.to(device).eval(), path)
    return loaded, settings


def _train(
    settings: TrainingSettings, digits: Digits, snapshot: Path, reporter: Reporter, device: str
) -> ImageModel:
    with reporter.stage("training the network (plates)", settings.steps * settings.batch) as bar:
        snapshots = Snapshots(
            start=_read_snapshot(snapshot),
            keep=lambda step, state: write_whole(
                snapshot, save({**state, "step": torch.tensor(step)})
            ),
            every=SNAPSHOT_STEPS,
        )
        return train(settings, digits, device, snapshots, advance=bar)


def _read_snapshot(path: Path) -> tuple[int, State] | None:
    try:
        state = load(path.read_bytes())
    except (OSError, SafetensorError):
        return None
    return int(state.pop("step")), state
