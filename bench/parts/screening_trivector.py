"""The trivector on people whose own thresholds are known."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bench.book import Effort, Measured, Part, table
from bench.parts.screening_people import BANK_PLATES, STRENGTHS, Simulated, own_thresholds
from bench.parts.spread import spread
from bench.parts.words import share
from participants.screening.trivector import Staircase, Trivector
from participants.screening.verdict import decide
from stimuli.colour.spaces import AXES
from stimuli.io.canonical import seed_of
from stimuli.screening import d15
from tests.participants.screening.rules import RULES

NORMAL, EACH = 60, 10
"""People with normal vision, and of each deficit and strength: 200 in all."""
TIMES = 4
"""How often each of them is screened."""
PLATE_SETS = 16
"""Screenings share plates (the noise of looks is new each time), which saves packing."""
LAPSES = (0.0, 0.02)
LOOKS = 5
LAST_REVERSALS = 8
SECONDS_A_TRIAL = 3.0
CLASSES = ("expert", "between", "lead", "beyond the cap")
CALLED = ("expert", "lead", "neither")

Found = dict[str, Any]


def people(quick: bool) -> list[Simulated]:
    """Return 200 simulated people; a few in the quick form."""
    normal, each = (2, 1) if quick else (NORMAL, EACH)
    strengths = (0.7, 1.0) if quick else STRENGTHS
    return [Simulated("deutan", 0.0, number) for number in range(normal)] + [
        Simulated(axis, strength, number)
        for axis in ("deutan", "protan")
        for strength in strengths
        for number in range(each)
    ]


def screen(job: tuple[Simulated, bool]) -> list[Found]:
    """Screen somebody several times, without and with lapses; return what was found."""
    person, quick = job
    own = own_thresholds(person, 20 if quick else BANK_PLATES, 1 if quick else LOOKS)
    about = {"axis": person.axis, "strength": person.strength, "own": own, "class": true_class(own)}
    return [
        {**about, "lapse": lapse, **_screened(person, lapse, turn)}
        for lapse in LAPSES
        for turn in range(1 if quick else TIMES)
    ]


def true_class(own: Mapping[str, float]) -> str:
    """Return what the rules say of thresholds that are known."""
    highest = max(own["protan"], own["deutan"])
    if highest <= RULES.expert_red_green_1e4:
        return "expert"
    if highest <= RULES.lead_red_green_1e4:
        return "between"
    return "lead" if highest <= RULES.lead_cap_1e4 else "beyond the cap"


def _screened(person: Simulated, lapse: float, turn: int) -> Found:
    robot = Simulated(person.axis, person.strength, person.number, lapse).robot
    rng = person.rng(f"screening {turn}", lapse)
    state = Trivector.start(RULES, seed_of("plates", (person.number + turn * 7) % PLATE_SETS))
    while (trial := state.trial) is not None:
        state = state.answer(robot.gap(trial, rng))
    result, caps = state.result(), d15.score(robot.caps(rng))
    verdict = decide(RULES, result, caps)
    thresholds = {
        axis: {
            "found": one.threshold_1e4,
            "se": one.se_1e4,
            "at_ceiling": one.at_ceiling,
            "by_reversals": _by_reversals(stairs),
        }
        for stairs in state.staircases
        for axis, one in [(stairs.axis, stairs.threshold())]
    }
    return {
        "thresholds": thresholds,
        "trials": result.trials,
        "called": verdict.role,
        "called_axis": verdict.axis,
        "d15_passed": caps.confusion_index <= RULES.d15_confusion_index,
        "reason": verdict.reasons[-1],
    }


def _by_reversals(stairs: Staircase) -> float:
    return float(np.exp(np.mean(np.log(stairs.turns_1e4[-LAST_REVERSALS:] or (1000.0,)))))


def measure(effort: Effort) -> Measured:
    """Screen 200 simulated people, without and with lapses."""
    chosen = people(effort.quick)
    effort.say(f"{len(chosen)} people are screened, and their own thresholds found")
    jobs = [(person, effort.quick) for person in chosen]
    rows = [row for some in spread(screen, jobs, here=effort.quick) for row in some]
    figures = {
        "people": len(chosen),
        "screenings": len(rows),
        "by_lapse": [_of_lapse(rows, lapse) for lapse in LAPSES],
    }
    return Measured(_text(figures), figures)


def _of_lapse(rows: Sequence[Found], lapse: float) -> Found:
    mine = [row for row in rows if row["lapse"] == lapse]
    raised = [row for row in mine if row["class"] in ("lead", "beyond the cap")]
    healthy = [row for row in mine if row["class"] == "expert"]
    suitable = [row for row in mine if row["class"] == "lead" and row["d15_passed"]]
    unsuitable = [row for row in mine if row["class"] in ("expert", "beyond the cap")]
    leads = [row for row in mine if row["called"] == "lead"]
    trials = np.array([row["trials"] for row in mine])
    return {
        "lapse": lapse,
        "expert_sensitivity": _called(healthy, "expert"),
        "expert_specificity": 1 - _called(raised, "expert"),
        "lead_sensitivity": _called(suitable, "lead"),
        "lead_specificity": 1 - _called(unsuitable, "lead"),
        "own_axis": float(np.mean([r["called_axis"] == r["axis"] for r in leads]))
        if leads
        else 0.0,
        "trials": [int(trials.min()), float(trials.mean()), int(trials.max())],
        "by_class": [_line(name, [r for r in mine if r["class"] == name]) for name in CLASSES],
        "by_strength": [_line(name, some) for name, some in _by_strength(mine)],
        "thresholds": [_errors(mine, axis) for axis in AXES],
    }


def _by_strength(rows: Sequence[Found]) -> Iterable[tuple[str, list[Found]]]:
    yield "normal", [row for row in rows if not row["strength"]]
    for axis in ("deutan", "protan"):
        for strength in sorted({row["strength"] for row in rows if row["strength"]}):
            some = [row for row in rows if (row["axis"], row["strength"]) == (axis, strength)]
            yield f"{axis} {share(strength)[:2] if strength < 1 else '1'}", some


def _line(name: str, rows: Sequence[Found]) -> Found:
    highest = [max(row["own"]["protan"], row["own"]["deutan"]) for row in rows]
    return {
        "name": name,
        "screenings": len(rows),
        "own": float(np.median(highest)) if rows else None,
        "d15_passed": float(np.mean([row["d15_passed"] for row in rows])) if rows else None,
        **{role: _called(rows, role) for role in CALLED},
    }


def _called(rows: Sequence[Found], role: str) -> float:
    return float(np.mean([row["called"] == role for row in rows])) if rows else 0.0


def _errors(rows: Sequence[Found], axis: str) -> Found:
    """Compare thresholds with the people's own, where these lie below the cap."""
    below = [
        row
        for row in rows
        if row["own"][axis] <= RULES.lead_cap_1e4 and not row["thresholds"][axis]["at_ceiling"]
    ]
    own = np.array([row["own"][axis] for row in below])
    found = {
        way: np.log(np.array([row["thresholds"][axis][way] for row in below]) / own)
        for way in ("found", "by_reversals")
    }
    told = [row["thresholds"][axis]["se"] / row["thresholds"][axis]["found"] for row in below]
    return {
        "axis": axis,
        "thresholds": len(below),
        "bias": float(np.expm1(found["found"].mean())),
        "sd": float(found["found"].std()),
        "se": float(np.mean(told)),
        "reversals_bias": float(np.expm1(found["by_reversals"].mean())),
        "reversals_sd": float(found["by_reversals"].std()),
    }


