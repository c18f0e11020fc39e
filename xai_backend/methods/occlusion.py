"""Occlusion: how far the target's logit falls when a patch of the image is black.

The network can be compiled with torch.compile. If that fails, the error says so in one line.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from stimuli.errors import UserError
from xai_backend.determinism import deterministic
from xai_backend.fast.graph import steps_of
from xai_backend.fast.occlusion import Patches, narrowed, occluded_logits, reuses
from xai_backend.fast.rewriting import rewritten
from xai_backend.methods.method import Execution
from xai_backend.models.image_model import ImageModel

Forward = Callable[[Tensor], Tensor]
WINDOWS_AT_ONCE = 64
TILE_AT_ONCE = {"cpu": 25, "cuda": 144}
"""Patches in a tile, by device, if the clean image's feature maps are reused: small tiles reuse
more of them; a GPU needs many patches to be busy."""
PRECISIONS = {"float32": None, "bfloat16": torch.bfloat16, "float16": torch.float16}
Place = tuple[slice, slice]


def compiled(network: nn.Module) -> Forward:
    """Return a network's forward function, from input to logits; the first call compiles it.

    That call takes ten seconds or more on a CPU, and so does the first call with another batch
    size, precision or number of threads: give it batches of one size. The weights are shared with
    the network.

    Parameters
    ----------
    network
        In evaluation mode.

    Returns
    -------
    Forward
        Raises UserError if torch.compile fails: for example without a C++ compiler (on a graphics
        card, without Triton).
    """
    try:
        # Isolated: torch counts the compilations of a code object, and doesn't compile a ninth
        # copy.
        isolated: dict[str, Any] = {"isolate_recompiles": True}
        forward = torch.compile(network, dynamic=False, **isolated)
    except RuntimeError as fault:  # raised for an unsupported version of Python
        raise _refusal(fault) from fault

    def run(x: Tensor) -> Tensor:
        # They take seconds to import, so they are imported only if something is compiled.
        from torch._dynamo.exc import TorchDynamoException
        from torch._inductor import config

        try:
            with config.patch(deterministic=True):  # `deterministic` doesn't set this
                return forward(x)
        except TorchDynamoException as fault:
            raise _refusal(fault) from fault

    return run


def _refusal(fault: RuntimeError) -> UserError:
    # If a compiler failed, torch's exception wraps the exception that says why.
    reason = getattr(fault, "inner_exception", fault)
    words = [type(reason).__name__, *str(reason).strip().splitlines()[:1]]
    return UserError(
        f"torch.compile fails here ({': '.join(words)}); go without --compile, or give it "
        "what it lacks: a C++ compiler on a CPU, Triton on a graphics card"
    )


@dataclass(frozen=True, slots=True)
class Occlusion:
    """Occlusion sensitivity (Zeiler & Fergus 2014, section 4.2).

    Each pixel is given the mean fall of the logit over the patches that cover it, once for each of
    the three channels, which a patch always covers together; channels are summed. If patch and
    stride don't fill the side, the last patch runs over the edge.

    If the network's structure can be read (`steps_of`), only what a patch can reach is computed for
    it; this changes no more than rounding.

    With `Execution.compiled` the whole network is computed for every patch instead, by
    torch.compile and in batches of one size: tiles of what a patch can reach have many
    sizes, and each would be compiled again. On a CPU this pays for networks whose structure can't
    be read, if a worker computes a dozen maps or more; others are faster without it.

    Attributes
    ----------
    patch_px
        Side of the black patch, pixels of the input.
    stride_px
        Step of the patch, not larger than the patch.
    precision
        ``float32``, or ``bfloat16`` or ``float16`` for all layers but the last (for the last one
        too if the structure can't be read): faster if the hardware supports it, but the map is
        another one, a little coarser.
    """

    patch_px: int = 32
    stride_px: int = 8
    precision: str = "float32"

    name: ClassVar[str] = "occlusion"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if not 1 <= self.stride_px <= self.patch_px:
            raise ValueError(
                f"stride_px is {self.stride_px}, must be 1 to patch_px ({self.patch_px})"
            )
        if self.precision not in PRECISIONS:
            raise ValueError(
                f"precision is {self.precision!r}, must be one of {', '.join(PRECISIONS)}"
            )

    @torch.no_grad()
    def explain(
        self,
        model: ImageModel,
        inputs: Tensor,
        targets: Tensor,
        execution: Execution = Execution(),
    ) -> Tensor:
        """Return maps, float32 (n, H, W); see `Method.explain`.

        Raises
        ------
        ValueError
            If the patch is larger than the input, or the network is to be compiled in
            bfloat16: run whole, it would round its last layer too, which makes another map.
        UserError
            If the network can't be compiled here.
        """
        channels, height, width = inputs.shape[1:]
        if self.patch_px > min(height, width):
            raise ValueError(f"patch_px is {self.patch_px}, but the input {height}×{width}")
        if execution.compiled and self.precision != "float32":
            raise ValueError(f"a compiled network runs only in float32, not {self.precision}")
        model.eval()
        steps = None if execution.compiled else model.derived(steps_of)
        network = model.derived(compiled) if execution.compiled else model.network
        tile = TILE_AT_ONCE.get(model.device.type, WINDOWS_AT_ONCE)
        usual = tile if steps is not None and reuses(steps) else WINDOWS_AT_ONCE
        at_once = execution.at_once or usual
        rows, columns = self.starts(height), self.starts(width)
        patches = Patches(tuple(rows), tuple(columns), self.patch_px)
        maps = torch.empty(len(inputs), height, width)
        precision = PRECISIONS[self.precision]
        with (
            deterministic(threads=execution.threads),
            torch.autocast(model.device.type, precision, enabled=precision is not None),
        ):
            images = inputs.to(model.device)
            signals = model.normalise(images)
            black = model.normalise(torch.zeros_like(images[:1]))
            for k, target in enumerate(targets.tolist()):
                signal = signals[k : k + 1]
                if steps is None:
                    batch = Batch(at_once, one_size=execution.compiled)
                    logits = plain_logits(network, signal, black, target, patches, batch)
                else:
                    chosen = rewritten(narrowed(steps, target))
                    logits = occluded_logits(chosen, signal, black, patches, at_once)
                falls = (logits[0] - logits[1:]).view(len(rows), len(columns)).float()
                maps[k] = self._spread(falls, height, width) * channels
        return maps

    def starts(self, side: int) -> list[int]:
        """Return the pixels at which patches begin along a side."""
        steps = -(-(side - self.patch_px) // self.stride_px)
        return [step * self.stride_px for step in range(steps + 1)]

    def _spread(self, falls: Tensor, height: int, width: int) -> Tensor:
        """Return the mean of the falls over each pixel, (height, width)."""
        patch = torch.ones(1, 1, self.patch_px, self.patch_px)
        both = torch.stack([falls.cpu(), torch.ones(falls.shape)])[:, None]
        total, count = functional.conv_transpose2d(both, patch, stride=self.stride_px)[
            :, 0, :height, :width
        ]
        return total / count


def has_short_cut(model: ImageModel) -> bool:
    """Return whether a patch can be computed without running the whole network."""
    steps = model.derived(steps_of)
    return steps is not None and reuses(steps)


@dataclass(frozen=True, slots=True)
class Batch:
    """Inputs that go through a network together.

    Attributes
    ----------
    at_once
        Their number.
    one_size
        Whether every batch has exactly this size; the last one is filled up.
    """

    at_once: int
    one_size: bool = False


@torch.no_grad()
def plain_logits(
    network: Forward,
    signal: Tensor,
    black: Tensor,
    target: int,
    patches: Patches,
    batch: Batch,
) -> Tensor:
    """Return the target's logit without a patch and under each patch; each runs the whole network.

    Parameters
    ----------
    network
        Any, from input to logits.
    signal, black
        The network's input (1, C, H, W), and that of a black image.
    target
        The class.
    patches
        The patches to blacken.
    batch
        Patches that go through the network together.

    Returns
    -------
    (1 + patches down · patches across,)
        In the network's output type.
    """
    side, at_once, one_size = patches.side_px, batch.at_once, batch.one_size
    without = [(slice(0), slice(0))]
    places = [
        (slice(row, row + side), slice(column, column + side))
        for row in patches.rows
        for column in patches.columns
    ]
    parts = _parts(without + places, at_once) if one_size else [without, *_parts(places, at_once)]
    # Refilled for every batch of patches, so that no masks have to be made and multiplied.
    filled = signal.repeat(at_once, 1, 1, 1)
    logits = []
    for part in parts:
        for k, (down, across) in enumerate(part):
            filled[k, :, down, across] = black[0, :, down, across]
        given = filled if one_size else filled[: len(part)]
        logits.append(network(given)[: len(part), target])
        for k, (down, across) in enumerate(part):
            filled[k, :, down, across] = signal[0, :, down, across]
    return torch.cat(logits)


def _parts(places: list[Place], size: int) -> list[list[Place]]:
    return [places[start : start + size] for start in range(0, len(places), size)]
