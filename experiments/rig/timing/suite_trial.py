"""The bench's trial through the engine, as the studies present theirs."""

import json
import sys
import time
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from experiments.engine.input import Press
from experiments.engine.pacing import SoftwarePacing
from experiments.engine.picture import Layer, Picture
from experiments.engine.present import Presentation, Shown, present
from experiments.engine.stage import Marker, Stage, open_stage
from experiments.engine.window import WindowSettings, has_window_manager
from experiments.rig.timing.settings import TrialSettings

BACKGROUND = (30, 30, 30)
PICTURE_PX = 480
DRAIN_S = 0.3


class BlinkingMarker(Marker):
    """A marker that changes with every critical frame, the first of which is light."""

    _light = False

    def draw(self, critical: bool) -> None:
        """Draw the patch."""
        self._light = critical and not self._light
        super().draw(self._light)


@dataclass(slots=True)
class Record:
    """The record of the trials so far."""

    outcomes: list[Shown] = field(default_factory=list)
    presses: list[Press] = field(default_factory=list)

    def note(self, press: Press) -> bool:
        """Keep a press; return False, since no press ends a presentation."""
        self.presses.append(press)
        return False

    def to_json(self, stage: Stage) -> str:
        """Return the record in the format that both programs of the bench use."""
        return json.dumps(
            {
                "onsets_s": [outcome.onset_s for outcome in self.outcomes],
                "offsets_s": [outcome.offset_s for outcome in self.outcomes],
                "dropped": [outcome.frames.dropped for outcome in self.outcomes],
                "presses": [(press.device, press.key, press.t_s) for press in self.presses],
                "facts": {
                    "backend": stage.keyboard.backend,
                    "pacing": stage.pacing.name,
                    "priority": stage.priority,
                    "refresh_hz": 1 / stage.period_s,
                    "size_px": stage.window.size_px,
                },
            }
        )


def run_trials(stage: Stage, settings: TrialSettings) -> Record:
    """Run the trials; before the first, say "ready" on standard output, and wait for a line.

    Presses are taken until standard input ends.
    """
    noise = np.random.Generator(np.random.PCG64(1)).integers(
        0, 256, (PICTURE_PX, PICTURE_PX, 3), dtype=np.uint8
    )
    width, height = stage.window.size_px
    left_px, top_px = (width - PICTURE_PX) // 2, (height - PICTURE_PX) // 2
    trial = Presentation(
        fixation=None,
        stimulus=stage.picture([Layer(noise, left_px, top_px)]),
        after=None,
        fixation_s=0.0,
        # The next trial's first frame follows the last frame waited for here.
        limit_s=settings.trial_s - settings.period_s,
        answer_keys=frozenset(),
        exposure_s=settings.on_s,
    )
    record = Record()
    print("ready", flush=True)
    sys.stdin.readline()
    for _ in range(settings.trials):
        outcome = present(stage, trial, is_interrupt=record.note)
        assert isinstance(outcome, Shown)
        record.outcomes.append(outcome)
    sys.stdin.read()
    time.sleep(DRAIN_S)
    record.presses.extend(stage.presses())
    return record


def paced(stage: Stage, settings: TrialSettings) -> Stage:
    """Return the stage at the wanted rate if the clock paces it, with the settings' marker."""
    if stage.pacing.name == "software":
        stage = replace(stage, pacing=SoftwarePacing(settings.period_s))
    return (
        replace(stage, marker=BlinkingMarker(partial(Picture, stage.window)))
        if settings.blinking
        else stage
    )


def main(settings: TrialSettings) -> None:
    """Run the trials in a window of the display that DISPLAY names; print what they recorded."""
    full_screen = settings.size_px is None and has_window_manager()
    window = WindowSettings(BACKGROUND, settings.size_px, full_screen=full_screen)
    with open_stage(window, marker=True, mouse=True) as stage:
        stage = paced(stage, settings)
        settings = replace(settings, refresh_hz=1 / stage.period_s)
        print(run_trials(stage, settings).to_json(stage), flush=True)


if __name__ == "__main__":
    main(TrialSettings.from_json(sys.argv[1]))
