"""Whole studies of response models: does the analysis find what was put in?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import beta
from threadpoolctl import threadpool_limits

from analysis.statistics.bootstrap import Resampling
from analysis.studies.accept_reject.controls import Controls
from analysis.studies.accept_reject.harm import harm_results
from analysis.studies.accept_reject.people import each_lead, excluded
from analysis.studies.accept_reject.rates import comparison, measure, usefulness_rows
from analysis.studies.accept_reject.trials import judge_trials
from participants.lists import fitting
from participants.registry import Assignment
from participants.studies.accept_reject.plan import ORDERS, plan_session
from participants.studies.accept_reject.robots.participant import RobotParticipant
from participants.studies.accept_reject.robots.titration import sketch_for_robots
from participants.study import session_kind_of
from stimuli.io.canonical import seed_of
from stimuli.pack import Pack
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.tables import KEY
from stimuli.workers import Workers, ordered_map
from tests.bench.book import Effort, Measured, Part, table

SEED = 40
LEADS, TRIALS_PER_RUN = 12, 60
STUDIES = 8
QUICK_STUDIES, QUICK_TRIALS = 1, 20
REPLICATES = 1000
MIX = ("lead",) * 8 + ("dichromat",) * 2 + ("contour_reader", "lazy", "random")

WORLDS: Mapping[str, tuple[str, ...]] = {
    "useful": ("lead",) * LEADS,
    "useful, careful leads": ("careful",) * LEADS,
    "useless": ("unaffected",) * LEADS,
    "harmful": ("credulous",) * LEADS,
    "mixed": MIX,
}


@dataclass(frozen=True, slots=True)
class Study:
    """One simulated study: the kinds of its leads, its number, and the trials in a run."""

    kinds: tuple[str, ...]
    number: int
    trials_per_run: int = TRIALS_PER_RUN


@lru_cache(maxsize=2)
def pack_of(trials_per_run: int) -> Pack:
    """Return the sketch that all studies are about; made once a worker."""
    changes = {
        "plates": {"source": "uci", "axes": ["deutan"]},
        "solutions": {"trials_per_run": trials_per_run, "practice_trials": 0},
    }
    return sketch_for_robots(load_protocol("accept_reject", changes=changes))


def trials_of(study: Study) -> pd.DataFrame:
    """Return the trial table of one study: lists and orders in turn, no window, no journal."""
    pack = pack_of(study.trials_per_run)
    kind_of_session = session_kind_of(pack)
    axis, rung = kind_of_session.robots.place(pack)
    lists = [offer.list for offer in fitting(kind_of_session.offers(pack), axis, rung)]
    key = {str(row["presentation"]): row for row in pack.table(KEY)}
    rows = []
    for number, kind in enumerate(study.kinds):
        code = f"{kind}-{study.number}-{number}"
        robot = RobotParticipant.of(kind, pack, code, seed_of("worlds", SEED, study.number))
        order = ORDERS[(number // len(lists)) % 2]
        plan = plan_session(pack, Assignment(lists[number % len(lists)], order), "en", code)
        for trial in plan.trials:
            response, what = robot.answer(trial), key[trial.presentation]
            rows.append(
                {
                    "participant": code, "robot": kind, "order": order, "run": trial.run,
                    "shown_label": trial.stimulus.shown_label,
                    **{name: what[name] for name in (
                        "item", "solver", "explained", "method", "true_label", "control_kind")},
                    "decision": response.decision, "rt_s": response.rt_s,
                }
            )  # fmt: skip
    frame = pd.DataFrame(rows).assign(cutoff_s=3.0, cutoff_mode="internal", purpose="robot")
    return frame.assign(rt_s=frame["rt_s"].astype(float), rung=rung)


def analysed(study: Study) -> dict[str, Any]:
    """Return what the analysis says of one study."""
    with threadpool_limits(1):
        protocol = pack_of(study.trials_per_run).protocol
        judged = judge_trials(trials_of(study), protocol)
        plan = Resampling(REPLICATES, study.number)
        rates, controls = measure(judged, plan), Controls(judged, plan)
        leads, _ = each_lead(judged, protocol.analysis)
        gone = {row["participant"]: row["reason"] for row in excluded(leads)}
        harm = harm_results(judged, controls, protocol.analysis.margin)
        return {
            "usefulness": usefulness_rows(rates, 3.0),
            "comparison": comparison(rates, 3.0, protocol.analysis.margin),
            "sensitivity": harm["sensitivity"],
            "wrong_digits": harm["wrong_digits"],
            "leads": [
                {"robot": lead.robot, "outcome": lead.outcome, "flagged": lead.flagged,
                 "excluded": lead.participant in gone}
                for lead in leads
            ],
        }  # fmt: skip


def simulated(
    worlds: Sequence[tuple[str, ...]], studies: int, trials_per_run: int, workers: Workers
) -> list[list[dict[str, Any]]]:
    """Return what was found in so many studies of each world, by one set of workers."""
    tasks = (
        (f"{world}-{number}", Study(kinds, number, trials_per_run))
        for world, kinds in enumerate(worlds)
        for number in range(studies)
    )
    found = [one for _, one in ordered_map(analysed, tasks, workers)]
    return [found[place : place + studies] for place in range(0, len(found), studies)]


def size(effort: Effort) -> tuple[int, int]:
    """Return how many studies of a world, and how many trials in a run."""
    return (QUICK_STUDIES, QUICK_TRIALS) if effort.quick else (STUDIES, TRIALS_PER_RUN)


def gain(found: Mapping[str, Any], solver: str, net: bool = False) -> Mapping[str, float]:
    """Return one row of a study's usefulness."""
    return next(row for row in found["usefulness"] if row["solver"] == solver and row["net"] == net)