def _text(figures: Found) -> str:
    without, with_lapses = figures["by_lapse"]
    few, usual, most = without["trials"]
    blocks = [
        f"{figures['people']} simulated people, each screened {TIMES} times without lapses and "
        f"{TIMES} times with lapses on 2 % of plates: {NORMAL} with normal vision, {EACH} of each "
        "deficit and strength (v; 1 is a dichromat). A person's true thresholds come from "
        f"{BANK_PLATES * LOOKS} answers at each of 12 excursions on each line.",
        f"A screening takes {few} to {most} plates, {usual:.0f} on average: at "
        f"{SECONDS_A_TRIAL:.0f} s a plate {usual * SECONDS_A_TRIAL / 60:.1f} minutes.",
        "**Sensitivity and specificity.** For experts, sensitivity is the share who are called "
        "experts among people whose true thresholds are below the expert's limit; specificity is "
        "the share who aren't called experts among people with a raised red–green threshold. For "
        "leads, "
        "sensitivity is the share who are called leads among people whose true thresholds are in "
        "the leads' range and who passed the D-15; specificity is the share who aren't called "
        "leads among true experts and people above the cap. People between the two limits aren't "
        "counted.",
        table(
            ["", "without lapses", "2 % lapses"],
            [
                [label, share(without[key]), share(with_lapses[key])]
                for label, key in (
                    ("experts: sensitivity", "expert_sensitivity"),
                    ("experts: specificity", "expert_specificity"),
                    ("leads: sensitivity", "lead_sensitivity"),
                    ("leads: specificity", "lead_specificity"),
                    ("leads: axis found is that of the deficit", "own_axis"),
                )
            ],
        ),
        "Thresholds hardly show the axis of a slight deficit, since both kinds of anomaly raise "
        "the thresholds on both lines about equally; only luminance differs a little. This does no "
        "harm: titration finds a rung on whichever axis screening chose.",
        "**By the person's true class**, which follows from the true thresholds, without lapses. "
        "*True threshold* is the median of the higher of the protan and the deutan threshold, in "
        "10⁻⁴ of u′v′:",
        _decisions(without["by_class"], "true class"),
        "**By deficit and strength**, without lapses:",
        _decisions(without["by_strength"], "deficit"),
        "The same with lapses on 2 % of plates:",
        _decisions(with_lapses["by_strength"], "deficit"),
        "**Measured against true thresholds**, of people whose true thresholds are below the "
        "leads' cap. SD and standard error are of the natural logarithm: .25 is about 25 %.",
        table(
            ["line", "lapses", "thresholds", "bias", "SD", "standard error that screening states",
             f"last {LAST_REVERSALS} reversals: bias", "SD"],
            [
                [
                    line["axis"],
                    f"{of['lapse']:.0%}",
                    str(line["thresholds"]),
                    f"{line['bias']:+.1%}",
                    share(line["sd"]),
                    share(line["se"]),
                    f"{line['reversals_bias']:+.1%}",
                    share(line["reversals_sd"]),
                ]
                for of in figures["by_lapse"]
                for line in of["thresholds"]
            ],
        ),
    ]  # fmt: skip
    return "\n\n".join(blocks)


def _decisions(lines: Sequence[Found], heading: str) -> str:
    rows = [
        [
            line["name"],
            str(line["screenings"]),
            f"{line['own']:.0f}" if line["own"] < RULES.start_1e4 else f"≥ {RULES.start_1e4:.0f}",
            share(line["d15_passed"]),
            *(share(line[role]) for role in CALLED),
        ]
        for line in lines
        if line["screenings"]
    ]
    called = [f"called {role}" for role in CALLED]
    return table([heading, "screenings", "true threshold", "D-15 passed", *called], rows)


PARTS = (Part("trivector", "Trivector and verdict", measure),)
