"""Robots that mark images with bubbles, in place of ClickMe's players and in bubbling sessions.

A player of ClickMe moves the mouse over the parts of an image by which somebody else is to
recognise it, and leaves bubbles at a steady rate. A map counts the bubbles of several players at
each pixel (Linsley et al. 2019; Dawoud et al. 2023, sections II and III). Robots in their place use
the same brush as all our robots, and their bubbles are those of a session. A robot begins with what
it most wants to show, and goes over it again each time that it includes more around it. These
robots know where the object is, and are named as simulated wherever their maps go.

The robot of bubbling sessions marks what stands out from the image's edge. It tests the software
with real strokes. None of the robots is a model of people.
"""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from participants.robots.strokes import Intent, strokes_of
from participants.session import Question, StrokeTask
from participants.strokes import MASK_PX, UNITS, Act
from participants.studies.progressive_reveal import bubbles
from participants.study import Robots
from stimuli.images.filters import resampled
from stimuli.io.canonical import seed_of
from stimuli.pack import Pack

Floats = NDArray[np.floating]
Area = NDArray[np.bool_]

LOOK_PX: Final = 64
"""Side of the image as players see it."""
REACH_PX: Final = 10.0
"""About how far a player looks from where it began, in pixels of the image it sees."""
MIDDLE_PX: Final = 6.0
"""SD of the blur of `AGREEMENT`, in pixels of the image a player sees."""
AGREEMENT: Final = 20
"""Players begin near the middle of what is worth showing, and close to each other: how often one
begins at a place is the place's worth, blurred by `MIDDLE_PX`, to this power. An assumption without
data: if robots began further apart, the first steps of a reveal would show several places at
once."""
LEVELS: Final = 1_000_000
"""Steps in which the wish for a place is counted; finer differences are rounding errors."""
STANDING_OUT_PX: Final = 64
"""Side of the image as the robot of bubbling sessions sees it."""
MARKED_SHARE: Final = 0.08
BLUR_PX: Final = 1.5
BEGINS_MS: Final = 600
TO_ENTER_MS: Final = 400
SLIP_SHARE: Final = 0.3
"""How often that robot first makes a superfluous stroke and undoes it."""


@dataclass(frozen=True, slots=True)
class Bubblers:
    """A group of robots that mark one image after the other with bubbles.

    Attributes
    ----------
    players
        Number of players per image.
    least_share, most_share
        Limits of the share of the image that a player goes over; drawn evenly between them.
    passes
        Number of passes. Each pass but the last covers only an inner part, which grows by equal
        steps.
    slowest_px_s, fastest_px_s
        Limits of the mouse's speed, pixels of an image of 256 per second; drawn evenly between
        them. A slow hand leaves more bubbles in the same place.
    """

    players: int = 5
    least_share: float = 0.02
    most_share: float = 0.06
    passes: int = 3
    slowest_px_s: float = 30.0
    fastest_px_s: float = 80.0

    def __post_init__(self) -> None:
        if min(self.players, self.passes) < 1:
            raise ValueError("bubblers: at least one player and one pass are needed")
        if not 0 < self.least_share <= self.most_share <= 1:
            raise ValueError("bubblers: shares lie between 0 and 1")
        if not 0 < self.slowest_px_s <= self.fastest_px_s:
            raise ValueError("bubblers: speeds are above 0")


def bubbled_by_robots(weight: Floats, *, key: str, bubblers: Bubblers = Bubblers()) -> Floats:
    """Return how many bubbles lie on each pixel.

    Parameters
    ----------
    weight
        (size, size), ≥ 0: how much each pixel is worth showing, such as 1 on the object and 0
        elsewhere.
    key
        Root of every draw: the same key and weights give the same bubbles.
    bubblers
        The group of robots.

    Returns
    -------
    float32 (256, 256)
        Counts over all of the image; 0 where nobody set a bubble.

    Raises
    ------
    ValueError
        If the weights aren't a square of finite numbers ≥ 0, or are all 0.
    """
    seen = _seen(weight)
    counts = np.zeros((MASK_PX, MASK_PX), dtype=np.float32)
    for player in range(bubblers.players):
        rng = np.random.Generator(np.random.PCG64(seed_of("bubblers", key, player)))
        share = rng.uniform(bubblers.least_share, bubblers.most_share)
        speed = UNITS * rng.uniform(bubblers.slowest_px_s, bubblers.fastest_px_s)
        for part in parts_of(seen, share, bubblers.passes, rng):
            acts = strokes_of(part, rng, radius=bubbles.HALF_BUBBLE, speed_per_s=speed)
            counts += bubbles.bubble_counts(acts)
    return counts


