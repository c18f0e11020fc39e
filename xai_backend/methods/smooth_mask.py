"""Masks that can't be rougher than a kernel, and Gaussian blur."""

import torch
from torch import Tensor
from torch.nn import functional

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
    changes little, for the grid is finer than the kernel.

    Parameters
    ----------
    size
        Height and width of the masks.
    step_px
        Spacing of the grid.
    sigma_px
        Smoothness.
    device
        Where masks are made.
    padded
        Whether there are no parameters beyond the mask's edges but zeros; else parameters of
        their own lie there, as far as the kernel reaches.
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
