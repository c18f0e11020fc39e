"""What confidence means for a network at hand: its temperature, and limits between bins.

With the published limits a network that is nearly always sure leaves bins empty. So does one that
never is, as after training with smoothed labels. A temperature (Guo et al. 2017) makes confidence
as high as the network is often right; limits at quantiles fill the bins of any network.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from stimuli.errors import UserError
from stimuli.protocol import Deviation
from stimuli.studies.human_ai_team.protocol import HumanAiTeam
from xai_backend.progress import Reporter
from xai_backend.studies.human_ai_team.ai import DIGITS, Ai, changed
from xai_backend.studies.human_ai_team.draw import Judged
from xai_backend.studies.human_ai_team.images import gathered
from xai_backend.studies.human_ai_team.source import Source

Logits = NDArray[np.float64]

LEAST: Final = 20
"""Fewest images from which a temperature is fitted."""
COLDEST, HOTTEST = 0.05, 20.0
"""Limits of the search for a temperature."""
TEMPERATURE_DIGITS: Final = 3
"""Decimals of a temperature that are kept; further ones differ between machines."""
CALIBRATION_BINS: Final = 10


@dataclass(frozen=True, slots=True)
class Calibration:
    """How a temperature was fitted.

    Attributes
    ----------
    temperature
        Logits are divided by this.
    images
        Number of images on which it was fitted.
    loss, error
        Mean negative log likelihood, and expected calibration error in ten bins of equal width,
        before and after.
    """

    temperature: float
    images: int
    loss: tuple[float, float]
    error: tuple[float, float]

    @classmethod
    def of(cls, logits: Logits, outputs: NDArray[np.intp]) -> "Calibration":
        """Return the calibration whose temperature has the lowest loss.

        Parameters
        ----------
        logits
            (n, K).
        outputs
            (n,): each image's true class.

        Raises
        ------
        UserError
            If there are too few images, or they don't determine the temperature.
        """
        if len(logits) < LEAST:
            raise UserError(
                f"system.calibration: {len(logits)} images are held out for the temperature, "
                f"{LEAST} at least are needed; raise system.calibration_share, or add images"
            )
        # As a function of the temperature's logarithm, the loss has a single minimum.
        minimum = minimize_scalar(
            lambda power: loss(logits / np.exp(power), outputs),
            bounds=(np.log(COLDEST), np.log(HOTTEST)),
            method="bounded",
            options={"xatol": 1e-7},
        )
        temperature = round(float(np.exp(minimum.x)), TEMPERATURE_DIGITS)
        share = float((logits.argmax(axis=1) == outputs).mean())
        # Without any errors, the lowest temperature is always the best.
        if share == 1 or not 1.01 * COLDEST < temperature < 0.99 * HOTTEST:
            raise UserError(
                f"system.calibration: no temperature from {COLDEST:g} to {HOTTEST:g} fits the "
                f"{len(logits)} images that are held out; the AI is right on {share:.0%} of them. "
                'Set system.temperature yourself, or bins.limits = "quantiles"'
            )
        after = logits / temperature
        return cls(
            temperature,
            len(logits),
            (loss(logits, outputs), loss(after, outputs)),
            (calibration_error(logits, outputs), calibration_error(after, outputs)),
        )

    @property
    def line(self) -> str:
        """The line that reports it."""
        return (
            f"calibration: temperature {self.temperature:g} on {self.images} images that nobody "
            f"judges; calibration error {self.error[0]:.3f} before, {self.error[1]:.3f} after"
        )

    def described(self) -> dict[str, Any]:
        """Return the calibration as plain JSON values."""
        return {
            "temperature": self.temperature,
            "images": self.images,
            "loss": [round(value, 4) for value in self.loss],
            "calibration_error": [round(value, 4) for value in self.error],
        }


def loss(logits: Logits, outputs: NDArray[np.intp]) -> float:
    """Return the mean negative log likelihood of images' true classes."""
    true_logits = logits[np.arange(len(outputs)), outputs]
    return float(np.mean(logsumexp(logits, axis=1) - true_logits))


def calibration_error(logits: Logits, outputs: NDArray[np.intp]) -> float:
    """Return the expected calibration error, in bins of equal width."""
    shares = np.exp(logits - logsumexp(logits, axis=1, keepdims=True))
    sure, right = shares.max(axis=1), logits.argmax(axis=1) == outputs
    places = np.minimum((sure * CALIBRATION_BINS).astype(int), CALIBRATION_BINS - 1)
    gaps = np.bincount(places, weights=right - sure, minlength=CALIBRATION_BINS)
    return float(np.abs(gaps).sum() / len(sure))


