"""Titration of simulated leads whose own reading rates are known."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np

from bench.book import Effort, Measured, Part, table
from bench.parts.reading import digits_of
from bench.parts.screening_people import Simulated, fitted
from bench.parts.spread import spread
from bench.parts.words import share
from participants.screening.quest import Psychometric
from participants.screening.robots import ScreenedRobot
from participants.screening.titration import GUESS, Titration, TitrationResult
from stimuli.colour.spaces import Floats
from stimuli.plates.observer import (
    ShownPlate,
    forced_choice,
    log_posterior,
    log_ratio,
)
from stimuli.plates.plate import Plate
from stimuli.plates.templates import DigitTemplates
from stimuli.protocol import load_protocol
from stimuli.screening.rules import Titration as Rules
from stimuli.studies.accept_reject.protocol import AcceptReject, Trial
from stimuli.studies.accept_reject.tasks import fresh_plates, spare_digits
from stimuli.study import FreshPlates

STRENGTHS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9)
EACH = 2
TIMES = 3
"""How often each of them is titrated."""
OWN_PLATES, BANK = 220, 220
LAPSE = 0.02
WITHIN = 0.05
SOURCE = "uci"
EXEMPLARS = 100

Found = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Bank:
    """What leads are shown: plates, and the digits that they have in mind."""

    rules: Rules
    trial: Trial
    fresh: FreshPlates
    plates: tuple[tuple[Plate, int], ...]
    templates: DigitTemplates


@lru_cache(maxsize=2)
def bank(quick: bool) -> Bank:
    """Return UCI plates of the default protocol; a few in the quick form."""
    protocol = load_protocol("accept_reject", changes={"plates": {"source": SOURCE}})
    assert isinstance(protocol, AcceptReject)
    digits = digits_of(SOURCE)
    fresh = fresh_plates(protocol, "bench", 1, digits)
    # People can read any hand: who sees the figure names it, so the observer knows these digits.
    known = spare_digits(protocol, digits)
    templates = DigitTemplates.from_images(
        digits.images[known], digits.labels[known], EXEMPLARS, spec=fresh.spec
    )
    plates = tuple(fresh.draw(number) for number in range(30 if quick else BANK))
    return Bank(protocol.titration, protocol.trial, fresh, plates, templates)


def titrate(job: tuple[Simulated, bool]) -> Found:
    """Find a lead's own rates at every rung, and titrate the lead several times."""
    person, quick = job
    here, robot = bank(quick), person.robot
    short, long = _own_rates(here, person, robot, 10 if quick else OWN_PLATES)
    low, high = here.rules.accept_low, here.rules.accept_high
    suits = (short >= low) & (short <= high) & (long >= here.rules.long_share)
    results = [_titrated(here, person, robot, turn) for turn in range(1 if quick else TIMES)]
    return {
        "axis": person.axis,
        "strength": person.strength,
        "short": short.tolist(),
        "long": long.tolist(),
        "slope": _slope(here, person, short),
        "has_rung": bool(suits.any()),
        "results": [_told(result, short) for result in results],
    }


def _own_rates(
    here: Bank, person: Simulated, robot: ScreenedRobot, count: int
) -> tuple[Floats, Floats]:
    """Return the shares read within both exposures at each rung, (rungs,) each, smoothed."""
    ladder, spec = here.fresh.ladders[person.axis], here.fresh.spec
    times = np.array([here.trial.cutoff_s, here.trial.limit_s])
    right, rng = np.zeros((len(ladder), 2)), person.rng("reading")
    for plate, digit in here.plates[:count]:
        ratios = [
            log_ratio(robot.observer, ShownPlate(plate, person.axis, contrast, spec), times, rng)
            for contrast in ladder
        ]
        # All rungs and exposures of a plate at once: its exemplars are looked up once.
        belief = log_posterior(
            robot.observer, here.templates, plate.packing, np.concatenate(ratios, axis=1)
        )
        named = np.array([forced_choice(one, rng) for one in belief])
        right += (named == digit).reshape(right.shape)
    levels = np.log10(ladder)
    both = []
    for line in right.T:
        threshold, slope, lapse = fitted(levels, line, count, 0.5, GUESS)
        both.append(Psychometric(0.5, slope, GUESS, lapse).right(levels, threshold))
    return both[0], both[1]


def _slope(here: Bank, person: Simulated, short: Floats) -> float:
    ladder = here.fresh.ladders[person.axis]
    return fitted(np.log10(ladder), short * 1000, 1000, here.rules.target_share, GUESS)[1]


def _titrated(here: Bank, person: Simulated, robot: ScreenedRobot, turn: int) -> TitrationResult:
    rng, ladder = person.rng(f"titration {turn}"), here.fresh.ladders[person.axis]
    robot = replace(robot, lapse=LAPSE)
    order, state = rng.permutation(len(here.plates)), Titration.start(here.rules, ladder)
    while (trial := state.trial) is not None:
        plate, digit = here.plates[order[trial.number % len(order)]]
        shown = ShownPlate(plate, person.axis, ladder[trial.rung - 1], here.fresh.spec)
        seconds = here.trial.limit_s if trial.phase == "long" else here.trial.cutoff_s
        named = robot.digit(shown, seconds, here.templates, rng)
        state = state.answer(named == digit)
    return state.result()


def _told(result: TitrationResult, short: Floats) -> Found:
    at = result.tried[-1].rung
    return {
        "rung": result.rung,
        "failure": result.failure,
        "trials": result.trials,
        "rungs_tried": len(result.tried),
        "first_share": float(short[result.tried[0].rung - 1]),
        "reached": float(short[at - 1]) if result.rung is not None else None,
    }


