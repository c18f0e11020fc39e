"""The same trial by the suite and by a plain PsychoPy script, by turns."""

from typing import Any

from bench.book import Effort, Measured, table
from bench.parts.timing_picture import draw
from bench.parts.timing_words import (
    NAMES,
    STARTING_S,
    lasting,
    ratio_bars,
    sd_bars,
    spread_cells,
)
from bench.parts.words import verdicts
from experiments.rig.timing.bench import run_virtual
from experiments.rig.timing.errors import MEASURES
from experiments.rig.timing.exclusions import BEYOND_US, REASONS, STILL_AFTER_S, STILL_BEFORE_S
from experiments.rig.timing.settings import TrialSettings
from stimuli.errors import UserError

TRIALS_A_RUN = 150
ON_FRAMES = OFF_FRAMES = 6
SLOT_S = 0.05
QUICK_TRIALS_A_RUN, QUICK_PAIRS = 10, 1
PAIRS = 5
PICTURE = "errors.png"
PROGRAMMES = {
    "suite": "suite",
    "plain": "plain script, waitBlanking=True",
    "plain_without_wait": "plain script, waitBlanking=False",
}


def measure(effort: Effort) -> Measured:
    """Run interleaved pairs and compare; ``--set pairs=15`` asks for so many."""
    pairs = asked_pairs(effort, QUICK_PAIRS if effort.quick else PAIRS)
    each = QUICK_TRIALS_A_RUN if effort.quick else TRIALS_A_RUN
    effort.say(lasting(lasts_s(pairs, each)))
    runs = run_virtual(trial_settings(pairs * each), pairs, effort.say, SLOT_S)
    told = runs.figures()
    bars = [*sd_bars(told["suite"]), *ratio_bars(told["ratio"], len(MEASURES) + 1)]
    by_name = {"suite": runs.suite, "plain": runs.plain, "plain,\nno wait": runs.plain_without_wait}
    draw(by_name, effort.picture(PICTURE))
    shown = effort.shown(PICTURE, "Errors of suite and plain script")
    return Measured(f"{_text(told, bars)}\n\n{shown}", {"bars": bars, **told})


def asked_pairs(effort: Effort, usual: int) -> int:
    """Return how many pairs were asked for, or the usual number."""
    asked = effort.options.get("pairs", str(usual))
    if not asked.isdecimal() or int(asked) < 1:
        raise UserError(f"--set pairs={asked}: ask for a whole number of pairs, 1 or more")
    return int(asked)


def lasts_s(pairs: int, trials_a_run: int) -> float:
    """Return about how long so many pairs take, and the run of the plain script beside them."""
    return (2 * pairs + 1) * (trial_settings(trials_a_run).trial_s * trials_a_run + STARTING_S)


def trial_settings(trials: int) -> TrialSettings:
    """Return so many trials of the bench."""
    return TrialSettings(trials, on_frames=ON_FRAMES, off_frames=OFF_FRAMES)


def _text(told: dict[str, Any], bars: list[dict[str, Any]]) -> str:
    lost = told["suite"]["presses_lost"]
    settings = told["settings"]
    rows = [
        [f"{NAMES[measure]}, {words}", *spread_cells(told[name][f"{measure}_error_ms"])]
        for measure in MEASURES
        for name, words in PROGRAMMES.items()
    ]
    heads = ["error, ms", "mean", "SD", "95 % within", "largest"]
    return (
        f"{settings['on_frames']} frames with a picture, {settings['off_frames']} without, at "
        f"{settings['refresh_hz']:g} Hz in a window of {settings['size_px'][0]} × "
        f"{settings['size_px'][1]} pixels: pairs of runs (here {told['pairs']}) of "
        f"{told['trials_a_run']} trials, suite and plain script by turns, and one run of the plain "
        f"script without waiting. Keys and buttons were pressed all the while at an even grid of "
        f"phases of the frame, half of them for 2 ms; of the suite's "
        f"{told['suite']['presses_sent']} none may be lost: {lost} were.\n\n"
        f"{verdicts(bars)}\n\n{table(heads, rows)}\n\n{_apart(told)}"
    )


def _apart(told: dict[str, Any]) -> str:
    counts = {
        name: sum(told[name]["apart"][m][why] for m in MEASURES for why in REASONS)
        for name in PROGRAMMES
    }
    spoken = ", ".join(f"{counts[name]} of the {words}" for name, words in PROGRAMMES.items())
    return (
        "Samples are left out if photodiode or button box missed more than 1 ms, if this virtual "
        "machine's processor was given to others, or if a "
        f"core stood still for over {BEYOND_US / 1000:g} ms ({STILL_BEFORE_S * 1000:g} ms before a "
        f"press or an edge to {STILL_AFTER_S * 1000:g} ms after it, whatever was recorded of it), "
        "as a sleeper on each core, of higher priority than all else here, witnessed while either "
        f"program ran: {spoken}. They are in the figures' file."
    )
