"""A model of who looks at a plate: cones, noise, time, attention, and digits in mind.

It verifies plates (a normal observer must read them, the matching dichromat must not) and
it is what a robot sees. **It is a model with assumptions, none of them fitted to people:
until a pilot has been run its figures are for trying the machinery, not for claims.**

1. *Channels.* Each dot gives log(L+M), L/(L+M) and S/(L+M). An anomaly of strength v mixes
   the cone: deutan M* = (1−v)M + v·k·L, protan L* = (1−v)L + v·k·M, tritan likewise
   S* = (1−v)S + v·k·(L+M), with k such that the base colour stays as it is.
2. *Threshold noise.* Independent Gaussian noise on each dot and channel, anchored to normal
   thresholds of the Cambridge Colour Test (Paramei 2012): a dot's noise is
   threshold · √15 ÷ 1.68 (Δu′v′ on the deutan or the tritan line, turned into channel
   units at the base colour).
3. *Efficiency.* People integrate worse than an ideal reader: noise × ``efficiency``.
4. *Time.* After ``latency_s`` information on every dot grows in proportion to time, as if
   glances were independent samples; the noise of 2 and 3 holds at ``reference_s``. The
   noise is one random walk a run: what has been seen at one time is part of what has been
   seen later. There is no forgetting, and noise of the plate itself (luminance levels,
   S jitter) never averages out.
5. *Attention* is a limited resource. Unguided, it goes evenly to all dots and most of it is
   lost in searching. A region, for the first ``focus_s`` of evidence, takes the share
   ``focus`` of it, spread evenly over its dots; there nothing is searched for, so it yields
   ``guidance`` times as much; the rest goes on as before. Afterwards all is as without.
   Information grows in proportion. A region says nothing about which dots are figure and
   nothing about which digit it might be: it only moves where noise is averaged out.
6. *Knowledge.* The observer knows the two colours as its own cones give them, the plate's
   noise, where digits stand, and exemplars of each digit, their outlines blurred, or
   prototypes of many images (`stimuli.plates.templates`). A dot is figure with probability
   ``template_hit`` where an exemplar surely has ink, with ``template_false`` where it surely
   has none, and log likelihoods are mixed in proportion along the outline. Digits and "no
   numeral" are equally likely beforehand. A figure lighter than its ground
   (`stimuli.plates.plate`) is seen to be.

The sources, and what has none, stand by the same numbers in `bench/parts/assumptions.py`.

A matching dichromat (v = 1) has no difference to go by in any channel: evidence is zero at
all times, whatever the attention. That holds for the colours as they are meant; what an eye
could learn of them as a display shows them is asked in `bench.eyes.evidence`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from stimuli.colour.spaces import AXES, CONE_INDEX, Axis, Floats
from stimuli.plates.packing import Packing
from stimuli.plates.plate import Plate, is_lit
from stimuli.plates.spec import (
    FIGURE_SIGN,
    PlateSpec,
    base_lms,
    modulation,
    pair_distance,
    with_contrast,
)
from stimuli.plates.templates import LABELS, NO_NUMERAL, DigitTemplates, normalised

DOTS_IN_A_THRESHOLD = 15
D_PRIME_AT_THRESHOLD = 1.68
_LUMINANCE, _RED_GREEN, _SHORT = range(3)


@dataclass(frozen=True, slots=True)
class Observer:
    """One model observer; the module's docstring lists the assumptions by number.

    Parameters
    ----------
    axis
        Which cone is anomalous.
    strength
        v, 0 (normal) … 1 (dichromat).
    efficiency
        Factor on the noise; above 1 is worse than the ideal reader.
    red_green_threshold, tritan_threshold
        Normal thresholds, Δu′v′ along the deutan and the tritan line.
    luminance_threshold
        Normal threshold of ln(L+M) (Weber fraction); the luminance levels of the plate
        dwarf it.
    latency_s
        Time to find the plate and to begin; nothing is known before.
    reference_s
        Viewing time, counted from the latency, at which the noise is as stated.
    focus
        Share of attention on a region, 0…1.
    focus_s
        Time after the latency for which the region gets it.
    guidance
        Factor by which attention gives more if it doesn't have to search, ≥ 1.
    template_hit, template_false
        Probability that a dot is figure on and off an exemplar's ink.
    """

    axis: Axis = "deutan"
    strength: float = 0.0
    efficiency: float = 3.0
    red_green_threshold: float = 45e-4
    tritan_threshold: float = 61e-4
    luminance_threshold: float = 0.02
    latency_s: float = 1.2
    reference_s: float = 7.0
    focus: float = 0.9
    focus_s: float = 4.0
    guidance: float = 4.0
    template_hit: float = 0.95
    template_false: float = 0.03

    def __post_init__(self) -> None:
        if self.axis not in AXES:
            raise ValueError(f"axis {self.axis!r} is none of {', '.join(AXES)}")
        for name in ("strength", "focus"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is {getattr(self, name)}, must be 0 to 1")
        if not 0 < self.template_false < self.template_hit < 1:
            raise ValueError("template_false and template_hit must rise within 0 to 1")
        for name in ("efficiency", "red_green_threshold", "tritan_threshold", "reference_s"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)}, must be above 0")
        if self.luminance_threshold <= 0:
            raise ValueError("luminance_threshold must be above 0")
        if self.latency_s < 0 or self.focus_s < 0 or self.guidance < 1:
            raise ValueError("latency_s and focus_s must be ≥ 0, guidance ≥ 1")


def channels(
    lms: NDArray[np.floating],
    observer: Observer,
    spec: PlateSpec,
    base: Sequence[float] | Floats | None = None,
) -> Floats:
    """Return log(L+M), L/(L+M), S/(L+M) as the observer's cones give them, (…, 3).

    Parameters
    ----------
    lms
        Excitations of normal cones, (…, 3).
    observer
        Whose anomaly.
    spec
        Gives the base colour, at which an anomaly changes nothing.
    base
        The base colour's L, M, S, if cones or display aren't those of the suite.
    """
    cone_l, cone_m, cone_s = np.moveaxis(np.asarray(lms, dtype=np.float64), -1, 0)
    base_l, base_m, base_s = base_lms(spec) if base is None else base
    v = observer.strength
    if observer.axis == "deutan":
        cone_m = (1 - v) * cone_m + v * (base_m / base_l) * cone_l
    elif observer.axis == "protan":
        cone_l = (1 - v) * cone_l + v * (base_l / base_m) * cone_m
    total = cone_l + cone_m
    if observer.axis == "tritan":
        cone_s = (1 - v) * cone_s + v * (base_s / (base_l + base_m)) * total
    return np.stack([np.log(total), cone_l / total, cone_s / total], axis=-1)


@dataclass(frozen=True, slots=True, eq=False)
class _Evidence:
    """What a channel's reading says: figure's mean minus ground's, the middle, variances."""

    difference: Floats
    middle: Floats
    plate_variance: Floats
    own_variance: Floats


