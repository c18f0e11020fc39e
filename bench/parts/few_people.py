"""Coverage and false verdicts with few people, few items, unlike people and unequal arms."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from scipy.special import expit, gammaln
from scipy.stats import norm, ttest_1samp, ttest_ind
from scipy.stats import t as student

from analysis.statistics.bootstrap import Units
from analysis.statistics.means import share_ends
from analysis.statistics.proportions import LEVEL, Count, Interval, judge
from analysis.statistics.two_way import TwoWayMeans, cell_weights, two_way_means
from analysis.studies.accept_reject.power import PlateWorld
from bench.book import Effort, Measured, Part, table
from bench.parts.interval_worlds import CELLS, Kind, Studies, simulated
from stimuli.io.canonical import seed_of

Array = np.ndarray

PEOPLE, ITEMS = (2, 3, 4, 5, 6, 8, 12, 24), (2, 4, 8, 24, 72)
ROTATED = 8
"""Items from which on they rotate over four lists."""
STUDIES, MARGIN, NARROW = 1000, 0.10, 0.90
CONTRASTS: Mapping[str, Array] = {
    "usefulness of S": np.array([-1.0, 1.0, 0.0, 0.0]),
    "p_S − p_E": np.array([0.0, 1.0, 0.0, -1.0]),
}
_PLAIN = PlateWorld()
WORLDS: Mapping[str, Kind] = {
    "alike": Kind(0, 0, replace(_PLAIN, sd_participant=(0.0,) * 4)),
    "usual": Kind(0, 0, _PLAIN),
    "unlike": Kind(0, 0, replace(_PLAIN, sd_participant=(1.5, 0.8, 0.8, 0.8))),
    "very unlike": Kind(0, 0, replace(_PLAIN, sd_participant=(3.0, 1.5, 1.5, 1.5))),
    "ceiling": Kind(0, 0, replace(_PLAIN, baseline=0.9)),
    "a fifth careless": Kind(0, 0, _PLAIN, careless=0.2),
}
ARMS: Mapping[str, tuple[tuple[int, int], tuple[float, float]]] = {
    "20 / 20, alike": ((20, 20), (0.5, 0.5)),
    "40 / 6, alike": ((40, 6), (0.5, 0.5)),
    "40 / 6, the small arm unlike": ((40, 6), (0.3, 2.0)),
    "40 / 6, the large arm unlike": ((40, 6), (2.0, 0.3)),
    "6 / 6, one arm unlike": ((6, 6), (0.3, 2.0)),
}

WAYS = ("report", "Welch’s t by person", "pooled t by person")

Row = dict[str, float]


def limits(studies: Studies, means: TwoWayMeans, contrast: Array, level: float) -> Array:
    """Return (3, studies) estimates and the report's limits."""
    found = np.stack(means.rates(contrast, level))
    n = np.bincount(studies.cell, minlength=len(CELLS))
    hits = np.stack([studies.answers[studies.cell == k].sum(axis=0) for k in range(len(CELLS))])
    for study, own in enumerate(hits.T):
        counts = [Count(int(k), int(of)) for k, of in zip(own, n, strict=True)]
        found[1:, study] = share_ends(counts, contrast, found[1:, study], level)
    return found


def verdicts(wide: Array, narrow: Array) -> list[str]:
    """Return what each study says of S against E."""
    return [
        judge(Interval(*one), Interval(*other), MARGIN)
        for one, other in zip(wide.T.tolist(), narrow.T.tolist(), strict=True)
    ]


def by_person(studies: Studies, contrast: Array) -> Array:
    """Return (3, studies) the t interval of people's own differences: items count as fixed."""
    own = np.zeros((studies.units.participants, studies.answers.shape[1]))
    for place in np.flatnonzero(contrast):
        inside = (
            cell_weights(studies.units.participant, len(own)) * (studies.cell == place)[:, None]
        )
        shares = inside.T @ studies.answers / np.maximum(inside.sum(axis=0), 1)[:, None]
        own += contrast[place] * shares
    found = ttest_1samp(own, 0.0).confidence_interval(LEVEL)
    return np.stack([own.mean(axis=0), found.low, found.high])


