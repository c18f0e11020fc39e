"""Truth checks: what was put into simulated studies comes out again, at the stated rates."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom
from threadpoolctl import threadpool_limits

from analysis.power.question import carry_out
from analysis.power.simulation import Cell, Run
from analysis.statistics.bootstrap import Resampling, Units, bootstrap_sums
from analysis.statistics.comparison import paired_t
from analysis.studies.accept_reject.model import fit_main_model, main_model
from analysis.studies.accept_reject.power import PlateWorld, Usefulness
from analysis.studies.accept_reject.simulated import (
    run_study,
    simulated_trials,
)
from analysis.studies.accept_reject.simulated_worlds import coefficients, draw_answers
from analysis.studies.accept_reject.trials import judge_trials
from bench.book import Effort, Measured, Part, table
from stimuli.protocol import load_protocol
from stimuli.workers import Workers, ordered_map

TERMS = ("explained", "solver", "explained:solver")
CONTRASTS = ("S", "E", "S-E")
NUMBERS = ("estimate", "ci_low", "ci_high", "p")
ALPHA, SURE = 0.05, 0.999
BOOTSTRAPS = 1000
MAIN = Cell(24, 48, Usefulness(0.15, 0.05))
NULL = Cell(24, 48, Usefulness(0.0, 0.0))
SMALL = (Cell(8, 24, Usefulness(0.0, 0.0)), NULL)
FEW_ITEMS = Cell(40, 16, Usefulness(0.0, 0.0))
SLOPE_SDS = (0.0, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class Check:
    """One simulated study to check: its truth, and whether everyone gets the same list."""

    run: Run
    one_list: bool = False
    model: bool = True


def check(task: Check) -> dict[str, Any]:
    """Return what each analysis of one simulated study found."""
    with threadpool_limits(1):
        trials = simulated_trials(task.run)
        if task.one_list:
            trials = _one_list(task.run)
        judged = judge_trials(trials, task.run.protocol)
        frame = judged.frame
        found: dict[str, Any] = {"t": _by_participant(frame), "bootstrap": _bootstrap(frame, task)}
        if task.model:
            model = main_model(judged, fit_main_model(judged))
            fit = model.fit
            found["fitted"] = fit.fitted and fit.converged
            found["fixed"] = {row.term: asdict(row) for row in fit.fixed}
            found["usefulness"] = {
                solver: {name: getattr(part, name) for name in NUMBERS}
                for solver, part in model.usefulness.items()
            }
            found["random"] = len(fit.random)
    return found


def simulated(
    cell: Cell, world: PlateWorld, runs: int, one_list: bool = False, model: bool = True
) -> list[dict[str, Any]]:
    """Return what was found in so many studies of one kind."""
    rules = load_protocol("accept_reject")
    tasks = (
        (str(number), Check(Run(rules, world, 20, cell, number), one_list, model))
        for number in range(runs)
    )
    return [found for _, found in ordered_map(check, tasks, Workers())]


def _one_list(run: Run) -> pd.DataFrame:
    """Answers to a design without rotation: an item is explained for everyone or for no one."""
    cell, world = run.cell, run.world
    rng = np.random.Generator(np.random.PCG64(run.seed))
    person = np.repeat(np.arange(cell.participants), cell.items)
    item = np.tile(np.arange(cell.items), cell.participants)
    trials = pd.DataFrame(
        {
            "participant": person,
            "item": item,
            "solver": np.where(item % 2 == 0, "S", "E"),
            "explained": item % 4 >= 2,
            "order": np.where(person % 2 == 0, "with_first", "without_first"),
        }
    )
    accepted = draw_answers(world, trials, cell.effect.system, cell.effect.expert, rng)
    named = {name: trials[name].astype(str) for name in ("participant", "item")}
    return trials.assign(
        **named, decision=np.where(accepted, "accept", "reject"), rt_s=1.0, run=1,
        cutoff_s=3.0, cutoff_mode="internal",
    )  # fmt: skip


def _by_participant(frame: pd.DataFrame) -> dict[str, float]:
    """The usual shortcut: each person's share with less without, then a paired t test."""
    rates = frame.groupby(["participant", "explained"])["accepted"].mean().unstack()
    found = paired_t(rates[True].to_numpy(float), rates[False].to_numpy(float))
    return {"p": found.p, "estimate": found.difference.estimate}