def measure(effort: Effort) -> Measured:
    """Titrate simulated leads."""
    strengths: Final = STRENGTHS[::3] if effort.quick else STRENGTHS
    people = [
        Simulated(axis, strength, number)
        for axis in ("deutan", "protan")
        for strength in strengths
        for number in range(1 if effort.quick else EACH)
    ]
    effort.say(f"{len(people)} leads are titrated, and their own reading rates found")
    jobs = [(person, effort.quick) for person in people]
    found = spread(titrate, jobs, here=effort.quick)
    here = bank(effort.quick)
    figures = _figures(found, here.rules)
    return Measured(_text(figures, here.rules, here.trial.cutoff_s), figures)


def _figures(found: Sequence[Found], rules: Rules) -> Found:
    every = [(lead, result) for lead in found for result in lead["results"]]
    trials = np.array([result["trials"] for _, result in every])
    best = [np.abs(np.array(lead["short"]) - rules.target_share).min() for lead in found]
    with_rung = [result for lead, result in every if lead["has_rung"]]
    without = [result for lead, result in every if not lead["has_rung"]]
    reached = [result["reached"] for _, result in every if result["rung"] is not None]
    return {
        "leads": len(found),
        "titrations": len(every),
        "slope": float(np.median([lead["slope"] for lead in found])),
        "possible_within": float(np.mean(np.array(best) <= WITHIN)),
        "chosen": _spread([result["first_share"] for _, result in every], rules),
        "reached": _spread(reached, rules),
        "given_with": _given(with_rung),
        "given_without": _given(without),
        "with_rung": len(with_rung),
        "without_rung": len(without),
        "trials": [int(trials.min()), float(trials.mean()), int(trials.max())],
        "by_strength": [
            _of_strength(strength, [pair for pair in every if pair[0]["strength"] == strength])
            for strength in sorted({lead["strength"] for lead in found})
        ],
    }


def _spread(shares: Sequence[float], rules: Rules) -> Found | None:
    """Return how own rates at rungs lie about the target; None where there are none."""
    if not shares:
        return None
    values = np.array(shares)
    inside = (values >= rules.accept_low) & (values <= rules.accept_high)
    return {
        "mean": float(values.mean()),
        "sd": float(values.std()),
        "within": float(np.mean(np.abs(values - rules.target_share) <= WITHIN)),
        "accepted": float(np.mean(inside)),
    }


def _of_strength(strength: float, pairs: Sequence[tuple[Found, Found]]) -> Found:
    reached = [result["reached"] for _, result in pairs if result["rung"] is not None]
    return {
        "strength": strength,
        "titrations": len(pairs),
        "has_rung": float(np.mean([lead["has_rung"] for lead, _ in pairs])),
        "given": len(reached) / len(pairs),
        "reached": float(np.mean(reached)) if reached else None,
        "failures": sorted({result["failure"] for _, result in pairs if result["failure"]}),
    }


def _given(results: Sequence[Found]) -> float | None:
    return float(np.mean([r["rung"] is not None for r in results])) if results else None


def _text(figures: Found, rules: Rules, cutoff_s: float) -> str:
    few, usual, most = figures["trials"]
    blocks = [
        f"{figures['leads']} simulated leads, deutan and protan, each titrated {TIMES} times "
        "with lapses on 2 % of plates. Digits are UCI's, and the observer knows these very digits, "
        "since people can read anyone's handwriting. A lead's true rates come from "
        f"{OWN_PLATES} plates at each rung, smoothed by a Weibull function. Its median slope is "
        f"{figures['slope']:.1f}; the protocol assumes {rules.slope:.1f}.",
        f"**Reached share.** The target is {share(rules.target_share)} within "
        f"{cutoff_s:.0f} s. The table gives leads' true rates at the rung that QUEST chose "
        "and at the rung that was verified. Rungs are discrete: even with the best rung, only "
        f"{share(figures['possible_within'])} of the leads would lie within ± .05 of the target.",
        table(
            ["", "mean", "SD", "within ± .05", f"{share(rules.accept_low)} to "
             f"{share(rules.accept_high)}"],
            [
                [label, *(share(found[key]) for key in ("mean", "sd", "within", "accepted"))]
                for label, found in (
                    ("chosen by QUEST", figures["chosen"]),
                    ("verified", figures["reached"]),
                )
                if found
            ],
        ),
        _refusals(figures, rules),
        f"**Length.** {few} to {most} plates, {usual:.0f} on average.",
        table(
            ["strength", "titrations", "a rung is suitable", "a rung was found", "share reached",
             "refused"],
            [
                [
                    f"{line['strength']:g}".lstrip("0"),
                    str(line["titrations"]),
                    share(line["has_rung"]),
                    share(line["given"]),
                    "–" if line["reached"] is None else share(line["reached"]),
                    ", ".join(REASONS[one] for one in line["failures"]) or "–",
                ]
                for line in figures["by_strength"]
            ],
        ),
    ]  # fmt: skip
    return "\n\n".join(blocks)


def _refusals(figures: Found, rules: Rules) -> str:
    parts = [
        f"Of {figures[count]} titrations of leads {who}, {share(figures[given])} found a rung."
        for who, given, count in (
            ("for whom a rung is suitable by their true rates", "given_with", "with_rung"),
            ("for whom none is", "given_without", "without_rung"),
        )
        if figures[count]
    ]
    return (
        f"**Who is refused.** {' '.join(parts)} A verification on {rules.verify_trials} plates can "
        "be wrong in both directions for leads near its limits."
    )


REASONS: Final = {
    "ladder_ends": "the ladder ends",
    "never_long": "too seldom read with the long exposure",
    "too_many": "all verifications failed",
}

PARTS = (Part("titration", "Titration", measure),)
