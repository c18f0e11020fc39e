"""What an eye could learn of a plate's two colours, as a display really shows them.

An observer of `stimuli.plates.observer` knows which difference to look for. That one can
say of it that it sees nothing is little: perhaps it looks for the wrong thing. Here the two
colours are learnt from many dots whose class is told, in the 8-bit codes of the display and
with whatever cones the eye has; what is different is then found whatever it comes from:
rounding, other cones, a display that isn't what it's taken for, a palette that leaks.

A dot's reading is taken to be normal around one mean for each class and luminance level,
with one covariance: within a level, that of the plate's S noise and of rounding; and the
observer's own noise.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.eyes.viewing import AS_MEANT, Viewing
from stimuli.colour.spaces import Axis, Floats
from stimuli.plates.observer import Observer, channels, own_noise
from stimuli.plates.spec import PlateSpec, base_lms, neutral_lms, with_contrast

DOTS_LEARNT = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class LearntColours:
    """Figure and ground in an observer's channels, as learnt from dots.

    Parameters
    ----------
    eye
        Whose channels, on which display.
    figure_means, ground_means
        float64 (levels, 3): mean reading of each class at each luminance level.
    within
        float64 (3, 3): covariance of readings within a class and level, the observer's own
        noise included.
    difference
        float64 (3,): mean difference, figure minus ground, over all levels.
    overall
        float64 (3, 3): covariance of readings within a class, levels included.
    level_d_prime
        Separation of the two classes a dot to who knows the levels apart: root of the
        difference between the two classes' mean log likelihood ratios.
    """

    eye: "Eye"
    figure_means: Floats
    ground_means: Floats
    within: Floats
    difference: Floats
    overall: Floats
    level_d_prime: float

    @property
    def d_prime(self) -> float:
        """Separation of the two classes a dot, luminance levels being so much noise.

        Mahalanobis distance of the means.
        """
        return float(np.sqrt(self.difference @ np.linalg.solve(self.overall, self.difference)))

    def log_ratio(self, readings: NDArray[np.floating]) -> Floats:
        """Return ln p(reading | figure) − ln p(reading | ground) of readings (N, 3), (N,)."""
        return _log_ratio(readings, self.figure_means, self.ground_means, self.within)


@dataclass(frozen=True, slots=True, eq=False)
class Eye:
    """An observer in front of a display.

    Parameters
    ----------
    observer
        Whose anomaly.
    viewing
        Which display, taken for which, and cones.
    spec
        The look of the plates.
    base
        float64 (3,): what the cones get of the base colour, at which an anomaly changes
        nothing.
    noise
        float64 (3,): the observer's own noise a dot, as SDs of the channels.
    """

    observer: Observer
    viewing: Viewing
    spec: PlateSpec
    base: Floats
    noise: Floats

    @classmethod
    def of(
        cls,
        observer: Observer,
        viewing: Viewing = AS_MEANT,
        spec: PlateSpec = PlateSpec(),
        at_s: float | None = None,
    ) -> "Eye":
        """Return an observer's eye, its noise as ``at_s`` after the onset.

        None is after ``reference_s`` of looking (`own_noise`). The unit of S is another with
        other cones; the noise keeps its ratio to the base's S.

        Raises
        ------
        ValueError
            If nothing is seen yet, ``at_s`` being within the latency.
        """
        meant = np.array(base_lms(spec))
        base = viewing.cones(meant)
        noise = own_noise(observer, spec)
        noise[2] *= base[2] / base[:2].sum() / (meant[2] / meant[:2].sum())
        if at_s is not None:
            if at_s <= observer.latency_s:
                raise ValueError(f"at {at_s} s nothing is seen yet")
            noise *= np.sqrt(observer.reference_s / (at_s - observer.latency_s))
        return cls(observer, viewing, spec, base, noise)

    def readings(self, cones: NDArray[np.floating], noise: NDArray[np.floating]) -> Floats:
        """Return channels (N, 3) of what the cones get (N, 3) with standard noise (N, 3)."""
        return channels(cones, self.observer, self.spec, self.base) + noise * self.noise


def learn_colours(eye: Eye, axis: Axis, contrast: float, seed: int = 0) -> LearntColours:
    """Learn the two colours of an axis and contrast as an eye gets them.

    Parameters
    ----------
    eye
        Who looks at which display.
    axis, contrast
        Confusion line and Δu′v′ of the plates.
    seed
        Of the dots that are learnt from: each is drawn once and shown in both colours.

    Raises
    ------
    UserError
        If there is no such contrast.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    neutral = neutral_lms(DOTS_LEARNT, rng, eye.spec)
    noise = rng.standard_normal(neutral.shape)
    _, level = np.unique(neutral[:, 0], return_inverse=True)
    figure, ground = (_coloured(eye, neutral, on, axis, contrast) for on in (True, False))
    figure_means, ground_means = (_means(values, level) for values in (figure, ground))
    deviations = np.concatenate([figure - figure_means[level], ground - ground_means[level]])
    own = np.diag(eye.noise**2)
    within = np.cov(deviations.T) + own
    apart = (
        _log_ratio(figure + noise * eye.noise, figure_means, ground_means, within).mean()
        - _log_ratio(ground + noise * eye.noise, figure_means, ground_means, within).mean()
    )
    return LearntColours(
        eye=eye,
        figure_means=figure_means,
        ground_means=ground_means,
        within=within,
        difference=(figure - ground).mean(axis=0),
        overall=(np.cov(figure.T) + np.cov(ground.T)) / 2 + own,
        level_d_prime=float(np.sqrt(max(apart, 0.0))),
    )


def _coloured(
    eye: Eye, neutral: NDArray[np.float32], on: bool, axis: Axis, contrast: float
) -> Floats:
    """Return noiseless readings of neutral dots, all of them figure or all ground."""
    lms = with_contrast(neutral, np.full(len(neutral), on), axis, contrast, eye.spec)
    return eye.readings(eye.viewing.cones(lms), np.zeros(lms.shape))


def _means(values: Floats, level: NDArray[np.intp]) -> Floats:
    return np.stack([values[level == k].mean(axis=0) for k in range(level.max() + 1)])


def _log_ratio(readings: Floats, figure: Floats, ground: Floats, within: Floats) -> Floats:
    centre = (figure.mean(axis=0) + ground.mean(axis=0)) / 2
    precision = np.linalg.inv(within)
    at = readings - centre
    on, off = (_log_mixture(at, means - centre, precision) for means in (figure, ground))
    return on - off


def _log_mixture(at: Floats, means: Floats, precision: Floats) -> Floats:
    """Return the log density of equally likely normals, up to what all of them share."""
    pull = means @ precision
    score = at @ pull.T - (pull * means).sum(axis=1) / 2
    peak = score.max(axis=1)
    return peak + np.log(np.exp(score - peak[:, None]).sum(axis=1))