def measured(kind: Kind, studies: int) -> dict[str, Row]:
    """Return coverage, width and verdicts of each contrast in one world."""
    parts: dict[str, list[Array]] = {}
    said: dict[str, list[str]] = {name: [] for name in CONTRASTS}
    for own in simulated(kind, studies, "few people, measured"):
        means = two_way_means(own.answers, cell_weights(own.cell, len(CELLS)), own.units)
        for name, contrast in CONTRASTS.items():
            wide, narrow = (limits(own, means, contrast, level) for level in (LEVEL, NARROW))
            parts.setdefault(name, []).append(wide)
            parts.setdefault(f"{name}, by person", []).append(by_person(own, contrast))
            said[name] += verdicts(wide, narrow)
    rows = {}
    for name, found in parts.items():
        contrast = CONTRASTS[name.removesuffix(", by person")]
        rows[name] = row_of(np.concatenate(found, axis=1), float(contrast @ kind.truths))
    for name, own in said.items():
        rows[name] |= {one: own.count(one) / len(own) for one in ("better", "worse", "like")}
    return rows


def row_of(found: Array, truth: float) -> Row:
    """Return coverage, relative width and share of unknown limits of (3, studies) intervals."""
    estimate, low, high = found
    known = np.isfinite(low)
    spread = 2 * float(norm.ppf((1 + LEVEL) / 2)) * float(np.std(estimate, ddof=1))
    inside = ~known | ((low <= truth) & (truth <= high))
    return {
        "coverage": float(inside.mean()),
        "width": float((high - low)[known].mean()) / spread if known.any() else float("nan"),
        "unknown": float(1 - known.mean()),
    }


def grid(effort: Effort) -> Measured:
    """All sizes in all worlds, without an effect; and S ahead of E by the margin."""
    studies = 40 if effort.quick else STUDIES
    sizes = list(product(PEOPLE, ITEMS))
    sizes = sizes[6:8] if effort.quick else sizes
    found: dict[str, dict[str, dict[str, Row]]] = {}
    for people, items in sizes:
        effort.say(f"{people} people, {items} items")
        size = {"people": people, "items": items, "crossed": items < ROTATED}
        kinds = {name: replace(kind, **size) for name, kind in WORLDS.items()}
        kinds["at the margin"] = replace(kinds["unlike"], ahead=-MARGIN, effect=MARGIN)
        found[f"{people} × {items}"] = {
            name: measured(kind, studies) for name, kind in kinds.items()
        }
    lines = [
        [size, *(_cells(own[name]) for name in WORLDS), f"{alone(min(pair)):.2f}"]
        for (size, own), pair in zip(found.items(), sizes, strict=True)
    ]
    wrong = [[size, *_wrong(own)] for size, own in found.items()]
    text = (
        f"{studies:,} studies of each kind, without an effect. Each cell has the coverage of 95 % "
        "limits of usefulness of S's explanations and of p_S − p_E, and after the stroke the width "
        "of the first by the width that the spread of the estimates requires. Leads differ not at "
        "all, as usual (SD .6 log odds, .4 in usefulness), much (1.5 and .8) or very much (3 and "
        "1.5). The last column has the width of the exact interval, Student’s t, where only people "
        "or only items vary, whichever are fewer. With two people how people differ often can't be "
        "known; then there are no limits, which "
        f"counts as covered. With fewer than {ROTATED} items everyone answers each item in all "
        "four cells; from there on items rotate over four lists.\n\n"
        + table(["people × items", *WORLDS, "t alone"], lines)
        + "\n\nFalse verdicts: share of studies that call S better or worse than E where both are "
        "accepted alike (largest over the worlds); that call S better where S is ahead by exactly "
        "the margin of 10 points, and leads are unlike, or like E there. Beside it, the coverage "
        "of a t test of people's own differences, which takes items as fixed (least over the "
        "worlds).\n\n"
        + table(
            ["people × items", "better or worse", "better, at the margin", "like, at the margin",
             "t by person covers"], wrong,
        )
    )  # fmt: skip
    return Measured(text, {"studies": studies, "sizes": found})


def alone(levels: int) -> float:
    """Return the mean width of Student's t interval of so many values, by that with a known SD."""
    df = levels - 1
    mean_sd = np.sqrt(2 / df) * np.exp(gammaln(levels / 2) - gammaln(df / 2))
    return float(student.ppf((1 + LEVEL) / 2, df) * mean_sd / norm.ppf((1 + LEVEL) / 2))


