"""Simulated leads whose answers to controls are drawn directly: what the rules make of them.

No robot looks at a plate. Each kind of control has a probability of acceptance in time in each
run, and leads and plates vary around it on the probit scale. So hundreds of studies with the
default protocol's controls take minutes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri
from threadpoolctl import threadpool_limits

from analysis.report.wording import percent
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.proportions import Count, wilson
from analysis.studies.accept_reject.controls import Controls
from analysis.studies.accept_reject.harm import MIXED, harm_results
from analysis.studies.accept_reject.people import each_lead
from analysis.studies.accept_reject.trials import ScoredTrials, judge_trials
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.shares import RUNS, WITH, run_slots
from stimuli.workers import Workers, ordered_map
from tests.bench.book import Effort, Measured, Part, table

Array = np.ndarray
Chances = Mapping[str, tuple[float, float]]
"""Probability of acceptance in time by kind of control, in the run without and the run with."""

LEADS, STUDIES, QUICK_STUDIES = 60, 500, 10
FEW = 24
REPLICATES = 500
PERSON_SD, SLOPE_SD, ITEM_SD = 0.4, 0.2, 0.4
IN_TIME_S, OTHERWISE_S = 1.5, 2.0


@lru_cache(maxsize=1)
def protocol() -> AcceptReject:
    """Return the default protocol."""
    found = load_protocol("accept_reject")
    assert isinstance(found, AcceptReject)
    return found


@lru_cache(maxsize=1)
def lists() -> tuple[pd.DataFrame, ...]:
    """Return each list's controls: kind, run and plate; plates rotate from list to list."""
    found = []
    for number in range(protocol().solutions.lists):
        slots = [
            (run, slot.control_kind)
            for run in RUNS
            for slot in run_slots(protocol(), run, number)
            if slot.solver == "control"
        ]
        own = pd.DataFrame(slots, columns=["run", "control_kind"])
        step = number * len(own) // protocol().solutions.lists
        own["item"] = (np.arange(len(own)) + step) % len(own)
        found.append(own)
    return tuple(found)


