"""Coverage and width of the intervals of means, beside those of other methods.

All studies of a cell are simulated at once: the estimator is closed-form, and a study is a column.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import expit
from scipy.stats import binom, norm

from analysis.power.averaging import averaged, spread_out
from analysis.statistics.bootstrap import Resampling, Units, cell_means, percentile_interval
from analysis.statistics.two_way.means import TwoWayMeans, cell_weights, two_way_means
from analysis.studies.accept_reject.power.layout import lay_out
from analysis.studies.accept_reject.power.mixed_world import MixedWorld
from stimuli.io.canonical import seed_of
from tests.bench.book import Effort, Measured, Part, table

Array = np.ndarray

CELLS = (("S", False), ("S", True), ("E", False), ("E", True))
CONTRASTS: Mapping[str, Array] = {
    "usefulness": np.array([-0.5, 0.5, -0.5, 0.5]),
    "usefulness of S": np.array([-1.0, 1.0, 0.0, 0.0]),
    "p_S − p_E": np.array([0.0, 1.0, 0.0, -1.0]),
    "p_S": np.array([0.0, 1.0, 0.0, 0.0]),
}
SIZES = ((8, 24), (24, 48), (40, 16))
ITEM_SLOPES = (0.4, 1.0)
EFFECTS = (0.0, 0.15)
SURE, LEVEL = 0.999, 0.95
STUDIES, LAYOUTS = 2000, 20


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of study.

    Attributes
    ----------
    people, items
        How many of each.
    world
        Baseline and variances.
    effect
        What explanations bring, S's and E's alike: a difference of probabilities.
    missing
        Share of trials that are missing at random.
    short
        Share of people who saw a quarter of the items only.
    """

    people: int
    items: int
    world: MixedWorld
    effect: float = 0.0
    missing: float = 0.0
    short: float = 0.0

    @property
    def truths(self) -> Array:
        """The four cells' probabilities."""
        fixed = self.world.coefficients(self.effect, self.effect)
        return np.array(
            [
                float(averaged(spread_out(code @ fixed, self.world.spread(cell))))
                for cell, code in zip(CELLS, _CODES, strict=True)
            ]
        )


_CODES = np.array(
    [[1.0, e, s, e * s] for s, e in ((0.5, -0.5), (0.5, 0.5), (-0.5, -0.5), (-0.5, 0.5))]
)


@dataclass(frozen=True, slots=True)
class Studies:
    """Some studies of one layout: a column each."""

    answers: Array
    cell: Array
    units: Units

    @property
    def means(self) -> TwoWayMeans:
        """The cells' means."""
        return two_way_means(self.answers, cell_weights(self.cell, len(CELLS)), self.units)


def simulated(kind: Kind, studies: int) -> Iterator[Studies]:
    """Yield all studies of a kind, by layouts."""
    layouts = min(LAYOUTS, studies)
    for layout in range(layouts):
        seed = seed_of("intervals", repr(kind), layout)
        rng = np.random.Generator(np.random.PCG64(seed))
        trials = lay_out(rng, kind.people, kind.items, ("without_first", "with_first"))
        keep = rng.random(len(trials)) >= kind.missing
        few = rng.random(kind.people) < kind.short
        keep &= ~few[trials["participant"]] | (rng.random(len(trials)) < 0.25)
        trials = trials[keep]
        cell = 2 * (trials["solver"] == "E").to_numpy(int) + trials["explained"].to_numpy(int)
        person, item = (trials[name].to_numpy() for name in ("participant", "item"))
        yield Studies(
            _answers(kind, cell, person, item, studies // layouts, rng), cell, Units(person, item)
        )


def _answers(
    kind: Kind, cell: Array, person: Array, item: Array, studies: int, rng: np.random.Generator
) -> Array:
    world = kind.world
    logits = np.repeat(
        (_CODES @ world.coefficients(kind.effect, kind.effect))[cell][:, None], studies, 1
    )
    for place in range(4):
        code = _CODES[cell, place][:, None]
        own = rng.standard_normal((kind.people, studies)) * world.sd_participant[place]
        of_item = rng.standard_normal((kind.items, studies)) * world.sd_item[place]
        logits += code * (own[person] + of_item[item])
    return (rng.random(logits.shape) < expit(logits)).astype(float)
