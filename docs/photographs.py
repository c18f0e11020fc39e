"""Made-up photographs of fruit, for readers of the tutorial who have no camera at hand.

They are computed, so anyone may use them. Each is a lit ellipsoid on a table, drawn by numpy.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from stimuli.io.canonical import seed_of

Floats = NDArray[np.float64]

WIDTH: Final = 640
HEIGHT: Final = 480
PER_CLASS: Final = 4
GAMMA: Final = 2.2


@dataclass(frozen=True, slots=True)
class Fruit:
    """What a kind of fruit looks like.

    Attributes
    ----------
    colour
        Linear red, green and blue, 0 to 1.
    axes
        Half axes relative to the fruit's radius: along the fruit, across it, towards the viewer.
    pores
        Depth of the pores of its skin, relative to its radius.
    tip
        How far its two ends stick out, relative to its radius.
    stem
        Whether a stem stands in a hollow at its top.
    """

    colour: tuple[float, float, float]
    axes: tuple[float, float, float]
    pores: float = 0.0
    tip: float = 0.0
    stem: bool = False


FRUITS: Final = {
    "orange": Fruit((0.86, 0.25, 0.02), (1.0, 0.97, 1.0), pores=0.006),
    "lemon": Fruit((0.88, 0.66, 0.05), (1.22, 0.88, 0.88), pores=0.004, tip=0.22),
    "Granny Smith": Fruit((0.29, 0.50, 0.06), (1.02, 0.95, 1.0), stem=True),
}
"""Fruit by its class name in ImageNet, so that published networks know it."""
TABLES: Final = ((0.32, 0.17, 0.08), (0.50, 0.45, 0.38), (0.12, 0.16, 0.22), (0.38, 0.24, 0.14))


def write_photographs(folder: Path, per_class: int = PER_CLASS) -> list[Path]:
    """Write photographs of each kind of fruit, in a folder for each kind.

    Parameters
    ----------
    folder
        Where the folders go; they may be there already.
    per_class
        Photographs of each kind.
    """
    written = []
    for name in FRUITS:
        (folder / name).mkdir(parents=True, exist_ok=True)
        for number in range(per_class):
            path = folder / name / f"{name.lower().replace(' ', '_')}{number + 1}.jpg"
            Image.fromarray(photograph(name, number)).save(path, quality=92)
            written.append(path)
    return written


def photograph(name: str, number: int) -> NDArray[np.uint8]:
    """Return one photograph, sRGB codes (480, 640, 3), the same for the same name and number.

    Parameters
    ----------
    name
        A key of `FRUITS`.
    number
        Place, size, light and table differ between numbers.
    """
    rng = np.random.default_rng(seed_of("docs/photographs", name, number))
    scene = _table(rng, TABLES[number % len(TABLES)])
    radius = rng.uniform(105, 150)
    middle = np.array([rng.uniform(230, 410), rng.uniform(235, 275)])
    light = np.array([rng.choice([-1, 1]) * rng.uniform(0.3, 0.7), -0.75, 0.75])
    light /= np.linalg.norm(light)
    _shade_the_table(scene, middle, radius, light)
    _draw(scene, FRUITS[name], middle, radius, light, rng)
    grain = rng.normal(0, 0.006, scene.shape)
    codes = np.clip(scene + grain, 0, 1) ** (1 / GAMMA)
    return np.round(255 * codes).astype(np.uint8)


def _noise(rng: np.random.Generator, *scales_px: float) -> Floats:
    """Return smooth noise of the photograph's size, mean 0 and SD 1."""
    noise = ndimage.gaussian_filter(
        rng.normal(size=(HEIGHT, WIDTH)), scales_px, mode="wrap", truncate=2
    )
    return noise / noise.std()


def _table(rng: np.random.Generator, colour: tuple[float, float, float]) -> Floats:
    """Return a grained table in front of an out-of-focus wall, linear (h, w, 3)."""
    edge = rng.uniform(90, 150)
    grain = 1 + 0.07 * _noise(rng, 1.2, 45) + 0.05 * _noise(rng, 6, 120)
    table = grain[..., None] * np.array(colour)
    wall = (1 + 0.12 * _noise(rng, 60, 60))[..., None] * rng.uniform(0.25, 0.6, 3)
    rows = np.arange(HEIGHT)[:, None, None]
    blend = 1 / (1 + np.exp((edge - rows) / 3))
    fall = 0.75 + 0.45 * rows / HEIGHT
    return np.clip((wall * (1 - blend) + table * blend) * fall, 0, 1)


def _shade_the_table(scene: Floats, middle: Floats, radius: float, light: Floats) -> None:
    """Darken the table where the fruit casts its shadow."""
    rows, columns = np.mgrid[:HEIGHT, :WIDTH].astype(float)
    for reach, depth, width in ((0.55, 0.75, 0.9), (0.15, 0.6, 0.62)):
        across = (columns - middle[0] + reach * radius * np.sign(light[0])) / (
            radius * width * 1.15
        )
        down = (rows - middle[1] - 0.86 * radius) / (radius * width * 0.28)
        inside = ndimage.gaussian_filter((across**2 + down**2 < 1).astype(float), 14 * width)
        scene *= 1 - depth * inside[..., None]


def _draw(
    scene: Floats,
    fruit: Fruit,
    middle: Floats,
    radius: float,
    light: Floats,
    rng: np.random.Generator,
) -> None:
    """Draw a lit fruit over the scene."""
    angle = rng.uniform(-0.5, 0.5)
    rows, columns = np.mgrid[:HEIGHT, :WIDTH].astype(float)
    x, y = (columns - middle[0]) / radius, (rows - middle[1]) / radius
    along, across = (
        x * np.cos(angle) + y * np.sin(angle),
        y * np.cos(angle) - x * np.sin(angle),
    )
    reach = fruit.axes[0] + fruit.tip * np.exp(-((across / 0.28) ** 2))
    inside = (along / reach) ** 2 + (across / fruit.axes[1]) ** 2
    height = fruit.axes[2] * np.sqrt(np.clip(1 - inside, 0, None))
    height += fruit.pores * np.minimum(_noise(rng, 2.2, 2.2), 0.6)
    hollow = np.exp(-((along / 0.34) ** 2) - ((across + 0.74) / 0.17) ** 2)
    if fruit.stem:
        height = height - 0.3 * hollow
    slope_y, slope_x = np.gradient(height, 1 / radius)
    normal = np.stack([-slope_x, -slope_y, np.ones_like(height)], axis=-1)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    lit = np.clip(normal @ light, 0, None)
    halfway = light + np.array([0, 0, 1.0])
    gloss = np.clip(normal @ (halfway / np.linalg.norm(halfway)), 0, None) ** 60
    skin = (
        np.array(fruit.colour)
        * (1 + 0.06 * _noise(rng, 25, 25) + 0.05 * _noise(rng, 4, 4))[..., None]
    )
    bounce = 0.12 * np.clip(normal[..., 1], 0, None)
    shown = skin * (0.22 + 0.95 * lit + bounce)[..., None] + 0.28 * gloss[..., None]
    if fruit.stem:
        stem = (np.abs(along - 0.12 * (across + 0.9)) < 0.035) & (across > -1.12) & (across < -0.7)
        shown[stem] = np.array([0.10, 0.06, 0.03]) * (0.6 + lit[stem])[:, None]
        inside = np.where(stem, 0.0, inside)
    cover = ndimage.gaussian_filter((inside < 1).astype(float), 0.8)[..., None]
    scene[:] = scene * (1 - cover) + np.clip(shown, 0, 1) * cover
