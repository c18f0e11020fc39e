"""Coverage and width of the intervals of means, beside those of other methods.

All studies of a cell are simulated at once: the estimator is closed-form, and a study is a column.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit
from scipy.stats import binom, norm

from analysis.power.averaging import averaged, spread_out
from analysis.statistics.bootstrap import Resampling, Units, cell_means
from analysis.statistics.proportions import Count
from analysis.statistics.shares import never_collapsed
from analysis.statistics.two_way import (
    TwoWayMeans,
    band_factor,
    cell_weights,
    largest_deviations,
    two_way_means,
)
from analysis.studies.accept_reject.power.layout import lay_out
from analysis.studies.accept_reject.power.mixed_world import MixedWorld
from stimuli.io.canonical import seed_of
from tests.bench.book import Effort, Measured, Part, table
from tests.bench.parts.resampling import timed

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
    ahead
        How much more E's bring.
    missing
        Share of trials that are missing at random.
    short
        Share of people who saw a quarter of the items only.
    """

    people: int
    items: int
    world: MixedWorld
    effect: float = 0.0
    ahead: float = 0.0
    missing: float = 0.0
    short: float = 0.0

    @property
    def coefficients(self) -> Array:
        """The model's fixed effects."""
        return self.world.coefficients(self.effect, self.effect + self.ahead)

    @property
    def truths(self) -> Array:
        """The four cells' probabilities."""
        fixed = self.coefficients
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
    logits = np.repeat((_CODES @ kind.coefficients)[cell][:, None], studies, 1)
    for place in range(4):
        code = _CODES[cell, place][:, None]
        own = rng.standard_normal((kind.people, studies)) * world.sd_participant[place]
        of_item = rng.standard_normal((kind.items, studies)) * world.sd_item[place]
        logits += code * (own[person] + of_item[item])
    return (rng.random(logits.shape) < expit(logits)).astype(float)


@dataclass(frozen=True, slots=True)
class Found:
    """Limits of one contrast over all studies: (studies,) each."""

    estimate: Array
    low: Array
    high: Array

    def row(self, truth: float) -> dict[str, float]:
        """Return coverage, and the width by the width that the estimates' spread calls for."""
        spread = float(np.std(self.estimate, ddof=1))
        called_for = 2 * float(norm.ppf((1 + LEVEL) / 2)) * spread
        return {
            "coverage": float(np.mean((self.low <= truth) & (truth <= self.high))),
            "width": float(np.mean(self.high - self.low)) / called_for,
        }


def ours(studies: Studies, means: TwoWayMeans, contrast: Array) -> Found:
    """Return the report's interval, widened where a rate is 0 or 1."""
    estimate, low, high = means.rates(contrast)
    n = np.bincount(studies.cell, minlength=len(CELLS))
    hits = np.stack([studies.answers[studies.cell == k].sum(axis=0) for k in range(len(CELLS))])
    used = contrast != 0
    at_end = ((hits[used] == 0) | (hits[used] == n[used][:, None])).any(axis=0)
    for study in np.flatnonzero(at_end):
        counts = [Count(int(k), int(of)) for k, of in zip(hits[:, study], n, strict=True)]
        part = never_collapsed(counts, contrast, low[study], high[study])
        low[study], high[study] = part.ci_low, part.ci_high
    return Found(estimate, low, high)


def percentile(studies: Studies, contrast: Array, replicates: int = 300) -> Found:
    """Return the percentile interval of the two-way bootstrap."""
    low, high = _percentiles(studies, contrast, LEVEL, replicates)
    shares = [studies.answers[studies.cell == k].mean(axis=0) for k in range(len(CELLS))]
    return Found(contrast @ np.stack(shares), low, high)


def _percentiles(
    studies: Studies, contrast: Array, level: float, replicates: int = 300
) -> tuple[Array, Array]:
    draws = cell_means(
        studies.answers, studies.cell, len(CELLS), studies.units, Resampling(replicates, 1)
    )
    used = contrast != 0
    drawn = np.einsum("bkm,k->bm", draws[:, used], contrast[used])
    low, high = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high