def shows_use(found: Mapping[str, Any]) -> bool:
    """Whether both intervals of usefulness lie above zero, and no harm is said."""
    above = all(gain(found, solver)["ci_low"] > 0 for solver in ("S", "E"))
    return above and not shows_harm(found)


def shows_nothing(found: Mapping[str, Any]) -> bool:
    """Whether both intervals hold zero, and no harm is said."""
    held = all(gain(found, s)["ci_low"] <= 0 <= gain(found, s)["ci_high"] for s in ("S", "E"))
    return held and not shows_harm(found)


def shows_harm(found: Mapping[str, Any]) -> bool:
    """Whether harm is said."""
    return bool(found["sensitivity"]["harm"] or found["wrong_digits"]["harm"])


VERDICTS: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], bool]]] = {
    "useful": ("both above zero, no harm", shows_use),
    "useful, careful leads": ("both above zero, no harm", shows_use),
    "useless": ("both intervals hold zero, no harm", shows_nothing),
    "harmful": ("harm", shows_harm),
}


def worlds(effort: Effort) -> Measured:
    """Share of studies with the right verdict, and coverage, world by world."""
    studies, trials = size(effort)
    figures: dict[str, Any] = {
        "studies": studies,
        "leads": LEADS,
        "seed": SEED,
        "trials_per_run": trials,
    }
    lines = []
    all_found = simulated([WORLDS[world] for world in VERDICTS], studies, trials, Workers())
    for (world, (words, right)), found in zip(VERDICTS.items(), all_found, strict=True):
        figures[world] = row = _world_row(found, right)
        lines.append(
            [
                world, words, _share(row["right"], studies),
                f"{_points(row['S'])} / {_points(row['E'])}", _points(row["S_net"]),
                f"{row['covered']} of {2 * studies}",
                f"{row['d_prime_change']:+.2f}".replace("-", "−"),
                _points(row["wrong_digits_change"]),
            ]
        )  # fmt: skip
    text = (
        f"{studies} studies of each world, of {LEADS} leads and {trials} trials a run, on "
        f"one sketch (seed of the robots {SEED}). *Useful*: an explanation draws attention "
        f"to the numeral, and leads follow the guidelines; careful leads need more certainty "
        f"and take more time. *Useless*: leads who ignore explanations. *Harmful*: "
        f"explanations don't draw attention either, but leads take them as an argument and "
        f"need less evidence. Harm is said where d′ falls or wrong digits are accepted more often "
        "(`analysis/studies/accept_reject/harm.py`). Shares of right verdicts have 95 % "
        "Clopper–Pearson limits. The truth that an interval of raw usefulness covers is the "
        "mean over all studies of its world; plates are the same in all of them, so intervals "
        "that allow for other plates cover more often than 95 %.\n\n"
        + table(
            ["world", "right verdict", "studies with it", "usefulness S / E, points",
             "S, net", "intervals that cover", "change of d′", "wrong digits, points"],
            lines,
        )
    )  # fmt: skip
    return Measured(text, figures)