def _bootstrap(frame: pd.DataFrame, task: Check) -> dict[str, float]:
    accepted = frame["accepted"].to_numpy(float)
    with_ = frame["explained"].to_numpy(float)
    columns = np.column_stack([accepted * with_, with_, accepted * (1 - with_), 1 - with_])
    units = Units.of(frame["participant"], frame["item"])

    def difference(sums: np.ndarray) -> np.ndarray:
        return sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3]

    plan = Resampling(BOOTSTRAPS, task.run.number)
    found = bootstrap_sums(columns, difference, units, plan, jackknife=True)
    row: dict[str, float] = {"estimate": float(found.estimate[0]), "p": found.p()}
    for kind in ("percentile", "basic", "bca"):
        limits = found.interval(kind=kind)
        row |= {f"{kind}_low": limits.ci_low, f"{kind}_high": limits.ci_high}
    return row


def _share(hits: Sequence[bool], nominal: float) -> dict[str, float]:
    """A share with the range in which it lies in 99.9 % of benches if it is as stated."""
    low, high = binom.interval(SURE, len(hits), nominal) if len(hits) else (0, 0)
    return {
        "share": float(np.mean(hits)) if len(hits) else float("nan"),
        "runs": len(hits),
        "low": low / max(len(hits), 1),
        "high": high / max(len(hits), 1),
    }


def _inside(part: Mapping[str, float]) -> bool:
    return bool(part["low"] <= part["share"] <= part["high"])


def _said(part: Mapping[str, float]) -> str:
    mark = "" if _inside(part) else " **outside**"
    return f"{100 * part['share']:.1f} % ({100 * part['low']:.1f}–{100 * part['high']:.1f}){mark}"


def _estimates(rows: Sequence[Mapping[str, Any]], truth: float) -> dict[str, Any]:
    """Bias with its Monte-Carlo error, and coverage, of estimates with limits."""
    values = np.array([row["estimate"] for row in rows])
    error = float(values.std(ddof=1) / np.sqrt(len(values)))
    covered = [row["ci_low"] <= truth <= row["ci_high"] for row in rows]
    return {
        "truth": truth,
        "mean": float(values.mean()),
        "bias": float(values.mean() - truth),
        "mc_error": error,
        "sd": float(values.std(ddof=1)),
        "coverage": _share(covered, 0.95),
    }


def recovery(effort: Effort) -> Measured:
    """Bias and coverage of the main model where there is an effect."""
    runs = 8 if effort.quick else 500
    world = PlateWorld()
    found = [one for one in simulated(MAIN, world, runs) if one["fitted"]]
    true = dict(
        zip(
            ("(Intercept)", *TERMS),
            coefficients(world, MAIN.effect.system, MAIN.effect.expert),
            strict=True,
        )
    )
    wanted = {"S": MAIN.effect.system, "E": MAIN.effect.expert, "S-E": MAIN.effect.difference}
    rows = {t: _estimates([o["fixed"][t] for o in found], true[t]) for t in true}
    rows |= {
        f"usefulness {c}": _estimates([o["usefulness"][c] for o in found], wanted[c])
        for c in CONTRASTS
    }
    lines = [
        [
            name, f"{row['truth']:.3f}", f"{row['mean']:.3f}",
            f"{row['bias']:+.3f} ± {1.96 * row['mc_error']:.3f}", _said(row["coverage"]),
        ]
        for name, row in rows.items()
    ]  # fmt: skip
    text = (
        f"{runs} studies of {MAIN.participants} participants and {MAIN.items} items each were "
        f"drawn from the model itself (standard deviations between participants "
        f"{world.sd_participant}, between items {world.sd_item}) and analysed as `analyse` does; "
        f"{runs - len(found)} fits failed. Fixed effects are log odds, usefulness is on the "
        f"probability scale. Bias is given ± 1.96 Monte-Carlo errors, coverage of 95 % intervals "
        f"beside the range that holds 99.9 % of benches with right coverage.\n\n"
        + table(["", "truth", "mean estimate", "bias", "coverage"], lines)
    )
    return Measured(text, {"runs": runs, "failed": runs - len(found), "rows": rows})


