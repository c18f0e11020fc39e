"""Whether the band over decision time holds the whole curve, with few leads and with many."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm
from threadpoolctl import threadpool_limits

from analysis.statistics.bootstrap import Resampling, Units
from analysis.statistics.curves import Cells, Curve, curves_and_differences, decision_times
from analysis.studies.accept_reject.simulated_worlds import lay_out
from bench.book import Effort, Measured, Part, table
from bench.parts.interval_worlds import CELLS, CODES
from stimuli.io.canonical import seed_of

Array = np.ndarray

SIZES = ((3, 36), (6, 36), (24, 36))
STUDIES, REPLICATES, LIMIT_S, CUTOFF_S = 200, 500, 6.0, 3.0
FIXED: Mapping[str, Array] = {
    "time": np.array([1.2, -0.3, 0.0, 0.0]),
    "accept": np.array([0.4, 0.6, 0.0, 0.0]),
}
"""Means of the logarithm of the decision time, and of acceptance (probit): intercept, explained,
solver, explained × solver."""
SD_LEAD: Mapping[str, Array] = {
    "time": np.array([0.5, 0.2, 0.1, 0.1]),
    "accept": np.array([0.6, 0.4, 0.2, 0.2]),
}
SD_PLATE: Mapping[str, Array] = {
    "time": np.array([0.4, 0.15, 0.1, 0.1]),
    "accept": np.array([0.8, 0.3, 0.2, 0.2]),
}
NOISE = {"time": 0.6, "accept": 1.0}


@dataclass(frozen=True, slots=True)
class Timed:
    """One study: times of acceptances, and each lead's own deviations, (leads, 4) each."""

    accept_s: Array
    cell: Array
    units: Units
    leads: Mapping[str, Array]

    @classmethod
    def drawn(cls, rng: np.random.Generator, people: int, items: int) -> "Timed":
        """Return a study whose leads and plates are drawn."""
        trials = lay_out(rng, people, items, ("without_first", "with_first"))
        cell = 2 * (trials["solver"] == "E").to_numpy(int) + trials["explained"].to_numpy(int)
        units = Units(*(trials[name].to_numpy() for name in ("participant", "item")))
        leads, latent = {}, {}
        for of, fixed in FIXED.items():
            leads[of] = rng.standard_normal((people, 4)) * SD_LEAD[of]
            plates = rng.standard_normal((items, 4)) * SD_PLATE[of]
            own = fixed + leads[of][units.participant] + plates[units.item]
            noise = NOISE[of] * rng.standard_normal(len(cell))
            latent[of] = (CODES[cell] * own).sum(axis=1) + noise
        time_s = np.exp(latent["time"])
        accepted = (latent["accept"] > 0) & (time_s <= LIMIT_S)
        return cls(np.where(accepted, time_s, np.inf), cell, units, leads)

    def truth(self, cell: int, times_s: Array, people: str) -> Array:
        """Return the share of plates in general that these leads, or leads in general, accept."""
        code, parts = CODES[cell], {}
        for of, fixed in FIXED.items():
            variance = (code * SD_PLATE[of]) @ (code * SD_PLATE[of]) + NOISE[of] ** 2
            if people == "fixed":
                parts[of] = (fixed + self.leads[of]) @ code, np.sqrt(variance)
            else:
                more = (code * SD_LEAD[of]) @ (code * SD_LEAD[of])
                parts[of] = np.array([fixed @ code]), np.sqrt(variance + more)
        (when, sd_time), (level, sd_level) = parts["time"], parts["accept"]
        log_s = np.log(np.maximum(times_s, 1e-9))
        share = norm.cdf((log_s - when[:, None]) / sd_time)
        share *= norm.cdf(level / sd_level)[:, None]
        mine = self.units.participant[self.cell == cell]
        weight = np.bincount(mine, minlength=len(when)) if people == "fixed" else np.ones(1)
        return weight @ share / weight.sum()


def _measured(people: int, items: int, about: str, studies: int) -> dict[str, float]:
    """Return how often a whole curve is held, and the band's mean width beside the limits'."""
    rng = np.random.Generator(np.random.PCG64(seed_of("bands", people, items, about)))
    plan = Resampling(REPLICATES, 1, people="fixed" if about == "fixed" else "random")
    rows = []
    for _ in range(studies):
        own = Timed.drawn(rng, people, items)
        times_s = decision_times(own.accept_s, LIMIT_S, (CUTOFF_S,))
        cells, (gain,) = curves_and_differences(
            own.accept_s, Cells(own.cell, len(CELLS), [(1, 0)]), times_s, own.units, plan
        )
        without, with_ = (own.truth(cell, times_s, about) for cell in (0, 1))
        assert gain is not None
        rows.append((*_held(gain, with_ - without), *_held(cells[1], with_)))
    names = ("difference", "width", "limits", "share", "share_width", "share_limits")
    return dict(zip(names, np.mean(rows, axis=0).tolist(), strict=True))


def _held(curve: Curve, truth: Array) -> tuple[bool, float, float]:
    inside = (curve.band_low <= truth) & (truth <= curve.band_high)
    widths = (
        float(np.trapezoid(high - low, curve.time_s) / LIMIT_S)
        for low, high in ((curve.band_low, curve.band_high), (curve.ci_low, curve.ci_high))
    )
    return bool(inside.all()), *widths


@threadpool_limits.wrap(limits=1)
def coverage(effort: Effort) -> Measured:
    """Simultaneous coverage and width of the band, of these leads and of leads in general."""
    studies = 20 if effort.quick else STUDIES
    found, rows = {}, []
    for people, items in SIZES[:1] if effort.quick else SIZES:
        for about, words in (("fixed", "these leads"), ("random", "leads in general")):
            effort.say(f"{people} leads, {items} plates, {words}")
            own = _measured(people, items, about, studies)
            found[f"{people} × {items}, {words}"] = own
            rows.append([
                f"{people} × {items}, {words}", f"{own['difference']:.3f}",
                f"{100 * own['width']:.0f} ({100 * own['limits']:.0f})", f"{own['share']:.3f}",
                f"{100 * own['share_width']:.0f} ({100 * own['share_limits']:.0f})",
            ])  # fmt: skip
    text = (
        f"{studies} studies of each kind, whose leads and plates differ in how long they take and "
        "in what is accepted. Coverage: the share of studies in which the simultaneous 95 % band "
        "holds the whole curve, at each time that is drawn. Width: the mean over time, in points; "
        "in brackets, that of the limits of each time by itself. The reports' bands are of these "
        "leads below `few_people`, else of leads in general.\n\n"
        + table(["leads × plates, about", "difference", "width", "one share", "width"], rows)
    )
    return Measured(text, {"studies": studies, "sizes": found})


PARTS: tuple[Part, ...] = (Part("band_coverage", "Whether the band holds the curve", coverage),)