def _world_row(
    found: Sequence[Mapping[str, Any]], right: Callable[[Mapping[str, Any]], bool]
) -> dict[str, Any]:
    means = {s: float(np.mean([gain(one, s)["estimate"] for one in found])) for s in ("S", "E")}
    covered = sum(
        gain(one, s)["ci_low"] <= means[s] <= gain(one, s)["ci_high"]
        for one in found
        for s in means
    )
    return {
        "right": sum(right(one) for one in found),
        **means,
        "S_net": float(np.mean([gain(one, "S", net=True)["estimate"] for one in found])),
        "covered": int(covered),
        "d_prime_change": float(np.mean([one["sensitivity"]["difference"] for one in found])),
        "wrong_digits_change": float(np.mean([one["wrong_digits"]["difference"] for one in found])),
        "outcomes": _outcomes(found),
    }


def each_kind(effort: Effort) -> Measured:
    """What is said of each lead of a mixed study, by the kind that was put in."""
    studies, trials = size(effort)
    studies = max(1, studies // 2)
    (found,) = simulated([MIX], studies, trials, Workers())
    kinds = list(dict.fromkeys(MIX))
    figures: dict[str, Any] = {"studies": studies, "seed": SEED}
    lines = []
    for kind in kinds:
        own = [lead for one in found for lead in one["leads"] if lead["robot"] == kind]
        row = {
            "leads": len(own),
            "profits": sum(lead["outcome"] == "profits" for lead in own),
            "from_explanation": sum(lead["flagged"] for lead in own),
            "excluded": sum(lead["excluded"] for lead in own),
            "outcomes": _outcomes(found, kind),
        }
        figures[kind] = row
        lines.append(
            [kind, *(f"{row[name]} of {row['leads']}" for name in
                     ("profits", "from_explanation", "excluded"))]
        )  # fmt: skip
    text = (
        f"{studies} studies of {len(MIX)} leads each: "
        + ", ".join(f"{MIX.count(kind)} {kind}" for kind in kinds)
        + f", {trials} trials a run. A lead who follows the guidelines and sees a little "
        f"should profit; a dichromat who follows them should not. The report should say of a "
        f"contour reader that they accept from the explanation, and the second analysis "
        f"should leave them out. The rules should leave out lazy and random leads.\n\n"
        + table(["put in", "“profits”", "“accepts from the explanation”", "left out by rule"],
                lines)
    )  # fmt: skip
    return Measured(text, figures)


def _outcomes(found: Sequence[Mapping[str, Any]], kind: str | None = None) -> dict[str, int]:
    said = [
        lead["outcome"] for one in found for lead in one["leads"]
        if kind is None or lead["robot"] == kind
    ]  # fmt: skip
    return {name: said.count(name) for name in sorted(set(said))}


def _points(value: float) -> str:
    return f"{100 * value:+.0f}".replace("-", "−")


def _share(hits: int, n: int) -> str:
    low = beta.ppf(0.025, hits, n - hits + 1) if hits else 0.0
    high = beta.ppf(0.975, hits + 1, n - hits) if hits < n else 1.0
    return f"{hits} of {n} [{100 * low:.0f}, {100 * high:.0f}] %"


PARTS = (
    Part("worlds", "Useful, useless and harmful explanations", worlds),
    Part("each_kind", "Each kind of lead", each_kind),
)