def by_sums(studies: Studies, contrast: Array) -> dict[str, Found]:
    """Return z intervals from sums of squares of the answers' raw deviations.

    Multiway clustering (Cameron, Gelbach & Miller 2011): V_p + V_i − V_e. Product reweighting
    (Owen & Eckles 2012, Ann. Appl. Stat. 6, eq. 17, leading terms): V_p + V_i + V_e. The two-way
    components that Menzel's (2021) bootstrap draws from: (V_p − V_e)₊ + (V_i − V_e)₊ + V_e.
    """
    weights = cell_weights(studies.cell, len(CELLS))
    weights = weights / weights.sum(axis=0)
    means = weights.T @ studies.answers
    own = (weights @ contrast)[:, None] * (studies.answers - means[studies.cell])
    people, items = (
        np.square(_added(code, own)).sum(axis=0)
        for code in (studies.units.participant, studies.units.item)
    )
    single = np.square(own).sum(axis=0)
    variances = {
        "multiway clusters": np.maximum(people + items - single, 0),
        "product reweighting": people + items + single,
        "raw components": np.maximum(people - single, 0) + np.maximum(items - single, 0) + single,
    }
    estimate, z = contrast @ means, float(norm.ppf((1 + LEVEL) / 2))
    return {
        name: Found(estimate, estimate - z * np.sqrt(v), estimate + z * np.sqrt(v))
        for name, v in variances.items()
    }


def _added(code: Array, values: Array) -> Array:
    total = np.zeros((int(code.max()) + 1, values.shape[1]))
    np.add.at(total, code, values)
    return total


def measured(kind: Kind, studies: int) -> dict[str, dict[str, float]]:
    """Return coverage and width of every contrast, and of usefulness by the other methods."""
    found: dict[str, list[Found]] = {}
    for own in simulated(kind, studies):
        means = two_way_means(own.answers, cell_weights(own.cell, len(CELLS)), own.units)
        for name, contrast in CONTRASTS.items():
            found.setdefault(name, []).append(ours(own, means, contrast))
        usefulness = CONTRASTS["usefulness"]
        for name, part in by_sums(own, usefulness).items():
            found.setdefault(name, []).append(part)
        found.setdefault("percentile bootstrap", []).append(percentile(own, usefulness))
    truths = {name: float(contrast @ kind.truths) for name, contrast in CONTRASTS.items()}
    return {
        name: _joined(parts).row(truths.get(name, truths["usefulness"]))
        for name, parts in found.items()
    }


def _joined(parts: list[Found]) -> Found:
    return Found(
        *(np.concatenate([getattr(p, name) for p in parts]) for name in ("estimate", "low", "high"))
    )


def coverage(effort: Effort) -> Measured:
    """The grid: three sizes, two item slopes, two effects."""
    return _measured(effort, _grid())


def odd_tables(effort: Effort) -> Measured:
    """Rates near 0 and 1, unbalanced tables, missing trials."""
    return _measured(effort, _odd())


def _grid() -> dict[str, Kind]:
    return {
        f"{people} × {items}, slopes {slope:g}, effect {effect:g}": Kind(
            people, items, replace(MixedWorld(), sd_item=(1.0, slope, 0.3, 0.3)), effect
        )
        for people, items in SIZES
        for slope in ITEM_SLOPES
        for effect in EFFECTS
    }


def _odd() -> dict[str, Kind]:
    kinds = {}
    for people, items in SIZES:
        plain = Kind(people, items, MixedWorld())
        size = f"{people} × {items}"
        kinds |= {
            f"{size}, 10 % missing": replace(plain, effect=0.15, missing=0.1),
            f"{size}, 20 % missing": replace(plain, missing=0.2),
            f"{size}, half saw a quarter": replace(plain, short=0.5),
            f"{size}, rates of .04": replace(plain, world=MixedWorld(baseline=0.04)),
            f"{size}, rates of .82 and .97": replace(
                plain, world=MixedWorld(baseline=0.82), effect=0.15
            ),
        }
    return kinds


def _measured(effort: Effort, kinds: Mapping[str, Kind]) -> Measured:
    studies = 40 if effort.quick else STUDIES
    rows = {name: measured(kind, studies) for name, kind in kinds.items()}
    low, high = (float(x) / studies for x in binom.interval(SURE, studies, LEVEL))
    names = list(next(iter(rows.values())))
    summary = {name: _summary([row[name] for row in rows.values()]) for name in names}
    lines = [
        [name, *(_said(row[contrast]) for contrast in CONTRASTS)] for name, row in rows.items()
    ]
    others = [
        [name, f"{own['least']:.3f} to {own['most']:.3f}",
         f"{own['width']:.2f} ({own['narrowest']:.2f}–{own['widest']:.2f})"]
        for name, own in summary.items()
    ]  # fmt: skip
    text = (
        f"{studies:,} studies of each kind. Coverage of 95 % intervals, and their width "
        f"divided by the width that the spread of the estimates requires. Correct coverage is "
        f"between "
        f"{low:.3f} and {high:.3f} in 99.9 % of benches.\n\n"
        + table(["studies", *CONTRASTS], lines)
        + "\n\nThe same over all kinds: least and most coverage, and the mean width ratio with "
        "its range. The methods from the fifth row on are for usefulness, on raw means.\n\n"
        + table(["interval", "coverage", "width ratio"], others)
    )
    figures = {"studies": studies, "low": low, "high": high, "kinds": rows, "summary": summary}
    return Measured(text, figures)


