"""Extremal perturbations: the smooth region of a given area that best preserves the class.

The region is a mask that can't be rougher than a kernel. Around it the image is blurred by a
Gaussian.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal

import torch
from torch import Tensor
from torch.nn import functional

from xai_backend.determinism import deterministic
from xai_backend.methods.method import Execution
from xai_backend.models.image_model import ImageModel

TEMPERATURE = 1 / 20
REACH = 4.0
"""Distance in thirds of sigma_px beyond which the kernel (below .11 there) is cut off."""


class SmoothMask:
    """Masks from parameters on a coarse grid, by a smooth max-convolution.

    A mask's value is the smooth maximum (Boltzmann operator, temperature 1/20) of the
    parameters around it, each times the kernel exp(−max(0, z − 1)²/4) of its distance z
    (Fong, Patrick & Vedaldi 2019), where z = 1 is a third of ``sigma_px``: so
    the kernel is half as high at .89 ``sigma_px``. Divided by what parameters of 1
    everywhere give. It is taken on the parameters' grid and enlarged bilinearly, which
    changes little, since the grid is finer than the kernel.

    Parameters
    ----------
    size
        Height and width of the masks.
    step_px
        Spacing of the grid.
    sigma_px
        Smoothness.
    device
        Where masks are computed.
    padded
        Whether the parameters beyond the mask's edges are zeros; else there are further parameters,
        as far as the kernel reaches.
    """

    def __init__(
        self,
        size: tuple[int, int],
        step_px: int,
        sigma_px: float,
        device: torch.device,
        padded: bool = False,
    ) -> None:
        unit = sigma_px / 3
        self._reach = int(REACH * unit // step_px)
        height, width = size
        self._inner = (-(-height // step_px) + 1, -(-width // step_px) + 1)
        self._enlarged = tuple((cells - 1) * step_px + 1 for cells in self._inner)
        self._size, self._padded = size, padded
        offsets = torch.arange(-self._reach, self._reach + 1, device=device) * step_px / unit
        distance = (offsets[:, None].square() + offsets.square()).sqrt()
        kernel = torch.exp(-(distance - 1).clamp(min=0).square() / 4)
        self._kernel = (kernel * (distance <= REACH)).reshape(1, -1, 1)
        self._highest = _smooth_max(self._kernel, dim=1).item()

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of the parameters."""
        rows, columns = self._inner
        beyond = 0 if self._padded else 2 * self._reach
        return rows + beyond, columns + beyond

    def __call__(self, values: Tensor) -> Tensor:
        """Return masks (n, H, W), 0…1, of parameters (n, rows, columns), 0…1."""
        padding = self._reach if self._padded else 0
        around = functional.unfold(values[:, None], 2 * self._reach + 1, padding=padding)
        coarse = _smooth_max(around * self._kernel, dim=1) / self._highest
        coarse = coarse.view(len(values), 1, *self._inner)
        fine = functional.interpolate(coarse, self._enlarged, mode="bilinear", align_corners=True)
        masks = fine[:, 0, : self._size[0], : self._size[1]]
        # A bound would hide the slope of masks that begin at 1 and exceed it by rounding.
        return masks if self._padded else masks.clamp(max=1)


def _smooth_max(values: Tensor, dim: int) -> Tensor:
    """Return Σ f·exp(f/T) / Σ exp(f/T)."""
    return (values * torch.softmax(values / TEMPERATURE, dim=dim)).sum(dim=dim)


def blurred(images: Tensor, sigma_px: float) -> Tensor:
    """Return images (n, C, H, W) under a Gaussian, cut at 3 sigma; edges are continued."""
    reach = max(1, round(3 * sigma_px))
    at = torch.arange(-reach, reach + 1, device=images.device, dtype=images.dtype)
    weights = torch.exp(-0.5 * (at / sigma_px).square())
    weights = weights / weights.sum()
    flat = images.flatten(0, 1)[:, None]
    flat = functional.pad(flat, (reach, reach, reach, reach), mode="replicate")
    flat = functional.conv2d(flat, weights.view(1, 1, -1, 1))
    return functional.conv2d(flat, weights.view(1, 1, 1, -1)).view_as(images)


INPUTS_AT_ONCE = {"cpu": 4, "cuda": 32}
"""Masked images that go through the network together, by device: a GPU needs many to be busy."""
RAMP = 0.1
"""Share of the iterations over which the area's weight grows from zero: the area is enforced by
ranking the mask's values, which means nothing until the mask shows what is relevant."""