def _evidence(
    observer: Observer, axis: Axis, contrast: float, spec: PlateSpec, *, by_light: bool = False
) -> _Evidence:
    half = modulation(axis, contrast, spec) / 2 * FIGURE_SIGN[axis]
    pair = np.array([base_lms(spec)] * 2)
    pair[:, CONE_INDEX[axis]] *= (1 + half, 1 - half)
    figure, ground = channels(pair, observer, spec)
    levels = np.array(spec.luminance_levels_cd_m2)
    log_level = np.log(levels / levels.mean())
    middle = (figure + ground) / 2
    difference, level_variance = figure - ground, log_level.var()
    if by_light:
        low, high = log_level.min(), log_level.max()
        difference[_LUMINANCE] += high - low
        log_level, level_variance = np.array([low, high]), 0.0
    middle[_LUMINANCE] += log_level.mean()
    # An anomalous S* keeps only its own share of the S noise, as of the S signal.
    share = 1 - observer.strength if observer.axis == "tritan" else 1.0
    jitter = middle[_SHORT] * spec.s_jitter_sigma * share
    return _Evidence(
        difference=difference,
        middle=middle,
        plate_variance=np.array([level_variance, 0.0, jitter**2]),
        own_variance=own_noise(observer, spec) ** 2,
    )


