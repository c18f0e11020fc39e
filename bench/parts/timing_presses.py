"""Ten thousand presses: none may be lost. What a plain script loses, and when it stamps."""

import math
from typing import Any

from bench.book import Effort, Measured, table
from bench.parts.timing_words import STARTING_S, lasting, sd_bars, spread_cells
from bench.parts.words import bar, verdicts
from experiments.rig.timing.errors import errors_of, summary
from experiments.rig.timing.instruments import BETWEEN_TWO_S, LONG_S, SHORT_S
from experiments.rig.timing.recording import Programme, record
from experiments.rig.timing.settings import TrialSettings

SLOT_S = 0.034
SLOTS_A_ROUND, PRESSES_A_ROUND = 5, 6
PRESSES: dict[Programme, int] = {"suite": 10_000, "plain": 1_000}
QUICK_PRESSES = 100


def measure(effort: Effort) -> Measured:
    """Press, press, press."""
    counts = dict.fromkeys(PRESSES, QUICK_PRESSES) if effort.quick else PRESSES
    effort.say(lasting(sum(map(lasts_s, counts.values()))))
    told = {}
    for programme, presses in counts.items():
        effort.say(f"{programme}: {presses} presses")
        settings = TrialSettings(_trials_for(presses))
        told[programme] = summary([errors_of(record(programme, settings, slot_s=SLOT_S))])
    suite = told["suite"]
    judged = [line for line in sd_bars(suite) if "key" in line["asked"] or "mouse" in line["asked"]]
    lost = f"{suite['presses_lost']} lost, {suite['presses_extra']} made up"
    none_lost = bar(
        1,
        f"of {suite['presses_sent']} presses none is lost and none made up",
        lost,
        suite["presses_lost"] == suite["presses_extra"] == 0,
    )
    bars = [none_lost, *({**line, "bar": 2 + number} for number, line in enumerate(judged))]
    return Measured(f"{_text(told)}\n\n{verdicts(bars)}\n\n{_table(told)}", {"bars": bars, **told})


def lasts_s(presses: int) -> float:
    """Return about how long so many presses take."""
    return TrialSettings(1).trial_s * _trials_for(presses) + STARTING_S


def _trials_for(presses: int) -> int:
    """Return so many trials that at least so many presses fall into them."""
    rounds = math.ceil(presses / PRESSES_A_ROUND) + 1
    lasting_s = rounds * SLOTS_A_ROUND * SLOT_S
    return math.ceil(lasting_s / TrialSettings(1).trial_s) + 1


def _text(told: dict[str, Any]) -> str:
    plain = told["plain"]
    return (
        "Keys and mouse buttons at an even grid of phases of the frame: by turns a key and a "
        f"button held for {LONG_S * 1000:g} ms, a key and a button held for {SHORT_S * 1000:g} ms, "
        f"and two keys {BETWEEN_TWO_S * 1000:g} ms apart, every {SLOT_S * 1000:g} ms. The "
        f"plain script polls keys and buttons once per frame, as PsychoPy's Builder does: of "
        f"{plain['short_sent']} presses that were shorter than a frame it lost "
        f"{plain['short_lost']}, and a button's stamp is the time of the poll."
    )


def _table(told: dict[str, Any]) -> str:
    programmes = {"suite": "suite", "plain": "plain script"}
    counts = [
        [
            words,
            str(told[name]["presses_sent"]),
            str(told[name]["presses_lost"]),
            str(told[name]["short_sent"]),
            str(told[name]["short_lost"]),
        ]
        for name, words in programmes.items()
    ]
    errors = [
        [f"{words}, {kind}", *spread_cells(told[name][f"{measure}_error_ms"])]
        for name, words in programmes.items()
        for measure, kind in (("key", "keys"), ("button", "buttons"))
    ]
    return "\n\n".join(
        [
            table(["presses", "sent", "lost", "under a frame", "of these lost"], counts),
            table(["error, ms", "mean", "SD", "95 % within", "largest"], errors),
        ]
    )
