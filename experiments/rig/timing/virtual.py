"""The virtual bench: suite and plain script by turns, and what is told of them."""

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from experiments.engine.virtual_display import SERVER
from experiments.rig.timing.errors import Errors, errors_of
from experiments.rig.timing.plan import SLOT_S
from experiments.rig.timing.programs import program
from experiments.rig.timing.recording import Programme, record
from experiments.rig.timing.settings import TrialSettings
from experiments.rig.timing.spread import graded, ratios, summary
from stimuli.errors import UserError

LEAST_TRIALS = 10
WORDS: dict[Programme, str] = {
    "suite": "suite",
    "plain": "plain PsychoPy",
    "plain_without_wait": "plain PsychoPy, waitBlanking=False",
}

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class VirtualRuns:
    """The runs of each program, in pairs that followed each other.

    Attributes
    ----------
    settings
        The trials of a run.
    facts
        What each program said of itself: priority, pacing, backend.
    suite, plain, plain_without_wait
        Errors, run by run.
    """

    settings: TrialSettings
    facts: dict[str, Any]
    suite: tuple[Errors, ...]
    plain: tuple[Errors, ...]
    plain_without_wait: tuple[Errors, ...]

    def figures(self) -> dict[str, Any]:
        """Return the figures as plain JSON values."""
        return {
            "suite": summary(self.suite) | {"grade": graded(self.suite)},
            "plain": summary(self.plain) | {"grade": graded(self.plain)},
            "plain_without_wait": summary(self.plain_without_wait)
            | {"grade": graded(self.plain_without_wait)},
            "ratio": ratios(self.suite, self.plain),
            "pairs": len(self.suite),
            "trials_a_run": self.settings.trials,
            "settings": asdict(self.settings),
            "facts": self.facts,
        }


def run_virtual(
    settings: TrialSettings, pairs: int, say: Say, slot_s: float = SLOT_S
) -> VirtualRuns:
    """Run both programs in interleaved pairs, and the plain one without waiting once.

    Parameters
    ----------
    settings
        The trials of all runs of a program together.
    pairs
        How many pairs they are shared out to; fewer where a run would have less than 10 trials.
    say
        Told what is being done.
    slot_s
        Length of a slot of `planned_presses`.

    Raises
    ------
    UserError
        If there is no virtual display or no C compiler here.
    """
    require_rig()
    sizes = shared_out(settings.trials, pairs)
    order = _order(sizes)
    runs: dict[Programme, list[Errors]] = {"suite": [], "plain": [], "plain_without_wait": []}
    facts: dict[str, Any] = {}
    for number, (programme, size) in enumerate(order, start=1):
        say(f"run {number} of {len(order)}: {WORDS[programme]}, {size} trials")
        part = replace(settings, trials=size)
        recording = record(programme, part, slot_s=slot_s)
        runs[programme].append(errors_of(recording))
        facts[programme] = recording.recorded.facts
    each = {name: tuple(found) for name, found in runs.items()}
    return VirtualRuns(replace(settings, trials=sizes[0]), facts, **each)


def require_rig() -> None:
    """Raise UserError if there can be no virtual rig here: what is missing, what to do."""
    if sys.platform != "linux":
        raise UserError(
            "timing: the virtual rig runs on Linux only; measure this PC's own screen with a "
            "photodiode (--sensor)"
        )
    if shutil.which(SERVER) is None:
        raise UserError(
            f"timing: {SERVER} is not installed (Debian: apt-get install xvfb libgl1-mesa-dri)"
        )
    for name in ("photodiode", "button_box"):
        program(name)


def _order(sizes: Sequence[int]) -> list[tuple[Programme, int]]:
    """Return the runs in pairs, by turns the one and the other first; the odd one last."""
    order: list[tuple[Programme, int]] = []
    for number, size in enumerate(sizes):
        turn: tuple[Programme, ...] = ("suite", "plain") if number % 2 == 0 else ("plain", "suite")
        order += [(programme, size) for programme in turn]
    return [*order, ("plain_without_wait", sizes[0])]


def shared_out(trials: int, pairs: int) -> list[int]:
    """Return how many trials each run has: equal shares, at least 10 where there are 10."""
    runs = max(1, min(pairs, trials // LEAST_TRIALS))
    return [trials // runs + (number < trials % runs) for number in range(runs)]