def own_noise(observer: Observer, spec: PlateSpec = PlateSpec()) -> Floats:
    """Return the noise (3,), as SDs, of one dot's channels after ``reference_s`` of looking."""
    normal = Observer()
    thresholds = np.array([observer.luminance_threshold, 0.0, 0.0])
    for axis, channel, threshold in (
        ("deutan", _RED_GREEN, observer.red_green_threshold),
        ("tritan", _SHORT, observer.tritan_threshold),
    ):
        step = 0.02
        pair = np.array([base_lms(spec)] * 2)
        pair[:, CONE_INDEX[axis]] *= (1 + step / 2, 1 - step / 2)
        first, second = channels(pair, normal, spec)[:, channel]
        thresholds[channel] = abs(first - second) / pair_distance(axis, step, spec) * threshold
    return thresholds * np.sqrt(DOTS_IN_A_THRESHOLD) / D_PRIME_AT_THRESHOLD * observer.efficiency


def attention(observer: Observer, region: NDArray[np.bool_] | None, count: int) -> Floats:
    """Return the rate of information on each dot (count,) while a region holds; otherwise 1."""
    if region is None or not region.any():
        return np.ones(count)
    share = region * (count / region.sum())
    return (1 - observer.focus) + observer.guidance * observer.focus * share


@dataclass(frozen=True, slots=True, eq=False)
class ShownPlate:
    """A plate as it is shown to an observer.

    Attributes
    ----------
    plate, axis, contrast
        Its dots, and how far the figure lies from its ground on which confusion line, Δu′v′.
    spec
        The look that it was made with.
    """

    plate: Plate
    axis: Axis
    contrast: float
    spec: PlateSpec = field(default_factory=PlateSpec)


def read_over_time(
    observer: Observer,
    templates: DigitTemplates,
    shown_plate: ShownPlate,
    times_s: NDArray[np.floating],
    rng: np.random.Generator,
    region: NDArray[np.bool_] | None = None,
) -> Floats:
    """Return an observer's belief at successive times of one look at a plate.

    Parameters
    ----------
    observer, templates
        Who looks, and the digits they have in mind.
    shown_plate
        What they look at.
    times_s
        Ascending times since the plate's onset, (T,).
    rng
        Gives the noise of this one run.
    region
        Dots to which the observer's attention is drawn, bool (N,), or None.

    Returns
    -------
    float64 (T, 11)
        Natural logarithms of the posterior of the digits 0…9 and, last, of no numeral.

    Raises
    ------
    ValueError
        If the times fall.
    """
    times = np.asarray(times_s, dtype=np.float64)
    if times.ndim != 1 or (np.diff(times) < 0).any():
        raise ValueError("times_s must be one-dimensional and must not fall")
    ratio = log_ratio(observer, shown_plate, times, rng, region)
    return log_posterior(observer, templates, shown_plate.plate.packing, ratio)


def log_posterior(
    observer: Observer,
    templates: DigitTemplates,
    packing: Packing,
    log_ratio: NDArray[np.floating],
) -> Floats:
    """Return an observer's belief after evidence on each dot.

    Parameters
    ----------
    observer, templates
        Who looks (assumption 6 alone matters here), and the digits they have in mind.
    packing
        Where the N dots are.
    log_ratio
        Natural logarithm of how much more likely each dot's reading is on the figure than
        on the ground, (N, K): K independent readings of the same dots.

    Returns
    -------
    float64 (K, 11)
        Natural logarithms of the posterior of the digits 0…9 and, last, of no numeral.
    """
    ratio = np.asarray(log_ratio, dtype=np.float32)
    chances = np.linspace(observer.template_false, observer.template_hit, templates.pieces + 1)
    at_steps = [_log_figure(ratio, float(chance)) for chance in chances]
    by_exemplar = templates.likelihood(templates.at_dots(packing), at_steps)
    score = np.zeros((LABELS, ratio.shape[1]))
    score[:NO_NUMERAL] = templates.pooled(by_exemplar)
    return normalised(score.T)


