"""Whole studies of response models: does the analysis find what was put in?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import beta
from threadpoolctl import threadpool_limits

from analysis.questions.estimates import EstimateRow, row_of
from analysis.statistics.bootstrap import Resampling
from analysis.studies.accept_reject.controls import (
    RIGHT_BEYOND_WRONG,
    RISE,
    Controls,
    find_harm,
)
from analysis.studies.accept_reject.people import each_lead, excluded
from analysis.studies.accept_reject.quantities import GAIN, NET, RAW
from analysis.studies.accept_reject.rates import measure, usefulness_rows
from analysis.studies.accept_reject.trials import judge_trials
from bench.book import Effort, Measured, Part, table
from participants.lists import Assignment, fitting
from participants.studies.accept_reject.plan import ORDERS, plan_session
from participants.studies.accept_reject.robots.leads import RobotParticipant, sketch_for_robots
from participants.study import session_kind_of
from stimuli.io.canonical import seed_of
from stimuli.pack import Pack
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.protocol import Outline
from stimuli.studies.accept_reject.tables import KEY
from stimuli.workers import Workers, ordered_map

SEED = 40
LEADS = 12
TRIALS_PER_RUN = load_protocol("accept_reject").solutions.trials_per_run
STUDIES, STUDIES_OF_KINDS, STUDIES_OF_SIZES = 5, 6, 20
SIZES = (40, 80)
"""Trials in a run of smaller studies than the default's."""
QUICK_STUDIES, QUICK_TRIALS = 1, 20
REPLICATES = 1000
MIX = ("lead",) * 8 + ("dichromat",) * 2 + ("contour_reader", "lazy", "random")

OUTLINES: Mapping[Outline, str] = {"discs": "discs (default)", "free": "free"}
TOLD_OF_A_LEAD = {
    "profits": "“profits”",
    "from_explanation": "“accepts from the explanation”",
    "excluded": "left out by rule",
}
"""What a report says of a lead, by its name in a row of figures."""

WORLDS: Mapping[str, tuple[str, ...]] = {
    "useful": ("lead",) * LEADS,
    "useful, careful leads": ("careful",) * LEADS,
    "useless": ("unaffected",) * LEADS,
    "harmful": ("credulous",) * LEADS,
    "mixed": MIX,
}


@dataclass(frozen=True, slots=True)
class Study:
    """One simulated study: the kinds of its leads, its number, the trials in a run, the outline."""

    kinds: tuple[str, ...]
    number: int
    trials_per_run: int = TRIALS_PER_RUN
    outline: Outline = "discs"


@lru_cache(maxsize=2)
def pack_of(trials_per_run: int, outline: Outline) -> Pack:
    """Return the sketch that all studies are about; made once a worker."""
    changes = {
        "plates": {"source": "uci", "axes": ["deutan"]},
        "solutions": {"trials_per_run": trials_per_run, "practice_trials": 0},
        "explanation": {"outline": outline},
    }
    return sketch_for_robots(load_protocol("accept_reject", changes=changes))


def trials_of(study: Study) -> pd.DataFrame:
    """Return the trial table of one study: lists and orders in turn, no window, no journal."""
    pack = pack_of(study.trials_per_run, study.outline)
    kind_of_session = session_kind_of(pack)
    axis, rung = kind_of_session.load_robots().place(pack)
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
        protocol = pack_of(study.trials_per_run, study.outline).protocol
        judged = judge_trials(trials_of(study), protocol)
        plan = Resampling(REPLICATES, study.number)
        rates, controls = measure(judged, plan), Controls(judged, plan)
        leads, _ = each_lead(judged, protocol.analysis)
        gone = {row.participant for row in excluded(leads)}
        harm = find_harm(judged, controls, protocol.analysis.margin)
        return {
            "usefulness": usefulness_rows(rates),
            "harm": harm,
            "leads": [
                {"robot": lead.robot, "outcome": lead.outcome, "flagged": lead.flagged,
                 "excluded": lead.participant in gone}
                for lead in leads
            ],
        }  # fmt: skip


def simulated(
    worlds: Sequence[tuple[str, ...]],
    studies: int,
    trials_per_run: int,
    workers: Workers,
    outline: Outline = "discs",
) -> list[list[dict[str, Any]]]:
    """Return what was found in so many studies of each world, by one set of workers."""
    tasks = (
        (f"{world}-{number}", Study(kinds, number, trials_per_run, outline))
        for world, kinds in enumerate(worlds)
        for number in range(studies)
    )
    found = [one for _, one in ordered_map(analysed, tasks, workers)]
    return [found[place : place + studies] for place in range(0, len(found), studies)]


def size(effort: Effort) -> tuple[int, int]:
    """Return how many studies of a world, and how many trials in a run."""
    return (QUICK_STUDIES, QUICK_TRIALS) if effort.quick else (STUDIES, TRIALS_PER_RUN)