def controls_of(
    leads: Sequence[Chances], rng: np.random.Generator, spread: float = 1.0
) -> ScoredTrials:
    """Return the judged controls of one study.

    Parameters
    ----------
    leads
        Of each lead the chances of acceptance; kinds that aren't named are decided rightly.
    rng
        Draws the answers.
    spread
        How much leads and plates vary, 1 for `PERSON_SD`, `SLOPE_SD` and `ITEM_SD`.
    """
    plates = ITEM_SD * spread * rng.standard_normal(len(lists()[0]))
    total = np.sqrt(1 + spread**2 * (PERSON_SD**2 + SLOPE_SD**2 / 4 + ITEM_SD**2))
    frames = []
    for number, chances in enumerate(leads):
        own = lists()[number % len(lists())]
        explained = (own["run"] == WITH).to_numpy()
        wanted = np.array(
            [
                chances.get(kind, (_right(kind),) * 2)[int(with_)]
                for kind, with_ in zip(own["control_kind"], explained, strict=True)
            ]
        )
        person, slope = spread * rng.standard_normal(2) * (PERSON_SD, SLOPE_SD)
        shift = person + slope * (explained - 0.5) + plates[own["item"]]
        accepts = ndtri(wanted) * total + shift + rng.standard_normal(len(own)) > 0
        with_first = bool((number // len(lists())) % 2)
        frames.append(
            own.assign(
                participant=f"P{number:03d}",
                item=own["item"].astype(str),
                order="with_first" if with_first else "without_first",
                explained=explained,
                run=np.where(explained == with_first, 1, 2),
                decision=np.where(accepts, "accept", "reject"),
                rt_s=np.where(accepts, IN_TIME_S, OTHERWISE_S),
            )
        )
    frame = pd.concat(frames, ignore_index=True)
    frame = frame.assign(solver="control", cutoff_s=3.0, cutoff_mode="internal")
    return judge_trials(frame, protocol())


def _right(kind: str) -> float:
    return float(kind.startswith("right_digit") or kind == "high_contrast")


@dataclass(frozen=True, slots=True)
class HarmWorld:
    """Acceptance of right and of wrong digits, without and with explanations; all leads alike."""

    right: tuple[float, float]
    wrong: tuple[float, float]

    def chances(self) -> Chances:
        """Return every kind's; misleading contours make right digits harder, wrong ones easier."""
        low, high = self.right[0] / 2, min(0.95, self.wrong[1] + 0.2)
        return {
            "right_digit": self.right,
            "wrong_digit": self.wrong,
            **dict.fromkeys(("right_digit_elsewhere", "right_digit_shuffled"), (low, low)),
            "right_digit_blank": (self.right[0], self.right[0]),
            **dict.fromkeys(("wrong_digit_true_place", "wrong_digit_own_shape"), (high, high)),
        }


HARM_WORLDS: Mapping[str, HarmWorld] = {
    "nothing changes": HarmWorld((0.70, 0.70), (0.22, 0.22)),
    "a matched explanation helps": HarmWorld((0.70, 0.85), (0.22, 0.22)),
    "wrong digits are accepted more often": HarmWorld((0.70, 0.70), (0.22, 0.36)),
    "wrong digits are accepted only with explanations": HarmWorld((0.70, 0.85), (0.0, 0.175)),
}


def harm_of(world: HarmWorld, seed: int, leads: int = LEADS) -> dict[str, Any]:
    """Return what the analysis says of harm in one study."""
    rng = np.random.Generator(np.random.PCG64(seed))
    with threadpool_limits(1):
        judged = controls_of([world.chances()] * leads, rng)
        plan = Resampling(REPLICATES, seed)
        found = harm_results(judged, Controls(judged, plan), protocol().analysis.margin)
    return {
        "d_prime": found["sensitivity"]["harm"],
        "change": found["sensitivity"]["difference"],
        "mixed": found["sensitivity"]["method"] == MIXED,
        "wrong_digits": found["wrong_digits"]["harm"],
    }


def harm(effort: Effort) -> Measured:
    """How often harm is named, world by world."""
    studies = QUICK_STUDIES if effort.quick else STUDIES
    figures: dict[str, Any] = {"studies": studies, "leads": LEADS}
    for name, world in HARM_WORLDS.items():
        effort.say(name)
        found = _many(partial(_harm_task, world), studies)
        figures[name] = {
            "d_prime": sum(one["d_prime"] for one in found),
            "wrong_digits": sum(one["wrong_digits"] for one in found),
            "either": sum(one["d_prime"] or one["wrong_digits"] for one in found),
            "mixed": sum(one["mixed"] for one in found),
            "change": float(np.mean([one["change"] for one in found])),
        }
    return Measured(harm_text(figures), figures)


def harm_text(figures: Mapping[str, Any]) -> str:
    """Return the section on harm."""
    studies = figures["studies"]
    rows = [(name, world, figures[name]) for name, world in HARM_WORLDS.items()]
    lines = [
        [
            name,
            _pair(world.right),
            _pair(world.wrong),
            f"{row['change']:+.2f}".replace("-", "−"),
            *(_share(row[key], studies) for key in ("d_prime", "wrong_digits", "either", "mixed")),
        ]
        for name, world, row in rows
    ]
    return (
        f"{studies} studies of each world, with {figures['leads']} leads and the controls of the "
        "default protocol. No robot looks at plates here. The program draws which controls a lead "
        "accepts in time, from the shares in the table. Leads and plates vary: standard deviations "
        f"{PERSON_SD:g} and {ITEM_SD:g} on the probit scale, {SLOPE_SD:g} for what an explanation "
        "changes. Contours that mislead on purpose halve the acceptance of right digits and raise "
        "that of wrong ones. The report doesn't judge harm by these.\n\n"
        "The report says harm if d′ falls (the 95 % interval of the change lies below zero) or if "
        "wrong digits are accepted more often by more than the margin of 10 points (two-way "
        "bootstrap). d′ comes from a mixed probit model. In the last world no wrong digit is "
        "accepted without explanations, so the model has no finite estimate, and d′ comes from "
        "pooled counts. The last column says in how many studies d′ came from the model.\n\n"
        + table(
            [
                "world",
                "right digits accepted, without → with",
                "wrong digits accepted, without → with",
                "change of d′",
                "harm by d′",
                "harm by wrong digits",
                "harm by either",
                "d′ from the model",
            ],
            lines,
        )
    )


def _harm_task(world: HarmWorld, seed: int) -> dict[str, Any]:
    return harm_of(world, seed)


@dataclass(frozen=True, slots=True)
class Rates:
    """How a lead decides on controls where the right decision needs no colour vision.

    Attributes
    ----------
    sees
        Acceptance of what anyone sees.
    blank
        Acceptance of plates without a numeral.
    contour
        The same with a digit-shaped contour.
    word
        Acceptance of no-solution.
    digits
        Acceptance of right digits in time, without and with explanations.
    """

    sees: float
    blank: float
    contour: float
    word: float = 0.02
    digits: tuple[float, float] = (0.35, 0.75)

    def chances(self) -> Chances:
        """Return every kind's."""
        shaped = (self.contour, self.contour)
        return {
            "high_contrast": (self.sees, self.sees),
            "no_solution": (self.word, self.word),
            "no_numeral": (self.blank, self.blank),
            "no_numeral_s_like": shaped,
            "no_numeral_e_like": shaped,
            "right_digit": self.digits,
            "wrong_digit": (0.1, 0.2),
        }


def honest(error: float, digits: tuple[float, float] = (0.35, 0.75)) -> Rates:
    """Return a lead who sees what anyone sees, and accepts some plates without a numeral."""
    return Rates(0.95, error, error, digits=digits)


KINDS: Mapping[str, Rates] = {
    "accepts 5 % of plates without a numeral": honest(0.05),
    "accepts 25 % of plates without a numeral": honest(0.25),
    "accepts 30 % of plates without a numeral": honest(0.30),
    "accepts 35 % of right digits in both runs": honest(0.05, (0.35, 0.35)),
    "accepts 90 % of right digits in both runs": honest(0.05, (0.90, 0.90)),
    "misled: accepts 80 % of digit-shaped contours without a numeral": Rates(0.95, 0.05, 0.80),
    "always rejects": Rates(0.0, 0.0, 0.0, 0.0, (0.0, 0.0)),
    "always accepts": Rates(1.0, 1.0, 1.0, 1.0, (1.0, 1.0)),
    "decides at random": Rates(0.5, 0.5, 0.5, 0.5, (0.5, 0.5)),
}


def kept_by(kind: str, seed: int) -> int:
    """Return how many of `FEW` leads of a kind reach the thresholds of compliance."""
    judged = controls_of([KINDS[kind].chances()] * FEW, _rng(seed), spread=0.0)
    leads, _ = each_lead(judged, protocol().analysis)
    return sum(all(own.enough for own in lead.kept) for lead in leads)


def compliance(effort: Effort) -> Measured:
    """Share of leads who reach the thresholds, by how they decide."""
    studies = QUICK_STUDIES if effort.quick else 100
    figures: dict[str, Any] = {"leads": studies * FEW}
    for kind in KINDS:
        figures[kind] = sum(kept_by(kind, seed) for seed in range(studies))
    return Measured(compliance_text(figures), figures)


def compliance_text(figures: Mapping[str, Any]) -> str:
    """Return the section on the thresholds of compliance."""
    leads, rules = figures["leads"], protocol().analysis
    return (
        f"{leads:,} leads of each kind. A lead must accept {percent(rules.anyone_minimum)} of the "
        f"numerals that anyone sees, and reject {percent(rules.must_reject_minimum)} of the plates "
        "without a numeral and of “no solution” in the run without explanations. Unless the table "
        "says otherwise, a lead accepts 95 % of the numerals that anyone sees, 5 % of plates "
        "without a numeral, 2 % of “no solution”, and of right digits 35 % without and 75 % with "
        "explanations. A lead who is misled by contours passes: that is a result, and the report "
        "gives it where it says who accepts from the explanation.\n\n"
    ).replace(",", "\u202f", 1) + table(
        ["lead", "reaches both thresholds"],
        [[kind, _share(figures[kind], leads)] for kind in KINDS],
    )


READER = Rates(0.95, 0.10, 0.90)
"""As the robot ``contour_reader``: guesses one in ten, and takes most outlines for their digit."""


def flagged(errors: Sequence[float], readers: int, spread: float, seed: int) -> tuple[int, int]:
    """Return how many honest leads and how many contour readers are flagged in one study."""
    leads = [READER] * readers + [honest(error) for error in errors]
    judged = controls_of([lead.chances() for lead in leads], _rng(seed), spread)
    found, _ = each_lead(judged, protocol().analysis)
    hits = [lead.flagged for lead in found]
    return sum(hits[readers:]), sum(hits[:readers])


CONTOUR_WORLDS: Mapping[str, tuple[tuple[float, ...], int, float]] = {
    "24 accept 2 % of plates without a numeral": ((0.02,) * FEW, 0, 0.0),
    "24 accept 10 %": ((0.10,) * FEW, 0, 0.0),
    "24 accept 20 %": ((0.20,) * FEW, 0, 0.0),
    "24 accept 30 %": ((0.30,) * FEW, 0, 0.0),
    "24 accept 15 % and differ": ((0.15,) * FEW, 0, 1.0),
    "23 accept 10 %, one reads contours": ((0.10,) * (FEW - 1), 1, 0.0),
    "23 accept 2 %, one reads contours": ((0.02,) * (FEW - 1), 1, 0.0),
    "18 accept 10 %, six read contours": ((0.10,) * (FEW - 6), 6, 0.0),
    "3 accept 15 %": ((0.15,) * 3, 0, 0.0),
    "2 accept 2 %, one reads contours": ((0.02,) * 2, 1, 0.0),
}


def contour_flag(effort: Effort) -> Measured:
    """How often honest leads and contour readers are said to accept from the explanation."""
    studies = QUICK_STUDIES if effort.quick else STUDIES
    figures: dict[str, Any] = {"studies": studies}
    for name, (errors, readers, spread) in CONTOUR_WORLDS.items():
        effort.say(name)
        found = _many(partial(_flag_task, errors, readers, spread), studies)
        figures[name] = {
            "studies_with_a_false_flag": sum(one[0] > 0 for one in found),
            "readers_flagged": sum(one[1] for one in found),
        }
    return Measured(contour_text(figures), figures)


def contour_text(figures: Mapping[str, Any]) -> str:
    """Return the section on who accepts from the explanation."""
    studies = figures["studies"]
    lines = [
        [
            name,
            _share(figures[name]["studies_with_a_false_flag"], studies),
            _share(figures[name]["readers_flagged"], studies * readers) if readers else "–",
        ]
        for name, (_, readers, _) in CONTOUR_WORLDS.items()
    ]
    return (
        f"{studies} studies of each row. An honest lead accepts plates without a numeral equally "
        "often with and without a digit-shaped contour; the row says how often. In the row *and "
        "differ*, leads and plates vary as in the section on harm. A contour reader accepts 10 % "
        "of these plates without a contour and 90 % with one. The report flags a lead by the mixed "
        "probit model of all leads (`analysis/studies/accept_reject/contour.py`), or by Fisher's "
        "exact test at 5 % divided by the number of leads.\n\n"
        + table(["leads", "studies with an honest lead flagged", "readers flagged"], lines)
    )


def _flag_task(
    errors: tuple[float, ...], readers: int, spread: float, seed: int
) -> tuple[int, int]:
    with threadpool_limits(1):
        return flagged(errors, readers, spread, seed)


def _many(task: Callable[[int], Any], studies: int) -> list[Any]:
    tasks = ((str(seed), seed) for seed in range(studies))
    return [found for _, found in ordered_map(task, tasks, Workers())]


def _rng(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def _pair(values: tuple[float, float]) -> str:
    return " → ".join(f"{value:.3g}" for value in values)


def _share(hits: int, n: int) -> str:
    found = wilson(Count(hits, n))
    return f"{found.estimate:.1%} [{100 * found.ci_low:.1f}, {100 * found.ci_high:.1f}]".replace(
        "%", " %"
    )


PARTS = (
    Part("harm", "How often the report says harm", harm),
    Part("compliance", "Which leads reach the thresholds of compliance", compliance),
    Part("contour_flag", "Who is reported to accept from the explanation", contour_flag),
)
