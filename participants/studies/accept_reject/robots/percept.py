"""What a robot gets to see of a presentation: the observer's beliefs over time, no pixels."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from stimuli.maps.relevance import Region, dots_inside, region_from_bytes
from stimuli.pack import Pack
from stimuli.plates.observer import DigitTemplates, Observer, ShownPlate, read_over_time
from stimuli.plates.plate import plate_from_bytes
from stimuli.plates.spec import PlateSpec
from stimuli.plates.templates import shape_posterior, templates_from_bytes
from stimuli.studies.accept_reject.compose import TEMPLATES
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.stimulus import PlateStimulus
from stimuli.studies.accept_reject.tasks import plate_spec

FINE_STEP_S = 0.1
FINE_UNTIL_S = 5.0
COARSE_FACTOR = 1.06
JOINS = 6 / 128
"""A reader joins marks that are less than twice this share of the square's side apart."""


@dataclass(frozen=True, slots=True)
class PlatePercept:
    """A plate with a solution, as an observer sees it.

    Attributes
    ----------
    times_s
        float64 (T,): times of the looks since the onset.
    belief
        float64 (T, 11): posterior of the digits 0…9 and of no numeral at each look.
    shape
        float64 (10,): how much the explanation's outline looks like each digit, once what
        lies close together is `joined`; None without an explanation.
    """

    times_s: NDArray[np.float64]
    belief: NDArray[np.float64]
    shape: NDArray[np.float64] | None


@dataclass(frozen=True, slots=True)
class Sight:
    """An observer in front of a pack.

    Attributes
    ----------
    pack
        Source of plates and regions.
    observer, templates
        The observer, and the digits they have in mind.
    spec
        The look of the plates.
    """

    pack: Pack
    observer: Observer
    templates: DigitTemplates
    spec: PlateSpec

    @classmethod
    def of(cls, pack: Pack, observer: Observer) -> "Sight":
        """Return an observer's sight of a pack, with the digit templates that it carries.

        Raises
        ------
        UserError
            If the pack carries no templates.
        """
        protocol = pack.protocol
        assert isinstance(protocol, AcceptReject)
        return cls(pack, observer, templates_of(pack), plate_spec(protocol.plates))

    def percept(
        self, stimulus: PlateStimulus, look_s: float, rng: np.random.Generator
    ) -> PlatePercept:
        """Return the percept of a stimulus that can be looked at for some time.

        An explanation draws attention to the dots inside it, and spares the search for the
        numeral as far as it agrees with where the numeral is; it adds no evidence.
        """
        plate = plate_from_bytes(self.pack.asset(stimulus.plate_file))
        observer, shape, inside = self.observer, None, None
        if stimulus.region_file is not None:
            region = region_from_bytes(self.pack.asset(stimulus.region_file))
            exactly = dots_inside(region, plate.packing, dilate=0.0)
            observer = guided(observer, agreement(exactly, plate.figure))
            shape = shape_posterior(self.templates, joined(region))
            inside = dots_inside(region, plate.packing)
        times_s = look_times(observer.latency_s, look_s)
        log_belief = read_over_time(
            observer,
            self.templates,
            ShownPlate(plate, stimulus.axis, stimulus.contrast, self.spec),
            times_s,
            rng,
            region=inside,
        )
        return PlatePercept(times_s, np.exp(log_belief), shape)


def joined(region: Region) -> Region:
    """Return a region (R, R) with gaps closed: discs along a stroke are read as the stroke."""
    # Only needed once an outline is shown, and slow to import.
    from scipy import ndimage

    reach = round(JOINS * len(region))
    at = np.arange(-reach, reach + 1)
    mark = at[:, None] ** 2 + at**2 <= reach**2
    framed = np.pad(region, reach)
    return ndimage.binary_closing(framed, mark)[reach:-reach, reach:-reach]


def guided(observer: Observer, agrees: float) -> Observer:
    """Return an observer whom an explanation guides in proportion to its agreement (−1…1)."""
    return replace(observer, guidance=1 + (observer.guidance - 1) * max(0.0, agrees))


def agreement(inside: NDArray[np.bool_], figure: NDArray[np.bool_]) -> float:
    """Return the correlation (phi) of two sets of dots, −1…1; 0 if either is empty or all."""
    if inside.all() or figure.all() or not inside.any() or not figure.any():
        return 0.0
    return float(np.corrcoef(inside, figure)[0, 1])


def templates_of(pack: Pack) -> DigitTemplates:
    """Return the digits that a pack carries for observers; UserError if it carries none."""
    return templates_from_bytes(pack.asset(TEMPLATES))


def look_times(latency_s: float, limit_s: float) -> NDArray[np.float64]:
    """Return the times of looks up to the limit, closer together at first, (T,)."""
    fine_until_s = min(FINE_UNTIL_S, limit_s)
    fine = np.arange(latency_s + FINE_STEP_S, fine_until_s, FINE_STEP_S)
    fine = fine[fine < fine_until_s]  # rounding can make arange return one look more
    if limit_s <= FINE_UNTIL_S:
        return np.append(fine, limit_s)
    count = int(np.ceil(np.log(limit_s / FINE_UNTIL_S) / np.log(COARSE_FACTOR)))
    return np.concatenate([fine, np.geomspace(FINE_UNTIL_S, limit_s, count + 1)])