def false_alarms(effort: Effort) -> Measured:
    """Type-I error of the main model and of the bootstrap, also in small samples."""
    runs = 8 if effort.quick else 500
    figures: dict[str, Any] = {}
    lines = []
    for cell in SMALL:
        found = simulated(cell, PlateWorld(), runs)
        fitted = [one for one in found if one["fitted"]]
        name = f"{cell.participants} × {cell.items}"
        row = {
            term: _share([one["fixed"][term]["p"] < ALPHA for one in fitted], ALPHA)
            for term in ("explained", "explained:solver")
        }
        row["t"] = _share([one["t"]["p"] < ALPHA for one in found], ALPHA)
        row["bootstrap"] = _share([one["bootstrap"]["p"] < ALPHA for one in found], ALPHA)
        for kind in ("percentile", "basic", "bca"):
            row[kind] = _share(
                [
                    o["bootstrap"][f"{kind}_low"] <= 0 <= o["bootstrap"][f"{kind}_high"]
                    for o in found
                ],
                0.95,
            )
        widths = [
            o["bootstrap"]["percentile_high"] - o["bootstrap"]["percentile_low"] for o in found
        ]
        spread = float(np.std([o["bootstrap"]["estimate"] for o in found], ddof=1))
        row["width_ratio"] = float(np.mean(widths) / (2 * 1.96 * spread))
        row["failed"] = len(found) - len(fitted)
        figures[name] = row
        lines.append(
            [
                name,
                _said(row["explained"]),
                _said(row["explained:solver"]),
                str(row["failed"]),
                f"{100 * row['percentile']['share']:.1f} %",
                f"{100 * row['bca']['share']:.1f} %",
                f"{row['width_ratio']:.2f}",
            ]
        )
    text = (
        f"{runs} studies without an effect for each size. The model's test is Student's t with "
        "Satterthwaite's degrees of freedom. The two-way bootstrap counts noise within a "
        "participant and item three times and is conservative by design: the last columns "
        "show the coverage of its intervals for the difference of acceptance rates, and how "
        "many times wider they are than the spread of the estimate requires.\n\n"
        + table(
            [
                "participants × items", "false alarms, explained", "explained × solver", "failed",
                "bootstrap covers (percentile)", "(BCa)", "width ratio",
            ],
            lines,
        )
    )  # fmt: skip
    return Measured(text, {"runs": runs, "sizes": figures})


def item_variance(effort: Effort) -> Measured:
    """The failure of by-participant tests where items vary."""
    runs, many = (8, 24) if effort.quick else (250, 500)
    cell = FEW_ITEMS
    figures: dict[str, Any] = {}
    lines = []
    for sd in SLOPE_SDS:
        world = replace(PlateWorld(), sd_item=(1.0, sd, 0.3, 0.3))
        fits = [one for one in simulated(cell, world, runs) if one["fitted"]]
        shortcut = simulated(cell, world, many, model=False)
        fixed_list = simulated(cell, world, many, one_list=True, model=False)
        row = {
            "model": _share([fit["fixed"]["explained"]["p"] < ALPHA for fit in fits], ALPHA),
            "t": _share([one["t"]["p"] < ALPHA for one in shortcut], ALPHA),
            "t_one_list": _share([one["t"]["p"] < ALPHA for one in fixed_list], ALPHA),
            "bootstrap": _share([one["bootstrap"]["p"] < ALPHA for one in shortcut], ALPHA),
        }
        figures[f"{sd:g}"] = row
        lines.append(
            [f"{sd:g}", *(_said(row[name]) for name in ("model", "bootstrap", "t", "t_one_list"))]
        )
    text = (
        f"{cell.participants} participants, {cell.items} items, no effect on average, but what an "
        "explanation does differs from item to item (first column: its standard deviation in log "
        "odds). A t test on each participant's shares treats these items as all items that "
        "exist. So it finds effects that other items would not show. This is worse if an "
        "item is explained for everyone or for no one: then the difficulty of items looks "
        "like an effect of the explanation. "
        f"The model: {runs} studies; the others: {many}.\n\n"
        + table(
            [
                "item SD", "mixed model", "two-way bootstrap", "t test by participant",
                "t test, one list for all",
            ],
            lines,
        )
    )  # fmt: skip
    return Measured(text, {"runs": runs, "shortcut_runs": many, "by_sd": figures})


def power_time(effort: Effort) -> Measured:
    """How long one simulated study takes."""
    sizes = [(6, 12)] if effort.quick else [(10, 30), (20, 60), (40, 60)]
    studies = 1 if effort.quick else 3
    rules = load_protocol("accept_reject")
    figures = {}
    for people, items in sizes:
        cell = Cell(people, items, Usefulness(0.1, 0.1))
        runs = [Run(rules, PlateWorld(), 1, cell, number) for number in range(studies)]
        times = [carry_out(run_study, run).run_s for run in runs]
        figures[f"{people} × {items}"] = float(np.median(times))
    text = (
        f"Seconds for one study, simulated and fitted, one process (median of {studies}).\n\n"
        + table(["participants × items", "s"], [[n, f"{s:.2f}"] for n, s in figures.items()])
    )
    return Measured(text, {"studies": studies, **figures})


PARTS: tuple[Part, ...] = (
    Part("recovery", "The model finds what was put in", recovery),
    Part("false_alarms", "False alarms, small samples, and the bootstrap", false_alarms),
    Part("item_variance", "Tests by participant fail where items vary", item_variance),
    Part("power_time", "What a power simulation costs", power_time),
)