def parts_of(worth: Floats, share: float, passes: int, rng: np.random.Generator) -> Iterator[Area]:
    """Yield the part of an image that a player goes over at each pass, bool (n, n).

    The first part begins near the middle of what is worth showing, and takes what is worth most not
    far from there. Each part contains the parts before it.

    Parameters
    ----------
    worth
        (n, n), what each pixel is worth, ≥ 0 and not all 0.
    share
        Largest share of the image for the last part; it is smaller if less is worth anything.
    passes
        Number of parts.
    rng
        Draws the place where it begins.
    """
    middle = ndimage.gaussian_filter(worth, MIDDLE_PX) * (worth > 0)
    up_to = np.cumsum(_levels((middle / middle.max()) ** AGREEMENT))
    begin = int(np.searchsorted(up_to, rng.integers(up_to[-1]), side="right"))
    row, column = divmod(begin, len(worth))
    rows, columns = np.indices(worth.shape)
    away = (rows - row) ** 2 + (columns - column) ** 2
    wish = worth / (1 + away / REACH_PX**2)
    level = _levels(wish / wish.max())
    most = max(1, min(round(share * worth.size), int((level > 0).sum())))
    order = np.lexsort((away.ravel(), -level))[:most]
    for number in range(1, passes + 1):
        part = np.zeros(worth.shape, dtype=np.bool_)
        part.ravel()[order[: -(-most * number // passes)]] = True
        yield part


def _levels(wish: Floats) -> NDArray[np.int64]:
    """Return shares of the greatest wish as whole numbers, which add up alike on every machine."""
    return np.rint(LEVELS * wish).astype(np.int64).ravel()


def _seen(weight: Floats) -> Floats:
    """Return weights at the side at which players see an image."""
    wanted = np.asarray(weight, dtype=np.float64)
    if wanted.ndim != 2 or wanted.shape[0] != wanted.shape[1]:
        raise ValueError(f"weights are {wanted.shape}, not a square")
    if not np.isfinite(wanted).all() or wanted.min() < 0 or wanted.max() <= 0:
        raise ValueError("weights must be finite, 0 or more, and not all 0")
    return resampled(wanted, LOOK_PX)


@dataclass(frozen=True, slots=True)
class RobotBubbler:
    """A robot of bubbling sessions in front of a task pack.

    Attributes
    ----------
    pack
        What it is shown.
    seed, participant
        Root of its draws: the same image is always marked in the same way.
    """

    pack: Pack
    seed: int
    participant: str

    def choose(self, question: Question) -> str:
        """Return the first choice."""
        return question.choices[0]

    def intend(self, task: StrokeTask) -> Intent:
        """Return what the robot will do with an image."""
        key = seed_of("robot marker", self.seed, self.participant, task.item)
        rng = np.random.Generator(np.random.PCG64(key))
        area = standing_out(self.pack.asset(task.stimulus.image_file))
        slip: tuple[Act, ...] = ()
        begins_ms = BEGINS_MS
        if rng.random() < SLIP_SHARE:
            slip = strokes_of(area, rng, begins_ms)[:1]
            undo_ms = slip[-1].points[-1][0] + 200
            slip = (*slip, Act("undo", undo_ms))
            begins_ms = undo_ms + 200
        strokes = strokes_of(area, rng, begins_ms)
        return Intent((*slip, *strokes), strokes[-1].points[-1][0] + TO_ENTER_MS)


def standing_out(image: bytes) -> NDArray[np.bool_]:
    """Return where an image differs most from its edge's median colour, bool (64, 64)."""
    with Image.open(io.BytesIO(image)) as file:
        small = file.convert("RGB").resize((STANDING_OUT_PX, STANDING_OUT_PX), Image.Resampling.BOX)
    colours = np.asarray(small, dtype=float)
    edge = np.concatenate([colours[0], colours[-1], colours[:, 0], colours[:, -1]])
    away = np.linalg.norm(colours - np.median(edge, axis=0), axis=2)
    blurred = ndimage.gaussian_filter(away, BLUR_PX)
    return blurred >= np.quantile(blurred, 1 - MARKED_SHARE)


def bubblers(pack: Pack, language: str) -> Callable[[str, str, int], RobotBubbler]:
    """Return a function that makes a bubbling robot for a pack; there is one kind."""
    return lambda name, code, seed: RobotBubbler(pack, seed, code)


SESSION_ROBOTS: Final = Robots(make=bubblers)
