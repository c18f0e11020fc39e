"""The view of a running session beside what is timed: the suite with it and without, by turns."""

from typing import Any

from bench.book import Effort, Measured, Part, table
from bench.parts.timing_pairs import (
    QUICK_PAIRS,
    QUICK_TRIALS_A_RUN,
    SLOT_S,
    TRIALS_A_RUN,
    asked_pairs,
    trial_settings,
)
from bench.parts.timing_words import NAMES, spread_cells
from bench.parts.view_beside import view_beside
from experiments.rig.timing.bench import require_rig
from experiments.rig.timing.errors import MEASURES, Errors, errors_of, ratios, summary
from experiments.rig.timing.recording import record

PAIRS = 8
WORDS = {"with": "`watch` open", "without": "without it"}


def measure(effort: Effort) -> Measured:
    """Run the suite with the view open and without it; ``--set pairs=15`` asks for so many."""
    require_rig()
    pairs = asked_pairs(effort, QUICK_PAIRS if effort.quick else PAIRS)
    runs: dict[str, list[Errors]] = {"with": [], "without": []}
    for number in range(pairs):
        for name in ("with", "without") if number % 2 == 0 else ("without", "with"):
            effort.say(f"pair {number + 1} of {pairs}: {WORDS[name]}")
            runs[name].append(_run(effort, watched=name == "with"))
    told: dict[str, Any] = {name: summary(found) for name, found in runs.items()}
    told |= {"pairs": pairs, "ratio": ratios(runs["with"], runs["without"])}
    return Measured(_text(told), told)


def _run(effort: Effort, *, watched: bool) -> Errors:
    trials = QUICK_TRIALS_A_RUN if effort.quick else TRIALS_A_RUN
    settings = trial_settings(trials)
    if not watched:
        return errors_of(record("suite", settings, slot_s=SLOT_S))
    with view_beside() as seen:
        recording = record("suite", settings, slot_s=SLOT_S)
        if not seen:
            raise RuntimeError("watch showed nothing")
    return errors_of(recording)


def _text(told: dict[str, Any]) -> str:
    rows = [
        [f"{NAMES[measure]}, {words}", *spread_cells(told[name][f"{measure}_error_ms"])]
        for measure in MEASURES
        for name, words in WORDS.items()
    ]
    lost = sum(told[name]["presses_lost"] for name in WORDS)
    ratio_rows = [
        [NAMES[measure], *_cells(told["ratio"][f"{measure}_error_ms"])] for measure in MEASURES
    ]
    return (
        f"The suite's trials as above, {told['pairs']} pairs of runs by turns: with `watch` open "
        "at another terminal, on a session that has a trial every second, and without it. Of the "
        f"presses {lost} were lost.\n\n"
        f"{table(['error, ms', 'mean', 'SD', '95 % within', 'largest'], rows)}\n\n"
        "SD with the view by SD without it, over the pairs:\n\n"
        f"{table(['error', 'ratio', '95 % interval'], ratio_rows)}"
    )


def _cells(found: dict[str, Any] | None) -> list[str]:
    if found is None:
        return ["", ""]
    limits = (found["ci_low"], found["ci_high"])
    interval = "" if None in limits else f"{limits[0]:.2f} to {limits[1]:.2f}"
    return [f"{found['estimate']:.2f}", interval]


PART = Part("watch", "The view of a session beside it", measure)
