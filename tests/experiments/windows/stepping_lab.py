"""Runs a verb as `lab` does, on a PC whose time of day is set on by an hour in the third trial.

From then on `time.sleep` is refused too, as programs that fake the time make the system do it.
"""

import errno
import os
import sys
import time

import psychtoolbox
from psychtoolbox import hid

STEP_S = 3600.0
IN_TRIAL = 3


class WallClock:
    """The clock that psychtoolbox stamps presses by, and the time of day."""

    def __init__(self):
        self.by_s, self.onsets = 0.0, 0
        self.read_s, self.day_s, self.device = psychtoolbox.GetSecs, time.time, hid.PsychHID

    def secs(self):
        return self.read_s() + self.by_s

    def time(self):
        return self.day_s() + self.by_s

    def ask_device(self, *arguments):
        """Stamp presses of the queue by the clock as it is set."""
        answer = self.device(*arguments)
        if arguments[0] == "KbQueueGetEvent" and answer and answer[0]:
            answer[0]["Time"] += self.by_s
        return answer

    def step_at(self, onset):
        """Have the clock step right after the onset of the third trial."""

        def stepping(actor, onset_s):
            self.onsets += 1
            if self.onsets == IN_TRIAL:
                self.by_s = STEP_S
                time.sleep = refuse
            onset(actor, onset_s)

        return stepping


def refuse(duration_s):
    raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))


def main():
    clock = WallClock()
    psychtoolbox.GetSecs, hid.PsychHID, time.time = clock.secs, clock.ask_device, clock.time
    from experiments.robot_input.actor import ChoiceActor
    from tests.experiments.windows.lab import main as verb

    ChoiceActor.onset = clock.step_at(ChoiceActor.onset)
    return verb(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
