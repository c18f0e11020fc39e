"""Pacing at the rates of usual displays."""

from bench.book import Effort, Measured, table
from bench.parts.timing_words import STARTING_S, lasting, ms
from bench.parts.words import bar, verdicts
from experiments.rig.timing.errors import errors_of, summary
from experiments.rig.timing.recording import record
from experiments.rig.timing.settings import TrialSettings

RATES_HZ, QUICK_RATES_HZ = (60, 75, 100, 120, 144), (75, 144)
ON_S, OFF_S = 0.2, 0.3
TRIALS, QUICK_TRIALS = 60, 8
LARGEST_SD_MS = 0.10


def measure(effort: Effort) -> Measured:
    """Run the suite's trial at each rate."""
    rates, trials = (QUICK_RATES_HZ, QUICK_TRIALS) if effort.quick else (RATES_HZ, TRIALS)
    effort.say(lasting(len(rates) * (trials * (ON_S + OFF_S) + STARTING_S)))
    told = {}
    for hz in rates:
        effort.say(f"{hz} Hz")
        settings = TrialSettings(trials, hz, round(ON_S * hz), round(OFF_S * hz))
        told[str(hz)] = summary([errors_of(record("suite", settings))])
    worst = max(
        float("inf") if one[key] is None else one[key]["sd"]
        for one in told.values()
        for key in ("onset_error_ms", "duration_error_ms")
    )
    asked = f"onset and duration error: SD ≤ {LARGEST_SD_MS:.2f} ms at every rate"
    bars = [bar(1, asked, f"≤ {ms(worst)} ms", worst <= LARGEST_SD_MS)]
    rows = [
        [
            f"{hz} Hz",
            *(
                "" if one[key] is None else f"{one[key]['mean']:.3f} ± {one[key]['sd']:.3f}"
                for key in ("onset_error_ms", "duration_error_ms", "key_error_ms")
            ),
            str(one["frames_dropped"]),
            f"{one['presses_lost']} of {one['presses_sent']}",
        ]
        for hz, one in told.items()
    ]
    heads = ["rate", "onset, ms", "duration, ms", "key, ms", "frames dropped", "presses lost"]
    text = (
        f"{trials} trials a rate, {ON_S:g} s with and {OFF_S:g} s without the picture. Errors as "
        f"mean ± SD.\n\n{verdicts(bars)}\n\n{table(heads, rows)}"
    )
    return Measured(text, {"bars": bars, "trials": trials, **told})