def _said(row: Mapping[str, float]) -> str:
    return f"{row['coverage']:.3f} / {row['width']:.2f}"


def _summary(rows: list[dict[str, float]]) -> dict[str, float]:
    covered, widths = ([row[name] for row in rows] for name in ("coverage", "width"))
    return {
        "least": min(covered), "most": max(covered), "width": float(np.mean(widths)),
        "narrowest": min(widths), "widest": max(widths),
    }  # fmt: skip


SAVING_SIZES = ((24, 48), (24, 72), (40, 72))
MARGIN, WORSE = 0.10, 0.20
SAVING_STUDIES = 300


def savings(effort: Effort) -> Measured:
    """How often S is found like E, or worse, by either interval."""
    studies = 40 if effort.quick else SAVING_STUDIES
    figures, lines = {}, []
    for people, items in SAVING_SIZES:
        alike = Kind(people, items, MixedWorld(), 0.15)
        behind = replace(alike, effect=0.0, ahead=WORSE)
        row = {
            f"{verdict}, {name}": share
            for verdict, kind in (("like", alike), ("worse", behind))
            for name, share in _verdicts(kind, verdict, studies).items()
        }
        figures[f"{people} × {items}"] = row
        lines.append([f"{people} × {items}", *(f"{100 * share:.0f} %" for share in row.values())])
    text = (
        f"Share of {studies} studies that find S like E if both are alike (margin ± 10 "
        f"points), and S worse than E if S is 20 points behind.\n\n"
        + table(
            [
                "leads × plates", "like, two-way", "like, bootstrap", "worse, two-way",
                "worse, bootstrap",
            ],
            lines,
        )
    )  # fmt: skip
    return Measured(text, {"studies": studies, "sizes": figures})


def _verdicts(kind: Kind, verdict: str, studies: int) -> dict[str, float]:
    contrast, level = CONTRASTS["p_S − p_E"], 0.90 if verdict == "like" else LEVEL
    hits: dict[str, list[Array]] = {"two-way": [], "bootstrap": []}
    for own in simulated(kind, studies):
        means = two_way_means(own.answers, cell_weights(own.cell, len(CELLS)), own.units)
        found = {
            "two-way": means.rates(contrast, level),
            "bootstrap": (None, *_percentiles(own, contrast, level)),
        }
        for name, (_, low, high) in found.items():
            within = (low > -MARGIN) & (high < MARGIN)
            hits[name].append(within if verdict == "like" else high < -MARGIN)
    return {name: float(np.mean(np.concatenate(parts))) for name, parts in hits.items()}


def band(effort: Effort) -> Measured:
    """Time of a simultaneous band."""
    replicates = 1000 if effort.quick else 10_000
    rng = np.random.default_rng(1)
    person, item = np.repeat(np.arange(360), 30), np.tile(np.arange(30), 360)
    accept_s = rng.exponential(3, len(person))
    times = np.linspace(0, 6, 200)
    cell, contrast = (person + item) % 2, np.array([-1.0, 1.0])

    def compute() -> float:
        found = two_way_means(
            (accept_s[:, None] <= times).astype(float), cell_weights(cell, 2), Units(person, item)
        )
        df = float(np.nanmin(found.spread(contrast).df))
        return band_factor(largest_deviations(found, contrast, replicates, 1), df, 1)

    seconds, factor = timed(compute)
    text = (
        f"The band of a difference at 200 decision times on {len(person):,} rows (360 × 30), "
        f"{replicates:,} replicates of the multiplier bootstrap: {seconds:.2f} s, the better of "
        f"two calls; it reaches {factor:.2f} standard errors to either side."
    )
    return Measured(text, {"seconds": seconds, "replicates": replicates, "factor": factor})


PARTS: tuple[Part, ...] = (
    Part("intervals", "Intervals over participants and items", coverage),
    Part("intervals_odd", "Rates near 0 and 1, gaps, and unequal shares", odd_tables),
    Part("savings", "How many participants the intervals save", savings),
    Part("band", "A band over decision time", band),
)