BISECTIONS = 30
DAMPING = 0.9
"""Published variant: share of each slope that is left out of the velocity."""
GROWTH = 1.0035
"""Published variant: factor by which the area's weight grows in a step."""

Variant = Literal["suite", "published"]


@dataclass(frozen=True, slots=True)
class ExtremalPerturbation:
    """Extremal perturbations (Fong, Patrick & Vedaldi 2019), preserving the class.

    For each area a smooth mask is sought that maximises the target's logit on the image
    blurred where the mask is 0 and kept where it is 1, while the mask's sorted values are
    drawn towards as many ones as the area asks and zeros elsewhere.
    Masks of all areas are summed and smoothed (as for their pointing game).

    Attributes
    ----------
    variant
        ``published``: as Nguyen et al. 2021 ran it. Parameters begin at 1 and are padded with
        zeros; the image is mirrored in every second step; the velocity takes a tenth of each
        slope; the area's weight grows by a factor of 1.0035 a step.
        ``suite``: parameters begin at one half and lie beyond the image's edges, too; the area's
        weight grows from nothing in the first tenth of the iterations and doubles after a third
        and after two thirds; at the end a mask is given exactly its area (`of_areas`).
    areas
        Shares of the image to keep; each has its own mask.
    smoothing
        Standard deviation of the Gaussian that smooths the summed masks, as a share of the
        input's shorter side.
    step_px, sigma_px
        Spacing of the mask's parameters, and how smooth it is: see `SmoothMask`.
    iterations
        Steps of gradient ascent.
    blur_levels, blur_px
        Levels of the blur pyramid, from none to this standard deviation.
    area_weight
        Weight of the area's term, which grows (see ``variant``).
    learning_rate, momentum
        Of the ascent; parameters are kept within 0…1 after each step.
    """

    areas: tuple[float, ...] = (0.025, 0.05, 0.1, 0.2)
    smoothing: float = 0.09
    step_px: int = 7
    sigma_px: float = 21.0
    iterations: int = 800
    blur_levels: int = 8
    blur_px: float = 20.0
    area_weight: float = 300.0
    learning_rate: float = 0.01
    momentum: float = 0.9
    variant: Variant = "published"

    name: ClassVar[str] = "extremal_perturbation"
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if not self.areas or not all(0 < area < 1 for area in self.areas):
            raise ValueError(f"areas are {self.areas}, must be shares between 0 and 1")
        if self.variant not in ("suite", "published"):
            raise ValueError(f"variant is {self.variant!r}, must be suite or published")
        if self.iterations < 1 or self.blur_levels < 2 or self.step_px < 1:
            raise ValueError("iterations and step_px start at 1, blur_levels at 2")
        if min(self.sigma_px, self.blur_px, self.learning_rate) <= 0 or self.smoothing < 0:
            raise ValueError("sigma_px, blur_px and learning_rate must be above 0")

    def explain(
        self,
        model: ImageModel,
        inputs: Tensor,
        targets: Tensor,
        execution: Execution = Execution(),
    ) -> Tensor:
        """Return maps, float32 (n, H, W), ≥ 0; see `Method.explain`."""
        total = self.masks(model, inputs, targets, execution).sum(dim=1)
        sigma = self.smoothing * min(inputs.shape[2:])
        if sigma == 0:
            return total
        with deterministic(threads=execution.threads):
            return torch.cat([blurred(mask[None, None], sigma)[0] for mask in total])

    def masks(
        self,
        model: ImageModel,
        inputs: Tensor,
        targets: Tensor,
        execution: Execution = Execution(),
    ) -> Tensor:
        """Return each area's mask, float32 (n, areas, H, W), 0…1, on the CPU."""
        at_once = execution.at_once or INPUTS_AT_ONCE.get(model.device.type, 4)
        # All masks of an image go through the network together.
        images = replace(execution, at_once=max(1, at_once // len(self.areas)))
        return images.in_batches(model, inputs, targets, partial(self._ascend, model), 1)

    def _ascend(self, model: ImageModel, images: Tensor, targets: Tensor) -> Tensor:
        """Return the masks (n, areas, H, W) of images, all sought in one ascent.

        Only the gains' sum joins them, so each mask's slope is independent of the other masks.
        """
        count, areas = len(images), len(self.areas)
        published = self.variant == "published"
        size = (images.shape[2], images.shape[3])
        generate = SmoothMask(size, self.step_px, self.sigma_px, images.device, published)
        pyramid = self.pyramid(images)
        steps = pyramid.diff(dim=1)
        wanted = self._sorted_masks(images[0, 0].numel(), images.device)
        chosen = targets[:, None].expand(-1, areas).reshape(-1, 1)
        # Halfway, so that the image's gradients decide in which direction each one goes.
        begin = 1.0 if published else 0.5
        values = torch.full((count * areas, *generate.grid), begin, device=images.device)
        velocity = torch.zeros_like(values)
        for step in range(self.iterations):
            values.requires_grad_()
            with torch.enable_grad():
                masks = generate(values)
                kept = preserved(pyramid, steps, masks.view(count, areas, *images.shape[2:]))
                if published and step % 2:
                    kept = kept.flip(-1)
                logits = model(_laid_out(kept.flatten(0, 1))).gather(1, chosen)
                ranked = (
                    masks.flatten(1).sort(dim=1, stable=published).values.view(count, areas, -1)
                )
                off = (ranked - wanted).square().mean(dim=2).sum()
                gain = logits.sum() - self._weight(step) * off
                (slope,) = torch.autograd.grad(gain, values)
            # The first step has no velocity to damp.
            damped = (1 - DAMPING) * slope if published and step else slope
            velocity = self.momentum * velocity + damped
            values = (values.detach() + self.learning_rate * velocity).clamp(0, 1)
        with torch.no_grad():
            masks = generate(values).clamp(max=1).view(count, areas, *images.shape[2:])
            if published:
                return masks
            return of_areas(masks, torch.tensor(self.areas, device=masks.device))

    def _weight(self, step: int) -> float:
        if self.variant == "published":
            return self.area_weight * GROWTH**step
        done = step / self.iterations
        doubled = 2.0 ** (int(done >= 1 / 3) + int(done >= 2 / 3))
        return self.area_weight * doubled * min(1.0, done / RAMP)

    def _sorted_masks(self, pixels: int, device: torch.device) -> Tensor:
        """Return the sorted values (areas, pixels) that masks of the areas should have."""
        ones = torch.tensor([round(area * pixels) for area in self.areas], device=device)
        return (torch.arange(pixels, device=device) >= pixels - ones[:, None]).float()

    def pyramid(self, images: Tensor) -> Tensor:
        """Return images (n, levels, 3, H, W), from sharp to most blurred."""
        sigmas = [self.blur_px * k / (self.blur_levels - 1) for k in range(self.blur_levels)]
        return torch.stack([blurred(images, s) if s else images for s in sigmas], dim=1)


def of_areas(masks: Tensor, areas: Tensor) -> Tensor:
    """Return masks raised to the power that gives them the wanted mean area.

    A mask's soft edge is longer outside than inside, so the ascent ends with somewhat more
    than the area. A power keeps range, order and smoothness.

    Parameters
    ----------
    masks
        (n, areas, H, W), 0…1.
    areas
        (areas,): shares of the image.

    Returns
    -------
    (n, areas, H, W)
        As near to the areas as the powers 1/16 … 16 allow.
    """
    low, high = torch.full_like(masks[..., :1, :1], -4.0), torch.full_like(masks[..., :1, :1], 4.0)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        too_much = masks.pow(2**middle).mean(dim=(2, 3), keepdim=True) > areas.view(-1, 1, 1)
        low, high = torch.where(too_much, middle, low), torch.where(too_much, high, middle)
    return masks.pow(2 ** ((low + high) / 2))


def preserved(pyramid: Tensor, steps: Tensor, masks: Tensor) -> Tensor:
    """Return images kept where a mask is 1, and the more blurred the lower it is.

    Parameters
    ----------
    pyramid
        (n, levels, 3, H, W), sharp first.
    steps
        (n, levels − 1, 3, H, W): from each level to the next.
    masks
        (n, areas, H, W), 0…1.

    Returns
    -------
    (n, areas, 3, H, W)
        Between two levels interpolated linearly.
    """
    last = steps.shape[1]
    depth = (1 - masks) * last
    level = depth.detach().floor().clamp(0, last - 1)
    at = level.long()[:, :, None].expand(-1, -1, pyramid.shape[2], -1, -1)
    return pyramid.gather(1, at) + (depth - level)[:, :, None] * steps.gather(1, at)


def _laid_out(images: Tensor) -> Tensor:
    """Return images in the memory layout that suits the device's convolutions."""
    if images.device.type == "cpu":
        return images.contiguous(memory_format=torch.channels_last)
    return images