def _log_figure(ratio: NDArray[np.float32], chance: float) -> NDArray[np.float32]:
    """Return ln(p·e^ratio + 1 − p): how likely a dot is if it's figure with probability p."""
    return np.logaddexp(ratio + np.float32(np.log(chance)), np.float32(np.log1p(-chance)))


def log_ratio(
    observer: Observer,
    shown_plate: ShownPlate,
    times: Floats,
    rng: np.random.Generator,
    region: NDArray[np.bool_] | None = None,
) -> NDArray[np.float32]:
    """Return how much likelier each dot's reading is on the figure than on the ground.

    Parameters as of `read_over_time`.

    Returns
    -------
    float32 (N, T)
        Natural logarithms, at each time.
    """
    plate, axis, contrast, spec = (
        shown_plate.plate,
        shown_plate.axis,
        shown_plate.contrast,
        shown_plate.spec,
    )
    count = len(plate.packing)
    seen = channels(with_contrast(plate.lms, plate.figure, axis, contrast, spec), observer, spec)
    evidence = _evidence(observer, axis, contrast, spec, by_light=is_lit(plate))
    looking = np.maximum(times - observer.latency_s, 0)
    guided = np.minimum(looking, observer.focus_s)
    weight = attention(observer, region, count)[:, None]
    information = (weight * guided + (looking - guided)) / observer.reference_s
    steps = np.sqrt(np.diff(information, axis=1, prepend=0.0)).astype(np.float32)
    precision = information.astype(np.float32)
    ratio = np.zeros((count, len(times)), dtype=np.float32)
    for channel in range(3):
        # Drawn for every channel, used or not, so that a run's noise doesn't depend on the
        # observer.
        walk = np.cumsum(rng.standard_normal(ratio.shape, dtype=np.float32) * steps, axis=1)
        difference = evidence.difference[channel]
        if difference == 0:
            continue
        own_variance, plate_variance = (
            evidence.own_variance[channel],
            evidence.plate_variance[channel],
        )
        exact = (seen[:, channel] - evidence.middle[channel]).astype(np.float32)[:, None]
        # Mean of the looks so far × their precision, over the variance of that mean.
        reading = exact * precision + np.float32(np.sqrt(own_variance)) * walk
        ratio += (
            np.float32(difference)
            * reading
            / (np.float32(own_variance) + np.float32(plate_variance) * precision)
        )
    return ratio


def reading_rate(
    observer: Observer,
    templates: DigitTemplates,
    plates: Sequence[tuple[ShownPlate, int]],
    at_s: float,
    rng: np.random.Generator,
) -> float:
    """Return the share of plates whose digit an observer names when asked at ``at_s``.

    Parameters
    ----------
    plates
        Plates with their true digits.

    Notes
    -----
    Forced choice among ten digits: the most likely one; chance decides between equals.
    """
    right = 0
    for shown_plate, label in plates:
        belief = read_over_time(observer, templates, shown_plate, np.array([at_s]), rng)
        right += forced_choice(belief[-1], rng) == label
    return right / len(plates)


def forced_choice(log_posterior: Floats, rng: np.random.Generator) -> int:
    """Return the most likely digit of a posterior (11,); equals are drawn by lot."""
    digits = log_posterior[:NO_NUMERAL]
    best = np.flatnonzero(digits >= digits.max() - 1e-6)
    return int(best[rng.integers(len(best))])