def _cells(own: Mapping[str, Row]) -> str:
    both = " ".join(f"{own[name]['coverage']:.3f}" for name in CONTRASTS)
    return f"{both} / {own['usefulness of S']['width']:.2f}"


def _wrong(own: Mapping[str, Mapping[str, Row]]) -> list[str]:
    plain = [own[name]["p_S − p_E"] for name in WORLDS]
    at = own["at the margin"]["p_S − p_E"]
    least = min(
        own[world][f"{name}, by person"]["coverage"] for world in WORLDS for name in CONTRASTS
    )
    return [
        percent(max(row["better"] + row["worse"] for row in plain)),
        percent(at["better"] + at["worse"]), percent(at["like"]), f"{least:.3f}",
    ]  # fmt: skip


def percent(share: float) -> str:
    """Return a share with one decimal."""
    return f"{100 * share:.1f} %"


@dataclass(frozen=True, slots=True)
class Arms:
    """Studies whose people are between two arms: Change of each answer, -1 to 1."""

    change: Array
    cell: Array
    units: Units


def between(
    sizes: Sequence[int], sds: Sequence[float], items: int, studies: int, key: str
) -> Iterator[Arms]:
    """Yield studies without an effect, in which the arms' people vary by so much (log odds)."""
    rng = np.random.Generator(np.random.PCG64(seed_of("unequal arms", key)))
    arm = np.repeat(np.arange(len(sizes)), sizes)
    units = Units(np.repeat(np.arange(len(arm)), items), np.tile(np.arange(items), len(arm)))
    spread = np.stack([np.full(len(arm), 0.5), np.array(sds)[arm]], axis=1)
    for _ in range(0, studies, 100):
        own = rng.standard_normal((len(arm), 2, 100)) * spread[:, :, None]
        of_item = rng.standard_normal((items, 2, 100)) * np.array([1.0, 0.4])[:, None]
        level, change = (own[units.participant, k] + of_item[units.item, k] for k in range(2))
        before, after = (rng.random(level.shape) < expit(level + s * change) for s in (-0.5, 0.5))
        yield Arms(after.astype(float) - before, arm[units.participant], units)


def alarms(name: str, items: int, studies: int) -> dict[str, float]:
    """Return the share of studies in which each way finds a difference that isn't there."""
    sizes, sds = ARMS[name]
    p: dict[str, list[Array]] = {way: [] for way in WAYS}
    for own in between(sizes, sds, items, studies, name):
        means = two_way_means(own.change, cell_weights(own.cell, 2), own.units)
        contrast = np.array([-1.0, 1.0])
        spread, estimate = means.spread(contrast), contrast @ means.means
        p["report"].append(2 * student.sf(np.abs(estimate) / spread.se, spread.df))
        person = own.change.reshape(sum(sizes), items, -1).mean(axis=1)
        for way, equal in zip(WAYS[1:], (False, True), strict=True):
            test = ttest_ind(person[: sizes[0]], person[sizes[0] :], equal_var=equal)
            p[way].append(test.pvalue)
    return {way: float(np.mean(np.concatenate(own) < 0.05)) for way, own in p.items()}


def unequal(effort: Effort) -> Measured:
    """Arms of unequal size whose people vary unlike."""
    studies, items = (100, 12) if effort.quick else (4000, 24)
    figures = {}
    for name in ARMS:
        effort.say(name)
        figures[name] = alarms(name, items, studies)
    rows = [[name, *map(percent, own.values())] for name, own in figures.items()]
    text = (
        f"False alarms of a difference of two arms in {studies:,} studies of {items} items each: "
        "people are between the arms, items are the same in both. The report's variance and "
        "degrees of freedom are by arm, as Welch's. t tests by person take items as fixed, which "
        "they may here, since the arms share them; they are the yardstick.\n\n"
        + table(["people", *WAYS], rows)
    )
    return Measured(text, {"studies": studies, "arms": figures})


PARTS: tuple[Part, ...] = (
    Part("few_people", "Few people and few items", grid),
    Part("unequal_arms", "Unequal arms whose people vary unlike", unequal),
)