def gain(found: Mapping[str, Any], solver: str, part: str = RAW) -> EstimateRow:
    """Return one row of a study's usefulness."""
    return row_of(found["usefulness"], GAIN, solver=solver, part=part)


def above_zero(found: Mapping[str, Any]) -> bool:
    """Whether both intervals of usefulness lie above zero."""
    return all(gain(found, solver).ci_low > 0 for solver in ("S", "E"))


def shows_use(found: Mapping[str, Any]) -> bool:
    """Whether both intervals of usefulness lie above zero, and it isn't said that they do harm."""
    return above_zero(found) and not does_harm(found)


def shows_nothing(found: Mapping[str, Any]) -> bool:
    """Whether both intervals hold zero, and no harm is said."""
    held = all(gain(found, s).ci_low <= 0 <= gain(found, s).ci_high for s in ("S", "E"))
    return held and not shows_harm(found)


def does_harm(found: Mapping[str, Any]) -> bool:
    """Whether it is said that explanations do harm, rather than that they may."""
    return shows_harm(found) and not found["harm"].undecided


def shows_harm(found: Mapping[str, Any]) -> bool:
    """Whether harm is said, or that there may be harm."""
    return bool(found["harm"].less_sensitive or found["harm"].more_wrong)


VERDICTS: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], bool]]] = {
    "useful": ("both above zero, not “do harm”", shows_use),
    "useful, careful leads": ("both above zero, not “do harm”", shows_use),
    "useless": ("both intervals hold zero, no harm", shows_nothing),
    "harmful": ("“do harm” or “may do harm”", shows_harm),
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
    found = simulated([WORLDS[world] for world in VERDICTS], studies, trials, Workers())
    for (world, (_, right)), own in zip(VERDICTS.items(), found, strict=True):
        figures[world] = _world_row(own, right)
    return Measured(worlds_text(figures), figures)


def worlds_text(figures: Mapping[str, Any]) -> str:
    """Return the section on worlds."""
    studies = figures["studies"]
    rows = [(world, words, figures[world]) for world, (words, _) in VERDICTS.items()]
    lines = [
        [
            world, words, _share(row["right"], studies),
            f"{_points(row['S'])} / {_points(row['E'])}", _points(row["S_net"]),
            f"{row['covered']} of {2 * studies}",
            f"{row['d_prime_change']:+.2f}".replace("-", "−"),
            _points(row["wrong_digits_change"]),
            f"{row['harm_by_d_prime']} / {row['harm_by_wrong_digits']} / {row['harm_undecided']}",
        ]
        for world, words, row in rows
    ]  # fmt: skip
    return (
        f"{studies} studies of each world, with {figures['leads']} leads and "
        f"{figures['trials_per_run']} trials a run, on one sketch (seed of the robots "
        f"{figures['seed']}).\n\n"
        "- *Useful*: an explanation draws attention to the numeral, and leads follow the "
        "guidelines. *Careful leads* need more certainty and take more time.\n"
        "- *Useless*: leads ignore explanations.\n"
        "- *Harmful*: explanations don't draw attention to the numeral, but leads take them as an "
        "argument and accept on less evidence.\n\n"
        "The report says harm if d′ falls, or if wrong digits are accepted more often by more than "
        "the margin and right digits aren't shown to rise by more. It says that explanations *may* "
        "do harm if right digits rise by more than the margin above wrong ones, but chance could "
        "explain it. In the *useful* world leads see more within the decision time, and so accept "
        "more wrong digits too. "
        "Shares of right verdicts have 95 % Clopper–Pearson limits. *Intervals that cover*: how "
        "many 95 % intervals of raw usefulness contain the mean over all studies of the world. All "
        "studies have the same plates, but intervals allow for other plates, so they cover more "
        "often than 95 %.\n\n"
        + table(
            ["world", "right verdict", "studies with it", "usefulness S / E, points",
             "S, net", "intervals that cover", "change of d′ (median)", "wrong digits, points",
             "studies with harm by d′ / by wrong digits / of these “may do harm”"],
            lines,
        )
    )  # fmt: skip


def _world_row(
    found: Sequence[Mapping[str, Any]], right: Callable[[Mapping[str, Any]], bool]
) -> dict[str, Any]:
    means = {s: float(np.mean([gain(one, s).estimate for one in found])) for s in ("S", "E")}
    covered = sum(
        gain(one, s).ci_low <= means[s] <= gain(one, s).ci_high for one in found for s in means
    )
    return {
        "right": sum(right(one) for one in found),
        **means,
        "S_net": float(np.mean([gain(one, "S", NET).estimate for one in found])),
        "covered": int(covered),
        "d_prime_change": float(np.median([one["harm"].change.estimate for one in found])),
        "wrong_digits_change": float(np.mean([one["harm"].row(RISE).estimate for one in found])),
        "harm_by_d_prime": sum(one["harm"].less_sensitive for one in found),
        "harm_by_wrong_digits": sum(one["harm"].more_wrong for one in found),
        "harm_undecided": sum(one["harm"].undecided for one in found),
        "outcomes": _outcomes(found),
    }


def sizes(effort: Effort) -> Measured:
    """How often a small study of useful explanations says that they do or may do harm."""
    studies = QUICK_STUDIES if effort.quick else STUDIES_OF_SIZES
    trials = (QUICK_TRIALS,) if effort.quick else SIZES
    rows = []
    for trials_per_run in trials:
        effort.say(f"{trials_per_run} trials a run")
        (found,) = simulated([WORLDS["useful"]], studies, trials_per_run, Workers())
        beyond = [one["harm"].row(RIGHT_BEYOND_WRONG) for one in found]
        rows.append(
            {
                "trials_per_run": trials_per_run,
                "above_zero": sum(above_zero(one) for one in found),
                "do_harm": sum(map(does_harm, found)),
                "may_do_harm": sum(one["harm"].undecided for one in found),
                "beyond": float(np.mean([row.estimate for row in beyond])),
                "half_width": float(np.median([row.ci_high - row.ci_low for row in beyond])) / 2,
            }
        )
    figures = {"studies": studies, "leads": LEADS, "seed": SEED, "rows": rows}
    return Measured(sizes_text(figures), figures)


def sizes_text(figures: Mapping[str, Any]) -> str:
    """Return the section on small studies."""
    lines = [
        [
            str(row["trials_per_run"]),
            *(f"{row[name]} of {figures['studies']}" for name in (
                "above_zero", "do_harm", "may_do_harm")),
            _points(row["beyond"]), f"{100 * row['half_width']:.0f}",
        ]
        for row in figures["rows"]
    ]  # fmt: skip
    return (
        f"{figures['studies']} studies of the *useful* world with {figures['leads']} leads and "
        "fewer trials than by default. Leads see more with an explanation, and so accept more "
        "wrong digits too. That is no harm if right digits rise by more, but a small study often "
        "has too few controls to show it: compare the difference of the two rises with half of its "
        "interval. If the difference is beyond the margin of 10 points, the report then says that "
        "explanations *may* do harm. To know, raise "
        "`solutions.trials_per_run`, `solutions.shares.right_digit` or `solutions.least_matched`."
        "\n\n"
        + table(
            ["trials a run", "both usefulness intervals above zero", "“do harm”",
             "“may do harm”", "difference of the two rises, points",
             "half of its interval, points"],
            lines,
        )
    )  # fmt: skip


def each_kind(effort: Effort) -> Measured:
    """What is said of each lead of a mixed study, by the kind that was put in and the outline."""
    _, trials = size(effort)
    studies = 1 if effort.quick else STUDIES_OF_KINDS
    kinds = list(dict.fromkeys(MIX))
    figures: dict[str, Any] = {"studies": studies, "seed": SEED, "trials_per_run": trials}
    lines = []
    for outline, words in OUTLINES.items():
        effort.say(words)
        (found,) = simulated([MIX], studies, trials, Workers(), outline)
        figures[outline] = {kind: _kind_row(found, kind) for kind in kinds}
        lines += [
            [words, kind, *(f"{row[name]} of {row['leads']}" for name in TOLD_OF_A_LEAD)]
            for kind, row in figures[outline].items()
        ]
    text = (
        f"{studies} studies with each form of outlines. A study has {len(MIX)} leads ("
        + ", ".join(f"{MIX.count(kind)} {kind}" for kind in kinds)
        + f") and {trials} trials a run, as by default. This is what the report should say:\n\n"
        "- A `lead` follows the guidelines and sees some of the numerals: profits.\n"
        "- A `dichromat` follows the guidelines and sees none: doesn't profit.\n"
        "- A `contour_reader` accepts if the outline looks like the stated digit: accepts from the "
        "explanation, and is left out of the second analysis. Discs hardly show a digit, so this "
        "robot finds little to read in them. It is then left out since it rejects numerals that "
        "anyone sees.\n"
        "- `lazy` accepts everything and `random` decides at random: both are left out by rule.\n\n"
        + table(["outlines", "kind of lead", *TOLD_OF_A_LEAD.values()], lines)
    )  # fmt: skip
    return Measured(text, figures)


def _kind_row(found: Sequence[Mapping[str, Any]], kind: str) -> dict[str, Any]:
    own = [lead for one in found for lead in one["leads"] if lead["robot"] == kind]
    return {
        "leads": len(own),
        "profits": sum(lead["outcome"] == "profits" for lead in own),
        "from_explanation": sum(lead["flagged"] for lead in own),
        "excluded": sum(lead["excluded"] for lead in own),
        "outcomes": _outcomes(found, kind),
    }


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
    Part("sizes", "Small studies", sizes),
    Part("each_kind", "Each kind of lead", each_kind),
)