def calibrated(source: Source, ai: Ai, reporter: Reporter) -> tuple[Source, Ai, Calibration | None]:
    """Return source and AI with a fitted temperature, if the protocol asks for it.

    Raises
    ------
    UserError
        See `Calibration.of`.
    """
    protocol = source.protocol
    if protocol.system.calibration == "none":
        return source, ai, None
    pictures = gathered(source.held_out, protocol, reporter).pictures
    label_of = {candidate.item: candidate.label for candidate in source.held_out}
    logits = ai.work.logits(list(pictures.values()))
    calibration = Calibration.of(
        np.array([logits[item] for item in logits], dtype=np.float64).reshape(len(logits), -1),
        np.array([ai.output_of(label_of[item]) for item in logits], dtype=np.intp),
    )
    reporter.say(calibration.line)
    stated = with_temperature(protocol, calibration)
    return (
        replace(source, protocol=stated),
        replace(ai, temperature=calibration.temperature),
        calibration,
    )


def with_temperature(protocol: HumanAiTeam, calibration: Calibration) -> HumanAiTeam:
    """Return a protocol that states the temperature and that it differs from the paper."""
    deviation = Deviation(
        field="system.temperature",
        published="The confidence is the network's own probability.",
        here="The network's logits are divided by a temperature of {system.temperature}, which was "
        f"fitted on {calibration.images} images that nobody judges.",
        reason="The confidence is then about as high as the AI is often right.",
        whose="build",
    )
    changes = {"system": {"temperature": calibration.temperature}}
    return changed(protocol, changes, [deviation])


def with_limits(protocol: HumanAiTeam, judged: Sequence[Judged], reporter: Reporter) -> HumanAiTeam:
    """Return a protocol whose limits are quantiles of the confidence, if it asks for them.

    Then samples of labels don't need a higher confidence than the high bin.

    Raises
    ------
    UserError
        If confidences differ too little, or the AI is right, or wrong, on all images.
    """
    bins = protocol.bins
    if bins.limits == "fixed":
        return protocol
    limits = balanced_quantiles(judged, bins.quantiles)
    names = ("low_below", "mid_from", "mid_below", "high_from")
    if not 0 < limits[0] <= limits[1] < limits[2] <= limits[3] < 1:
        raise UserError(
            f"bins.limits: the AI's confidences are too much alike: {_listed(limits)} are their "
            f"quantiles {_listed(bins.quantiles)}; calibrate it (system.calibration = "
            '"temperature"), or change bins.quantiles'
        )
    reporter.say(f"bins: limits {_listed(limits)} are quantiles of the AI's confidence")
    deviation = Deviation(
        field="bins.limits",
        published="Bins have limits at confidences of .3, .4, .6 and .8.",
        here=f"They have limits at {_listed(limits)}, the quantiles {{bins.quantiles}} of the AI's "
        "confidence; right and wrong images weigh alike.",
        reason="With the published limits this network would leave bins empty.",
        whose="build",
    )
    changes: dict[str, dict[str, Any]] = {"bins": dict(zip(names, limits, strict=True))}
    if protocol.prior.sample_from > limits[3]:
        changes["prior"] = {"sample_from": limits[3]}
    return changed(protocol, changes, [deviation])


def balanced_quantiles(judged: Sequence[Judged], shares: Sequence[float]) -> list[float]:
    """Return quantiles of the confidence; right and wrong images have the same total weight.

    A quantile is the lowest confidence at or below which at least this share of the weight lies.

    Raises
    ------
    UserError
        If there are no right images, or no wrong ones.
    """
    right = np.array([image.right for image in judged], dtype=bool)
    if right.all() or not right.any():
        raise UserError(
            f"bins.limits: the AI is {'right' if right.all() else 'wrong'} on all "
            f"{len(judged)} images, so bins stay empty whatever their limits; add images"
        )
    confidence = np.array([image.confidence for image in judged])
    weight = np.where(right, 0.5 / right.sum(), 0.5 / (~right).sum())
    order = np.argsort(confidence, kind="stable")
    below = np.cumsum(weight[order])
    places = np.searchsorted(below, np.asarray(shares) - 1e-12)
    return [round(float(confidence[order][at]), DIGITS) for at in places]


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)
