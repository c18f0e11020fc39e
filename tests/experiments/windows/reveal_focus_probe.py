"""Another window takes the focus during rounds and while words are copied; prints JSON."""

import json
import sys
import time
from dataclasses import replace
from pathlib import Path

from experiments.engine.stage import open_stage
from experiments.engine.virtual_display import own_virtual_display
from experiments.engine.window import WindowSettings
from participants.studies.progressive_reveal.rounds import CopyTask, RevealRound
from stimuli.pack import open_pack
from tests.experiments.windows.focus_probe import SIZE, Desk, come_back
from tests.experiments.windows.hands import CHORD, hands_at

STEP_S = 0.4


def round_of(desk, place):
    """Return a round that lasts long enough for all that a script does."""
    step = [step for step in desk.plan.steps if isinstance(step, RevealRound)][place]
    return replace(step, step_s=STEP_S)


def name_of(desk, step):
    return list(desk.tasks._names[step.right_class].lower())


def lost(desk):
    """The name is typed into another window, and the session's end asked for there."""
    step = round_of(desk, 0)

    def script(hands):
        desk.actor.wait()
        hands.focus("other")
        hands.type("other", *name_of(desk, step), "return")
        hands.type("other", "x", modifiers=CHORD)
        hands.focus("ours")

    with desk.hands.doing(script):
        result = desk.tasks.reveal(step)
    return desk.told(result, left=result.left, attempts=len(result.attempts))


def after(desk):
    """The next round waits for the pause's end, and its fixation loses the focus once more."""
    step = replace(round_of(desk, 1), fixation_s=1.5)
    images = []

    def script(hands):
        come_back(desk)
        # Into the fixation, after pictures were made ready.
        desk.wait_for("trial_start")
        time.sleep(0.3)
        hands.focus("other")
        time.sleep(2.0)
        images.append(desk.actor.came)
        come_back(desk)
        desk.actor.wait()
        hands.type("ours", *name_of(desk, step), "return")

    with desk.hands.doing(script):
        result = desk.tasks.reveal(step)
    rights = [attempt.right for attempt in result.attempts]
    return desk.told(result, rights=rights, images_before=images)


def copied(desk):
    """A word is begun, another window comes before it, and the word is shown again."""

    def script(hands):
        desk.actor.wait()
        hands.type("ours", "a")
        hands.focus("other")
        hands.type("other", "b", "return")
        come_back(desk)
        desk.actor.wait()
        hands.type("ours", "a", "b", "return")

    with desk.hands.doing(script):
        (word,) = desk.tasks.copy(CopyTask("copying", ("ab",)))
    return desk.told(keys=[one.key for one in word.keystrokes])


def main(pack_folder):
    own_virtual_display(SIZE)
    with (
        open_stage(WindowSettings((30, 30, 30), SIZE), mouse=True) as stage,
        hands_at(stage.window.system_id) as hands,
    ):
        desk = Desk(stage, open_pack(Path(pack_folder)), hands)
        print(json.dumps({"lost": lost(desk), "after": after(desk), "copied": copied(desk)}))


if __name__ == "__main__":
    main(sys.argv[1])
