"""A map laid over its image, to be looked at."""

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image

FOR = np.array([255.0, 150.0, 30.0])
AGAINST = np.array([60.0, 140.0, 255.0])
BOTH = np.array([235.0, 105.0, 215.0])
"""Orange and blue differ for every colour vision, and in lightness from grey. Pink marks places
where both are close together."""

SMOOTHING = 1 / 112
"""Standard deviation, as a share of the side. Maps of gradients change their sign from pixel to
pixel; without smoothing, their colours would mix to one."""
REACH = 4
"""Standard deviations within which pixels are taken together."""
QUANTILE = 0.995
"""Of the strength, shown in full, so that a few extreme pixels don't hide the rest."""
DIMMED = 0.55
"""Lightness of the grey image beneath, so that colours stand out of it."""
STRENGTH = 0.85
"""Opacity of full relevance: the image stays visible through it."""
COMPRESSION = 1
"""Of PNG files, 0…9. The usual 6 takes five times as long for files that are a tenth smaller."""

Codes = NDArray[np.uint8]
Floats = NDArray[np.float64]


def overlay(codes: Codes, relevance: NDArray[np.float32]) -> Codes:
    """Return an image with what speaks for the class in orange and what against it in blue.

    Opacity tells how much relevance there is around a pixel, of either sign; the colour, how
    far one sign prevails.

    Parameters
    ----------
    codes
        RGB codes (H, W, 3).
    relevance
        (h, w), any range, of the whole image; enlarged to its size. Zero is clear; opacity
        grows in proportion to the strength and is full at its ``QUANTILE``.

    Returns
    -------
    uint8 (H, W, 3)
    """
    grey = np.asarray(Image.fromarray(codes).convert("L"), dtype=np.float32)
    strength, balance = (_fitted(part, grey.shape) for part in strength_and_balance(relevance))
    opacity = STRENGTH * strength
    ground = DIMMED * grey * (1 - opacity)
    # Shaded by the image, so that its outlines show where colour is strong.
    shaded = opacity * (0.5 + grey / (2 * 255))
    prevails = np.abs(balance)
    shares = np.stack([np.where(balance > 0, prevails, 0), np.where(balance > 0, 0, prevails)])
    shown = np.empty(codes.shape, np.uint8)
    for channel, (own, other, both) in enumerate(zip(FOR, AGAINST, BOTH, strict=True)):
        colour = own * shares[0] + other * shares[1] + both * (1 - prevails)
        shown[..., channel] = np.rint(ground + shaded * colour)
    return shown


def strength_and_balance(relevance: NDArray[np.float32]) -> tuple[Floats, Floats]:
    """Return how much relevance is around each pixel, 0…1, and which sign prevails, −1…1.

    Strength is the smoothed |relevance|, divided by its ``QUANTILE`` and cut at 1; balance
    is the smoothed relevance as a share of that.
    """
    plain = relevance.astype(np.float64)
    spread = SMOOTHING * min(relevance.shape)
    size, net = smoothed(np.abs(plain), spread), smoothed(plain, spread)
    balance = np.divide(net, size, out=np.zeros_like(net), where=size > 0)
    full = float(np.quantile(size, QUANTILE)) or float(size.max())
    strength = np.clip(size / full, 0, 1) if full > 0 else np.zeros_like(size)
    return strength, np.clip(balance, -1, 1)


def smoothed(values: Floats, spread: float) -> Floats:
    """Return values (h, w) averaged with a Gaussian's weights; borders are continued.

    Written here because importing scipy would take longer than all overlays of a job.

    Parameters
    ----------
    values
        Any.
    spread
        The Gaussian's standard deviation, pixels.
    """
    reach = int(REACH * spread + 0.5)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / spread) ** 2)
    weights /= weights.sum()
    for _ in range(2):  # down, then across
        padded = np.pad(values, ((reach, reach), (0, 0)), mode="edge")
        rows = len(values)
        values = sum(weight * padded[k : k + rows] for k, weight in enumerate(weights)).T
    return values


def png_of(codes: Codes) -> bytes:
    """Return RGB codes (H, W, 3) as a PNG file."""
    stream = io.BytesIO()
    Image.fromarray(codes).save(stream, format="PNG", compress_level=COMPRESSION)
    return stream.getvalue()


def _fitted(values: Floats, shape: tuple[int, ...]) -> NDArray[np.float32]:
    small = values.astype(np.float32)
    if small.shape == shape:
        return small
    size = (shape[1], shape[0])
    return np.asarray(Image.fromarray(small).resize(size, Image.Resampling.BILINEAR))
