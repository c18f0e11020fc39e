"""Coverage and false verdicts with few people, few items, unlike people and unequal arms."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import norm, ttest_1samp, ttest_ind
from scipy.stats import t as student

from analysis.statistics.bootstrap import Units
from analysis.statistics.means import share_ends
from analysis.statistics.proportions import LEVEL, Count, Interval, judge
from analysis.statistics.two_way import TwoWayMeans, cell_weights, two_way_means
from analysis.studies.accept_reject.power import MixedWorld
from stimuli.io.canonical import seed_of
from tests.bench.book import Effort, Measured, Part, table
from tests.bench.parts.interval_worlds import CELLS, Kind, Studies, simulated
from tests.bench.parts.lmer import fitted

Array = np.ndarray

PEOPLE, ITEMS = (2, 3, 4, 5, 6, 8, 12, 24), (2, 4, 8, 24, 72)
ROTATED = 8
"""Items from which on they rotate over four lists."""
BESIDE, BESIDE_STUDIES = ((3, 24), (6, 24), (24, 4), (24, 24)), 200
"""Sizes at which lmer is fitted beside, and to how many studies."""
SLOPES, ARMS_MODEL = (
    "y ~ x + (1 + x || participant) + (1 + x || item)",
    "y ~ x + (1 | participant) + (1 + x || item)",
)
STUDIES, MARGIN, NARROW = 1000, 0.10, 0.90
CONTRASTS: Mapping[str, Array] = {
    "usefulness of S": np.array([-1.0, 1.0, 0.0, 0.0]),
    "p_S − p_E": np.array([0.0, 1.0, 0.0, -1.0]),
}
_PLAIN = MixedWorld()
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

WAYS = ("report", "Welch’s t by person", "pooled t by person", "lmer")

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
        rows[name] = _row(np.concatenate(found, axis=1), float(contrast @ kind.truths))
    for name, own in said.items():
        rows[name] |= {one: own.count(one) / len(own) for one in ("better", "worse", "like")}
    return rows


def beside(kind: Kind, studies: int) -> list[float]:
    """Return coverage of usefulness of S by the report, by person and by lmer, and their widths."""
    contrast, frames, found = CONTRASTS["usefulness of S"], [], []
    for own in simulated(kind, studies, "few people, beside"):
        means = two_way_means(own.answers, cell_weights(own.cell, len(CELLS)), own.units)
        found.append([limits(own, means, contrast, LEVEL), by_person(own, contrast)])
        of_s = own.cell < 2
        rows = {"participant": own.units.participant[of_s], "item": own.units.item[of_s]}
        frames += [
            pd.DataFrame({"y": answers, "x": own.cell[of_s] - 0.5, **rows})
            for answers in own.answers[of_s].T
        ]
    ways = [np.concatenate(parts, axis=1) for parts in zip(*found, strict=True)]
    fits = fitted(frames, SLOPES)
    if fits is not None:
        reach = student.ppf((1 + LEVEL) / 2, fits["df"]) * fits["se"]
        ways.append(np.stack([fits["estimate"], *(fits["estimate"] + s * reach for s in (-1, 1))]))
    rows = [_row(way, 0.0) for way in ways]
    return [row[name] for row in rows for name in ("coverage", "width")]


def _row(found: Array, truth: float) -> Row:
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
    lines = [[size, *(_cells(own[name]) for name in WORLDS)] for size, own in found.items()]
    wrong = [[size, *_wrong(own)] for size, own in found.items()]
    text = (
        f"{studies:,} studies of each kind, without an effect. Each cell has the coverage of 95 % "
        "limits of usefulness of S's explanations and of p_S − p_E, and after the stroke the width "
        "of the first by the width that the spread of the estimates requires. Leads differ not at "
        "all, as usual (SD .6 log odds, .4 in usefulness), much (1.5 and .8) or very much (3 and "
        "1.5). With 8 people Student’s t alone makes an exact interval 1.16 times as wide. With "
        "two people how people differ often can't be known; then there are no limits, which "
        f"counts as covered. With fewer than {ROTATED} items everyone answers each item in all "
        "four cells; from there on items rotate over four lists.\n\n"
        + table(["people × items", *WORLDS], lines)
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
    said, others = _others(effort)
    return Measured(text + said, {"studies": studies, "sizes": found, "beside": others})


def _others(effort: Effort) -> tuple[str, dict[str, list[float]]]:
    """Return what other analyses give of the same data, in words and in numbers."""
    studies, sizes = (20, BESIDE[:1]) if effort.quick else (BESIDE_STUDIES, BESIDE)
    found = {}
    for people, items in sizes:
        effort.say(f"{people} people, {items} items, other analyses beside")
        kind = replace(WORLDS["unlike"], people=people, items=items, crossed=items < ROTATED)
        found[f"{people} × {items}"] = beside(kind, studies)
    ways = ("report", "t by person", "lmer")
    lines = [
        [size, *(f"{own[at]:.3f} / {own[at + 1]:.2f}" for at in range(0, len(own), 2))]
        for size, own in found.items()
    ]
    lines = [line + ["not measured"] * (len(ways) + 1 - len(line)) for line in lines]
    text = (
        f"\n\nOther analyses of the same data: coverage and width for usefulness of S, {studies} "
        "studies a row, leads unlike. The t test by person takes items as fixed. lmer is R's "
        f"lmerTest with Satterthwaite's degrees of freedom, `{SLOPES}`, answers as 0 and 1.\n\n"
    )
    return text + table(["people × items", *ways], lines), found


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
        _percent(max(row["better"] + row["worse"] for row in plain)),
        _percent(at["better"] + at["worse"]), _percent(at["like"]), f"{least:.3f}",
    ]  # fmt: skip


def _percent(share: float) -> str:
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


def unequal(effort: Effort) -> Measured:
    """Arms of unequal size whose people vary unlike."""
    studies, items, fits = (100, 12, 10) if effort.quick else (4000, 24, BESIDE_STUDIES)
    rows, figures = [], {}
    for name, (sizes, sds) in ARMS.items():
        effort.say(name)
        p: list[Array] = []
        frames: list[pd.DataFrame] = []
        others: dict[str, list[Array]] = {way: [] for way in WAYS[1:3]}
        for own in between(sizes, sds, items, studies, name):
            means = two_way_means(own.change, cell_weights(own.cell, 2), own.units)
            contrast = np.array([-1.0, 1.0])
            spread, estimate = means.spread(contrast), contrast @ means.means
            p.append(2 * student.sf(np.abs(estimate) / spread.se, spread.df))
            person = own.change.reshape(sum(sizes), items, -1).mean(axis=1)
            if len(frames) < fits:
                names = {"participant": own.units.participant, "item": own.units.item}
                frames += [
                    pd.DataFrame({"y": change, "x": own.cell, **names})
                    for change in own.change[:, :fits].T
                ]
            for other, equal in zip(others, (False, True), strict=True):
                test = ttest_ind(person[: sizes[0]], person[sizes[0] :], equal_var=equal)
                others[other].append(test.pvalue)
        alarms = {"report": float(np.mean(np.concatenate(p) < 0.05))}
        alarms |= {k: float(np.mean(np.concatenate(v) < 0.05)) for k, v in others.items()}
        by_lmer = fitted(frames[:fits], ARMS_MODEL)
        figures[name] = alarms
        if by_lmer is not None:
            figures[name]["lmer"] = float((by_lmer["p"] < 0.05).mean())
        rows.append([name, *(_percent(alarms[way]) if way in alarms else "–" for way in WAYS)])
    text = (
        f"False alarms of a difference of two arms in {studies:,} studies of {items} items each: "
        "people are between the arms, items are the same in both. The report's variance and "
        "degrees of freedom are by arm, as Welch's. t tests by person take items as fixed, which "
        "they may here, since the arms share them; they are the yardstick. lmer is R's lmerTest "
        f"with Satterthwaite's degrees of freedom, `{ARMS_MODEL}`, on the first {fits} studies: "
        "its variance between people is the same in both arms.\n\n" + table(["people", *WAYS], rows)
    )
    return Measured(text, {"studies": studies, "arms": figures})


PARTS: tuple[Part, ...] = (
    Part("few_people", "Few people and few items", grid),
    Part("unequal_arms", "Unequal arms whose people vary unlike", unequal),
)
