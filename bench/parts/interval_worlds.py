"""Kinds of studies whose intervals are measured: the grid, and odd tables.

All studies of a layout are simulated at once: a study is a column.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.power.averages import averaged, spread_out
from analysis.statistics.bootstrap import Units
from analysis.studies.accept_reject.power import PlateWorld
from analysis.studies.accept_reject.simulated_worlds import coefficients, lay_out, spread
from stimuli.io.canonical import seed_of

Array = np.ndarray

CELLS = (("S", False), ("S", True), ("E", False), ("E", True))
SIZES = ((8, 24), (24, 48), (40, 16))
ITEM_SLOPES = (0.4, 1.0)
EFFECTS = (0.0, 0.15)
LAYOUTS = 20
SEED = "intervals, confirmed"
"""Key of the published studies. The intervals' rules were chosen on studies of other keys."""

CODES = np.array(
    [[1.0, e, s, e * s] for s, e in ((0.5, -0.5), (0.5, 0.5), (-0.5, -0.5), (-0.5, 0.5))]
)


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
    ahead
        How much more E's bring.
    missing
        Share of trials that are missing at random.
    short
        Share of people who saw a quarter of the items only.
    careless
        Share of people, drawn study by study, who accept at random.
    crossed
        Everyone judges every item in all four cells, as few items ask for; else lists rotate.
    """

    people: int
    items: int
    world: PlateWorld
    effect: float = 0.0
    ahead: float = 0.0
    missing: float = 0.0
    short: float = 0.0
    careless: float = 0.0
    crossed: bool = field(default=False, repr=False)  # seeds of other kinds stay

    @property
    def coefficients(self) -> Array:
        """The model's fixed effects."""
        return coefficients(self.world, self.effect, self.effect + self.ahead)

    @property
    def truths(self) -> Array:
        """The four cells' probabilities."""
        fixed = self.coefficients
        careful = np.array(
            [
                float(averaged(spread_out(code @ fixed, spread(self.world, cell))))
                for cell, code in zip(CELLS, CODES, strict=True)
            ]
        )
        return (1 - self.careless) * careful + self.careless / 2


@dataclass(frozen=True, slots=True)
class Studies:
    """Some studies of one layout: a column each."""

    answers: Array
    cell: Array
    units: Units


def simulated(kind: Kind, studies: int, key: str = SEED) -> Iterator[Studies]:
    """Yield all studies of a kind, by layouts."""
    layouts = min(LAYOUTS, studies)
    for layout in range(layouts):
        rng = np.random.Generator(np.random.PCG64(seed_of(key, repr(kind), layout)))
        trials = _laid_out(kind, rng)
        keep = rng.random(len(trials)) >= kind.missing
        few = rng.random(kind.people) < kind.short
        keep &= ~few[trials["participant"]] | (rng.random(len(trials)) < 0.25)
        trials = trials[keep]
        cell = 2 * (trials["solver"] == "E").to_numpy(int) + trials["explained"].to_numpy(int)
        units = Units(*(trials[name].to_numpy() for name in ("participant", "item")))
        yield Studies(_answers(kind, cell, units, studies // layouts, rng), cell, units)


def _laid_out(kind: Kind, rng: np.random.Generator) -> pd.DataFrame:
    if not kind.crossed:
        return lay_out(rng, kind.people, kind.items, ("without_first", "with_first"))
    person, item, cell = (
        place.ravel() for place in np.indices((kind.people, kind.items, len(CELLS)))
    )
    solver, explained = (np.array(part)[cell] for part in zip(*CELLS, strict=True))
    return pd.DataFrame(
        {"participant": person, "item": item, "solver": solver, "explained": explained}
    )


def _answers(
    kind: Kind, cell: Array, units: Units, studies: int, rng: np.random.Generator
) -> Array:
    logits = np.repeat((CODES @ kind.coefficients)[cell][:, None], studies, 1)
    for place in range(len(CELLS)):
        own = rng.standard_normal((kind.people, studies)) * kind.world.sd_participant[place]
        of_item = rng.standard_normal((kind.items, studies)) * kind.world.sd_item[place]
        logits += CODES[cell, place][:, None] * (own[units.participant] + of_item[units.item])
    if kind.careless:
        careless = rng.random((kind.people, studies)) < kind.careless
        logits = np.where(careless[units.participant], 0.0, logits)
    return (rng.random(logits.shape) < expit(logits)).astype(float)


def grid() -> dict[str, Kind]:
    """Return the plain kinds: three sizes, two item slopes, two effects."""
    return {
        f"{people} × {items}, slopes {slope:g}, effect {effect:g}": Kind(
            people, items, replace(PlateWorld(), sd_item=(1.0, slope, 0.3, 0.3)), effect
        )
        for people, items in SIZES
        for slope in ITEM_SLOPES
        for effect in EFFECTS
    }


def odd() -> Mapping[str, Kind]:
    """Return kinds with missing trials, unequal shares, rates near 0 and 1, and sparse tables."""
    kinds = {}
    for people, items in SIZES:
        plain = Kind(people, items, PlateWorld())
        size = f"{people} × {items}"
        kinds |= {
            f"{size}, 10 % missing": replace(plain, effect=0.15, missing=0.1),
            f"{size}, 20 % missing": replace(plain, missing=0.2),
            f"{size}, half saw a quarter": replace(plain, short=0.5),
            f"{size}, rates of .04": replace(plain, world=PlateWorld(baseline=0.04)),
            f"{size}, rates of .82 and .97": replace(
                plain, world=PlateWorld(baseline=0.82), effect=0.15
            ),
        }
    sparse = Kind(24, 300, PlateWorld())
    kinds["24 × 300, an item seen by 1.4 people"] = replace(sparse, missing=0.94)
    kinds["24 × 300, an item seen by 2.4 people"] = replace(sparse, missing=0.9)
    kinds["24 × 300, an item seen by 4.8 people"] = replace(sparse, missing=0.8)
    return kinds
