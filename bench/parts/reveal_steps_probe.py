"""Shows rounds of a sketch with the study's own presenter, typed into all the while.

Prints what was recorded of each round.
"""

import json
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import psutil

from bench.parts.soak_probe import noting_late_flips
from experiments.engine.stage import open_stage
from experiments.engine.window import WindowSettings
from experiments.pages.context import Album, SessionContext
from experiments.pages.interruptions import PauseSettings
from experiments.pages.settings import ScreenSettings
from experiments.pages.waiting import Waiting
from experiments.rig.profile import read_rig
from experiments.robot_input.actor import Person
from experiments.robot_input.inject import InputInjector, robot_injector
from experiments.robot_input.input_events import InputEvent, Move, Stroke
from experiments.screens.library import Library
from experiments.screens.look import Look
from experiments.studies.progressive_reveal.actor import LinePx
from experiments.study import background_of, screens_of
from participants.lists import Assignment
from participants.session import SessionPlan
from participants.studies.progressive_reveal.plan import ORDER, plan_session
from participants.studies.progressive_reveal.rounds import RevealRound
from stimuli.pack import Pack
from stimuli.protocol import load_protocol
from stimuli.studies.progressive_reveal.classes import Classes
from stimuli.studies.progressive_reveal.sketch import sketch
from stimuli.studies.progressive_reveal.tables import CLASSES, LISTS

SIZE_PX: Final = (1280, 720)
LANGUAGE: Final = "en"
STEPS: Final = 15
KEYS_A_SECOND: Final = 10
HOLD_S: Final = 0.03
FEEDBACK_S: Final = 0.3
SETTLE_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class Plan:
    """How many rounds of which length of steps: quick ones, and slow ones among them."""

    quick_rounds: int
    quick_step_s: float
    slow_rounds: int
    slow_step_s: float

    def lengths_s(self) -> list[float]:
        """Return the length of each round's steps, the slow ones spread evenly."""
        rounds = self.quick_rounds + self.slow_rounds
        slow = {round((n + 0.5) * rounds / self.slow_rounds) for n in range(self.slow_rounds)}
        return [self.slow_step_s if n in slow else self.quick_step_s for n in range(rounds)]


class Typist(Person):
    """Types without a stop: wrong answers, letters that name nothing, corrections, arrows, clicks.

    Parameters
    ----------
    injector
        Presses.
    names
        Of the classes, by their ids.
    """

    def __init__(self, injector: InputInjector, names: dict[str, str]) -> None:
        self._injector = injector
        self._names = names
        self._rng = random.Random(1)

    def expect(self, task: RevealRound, where: LinePx | None = None) -> None:
        """Make up all keys of a round, and have the hand ready for them."""
        self._injector.reports()
        wrong = {one: name for one, name in self._names.items() if one != task.right_class}
        assert where is not None
        keys = self._keys(wrong, where)
        last = int(task.steps * task.step_s * KEYS_A_SECOND)
        self._injector.prepare(
            replace(act, at_s=number / KEYS_A_SECOND)
            for number in range(1, last)
            for act in next(keys)
        )

    def onset(self, onset_s: float) -> None:
        """Have them typed."""
        self._injector.begin(onset_s)

    def broken_off(self) -> None:
        """Let go."""
        self._injector.forget()

    def _keys(self, wrong: dict[str, str], line_px: LinePx) -> Iterator[list[InputEvent]]:
        for kind in cycle(("answer", "gibberish", "click", "arrows")):
            class_id = self._rng.choice(sorted(wrong))
            letters = wrong[class_id].lower().split()[0]
            if kind == "answer":
                yield from ([self._key(letter)] for letter in letters)
                yield [self._key("return")]
            elif kind == "gibberish":
                yield from ([self._key(letter)] for letter in "qxzq")
                yield from ([self._key("backspace")] for _ in range(4))
            elif kind == "click" and (at_px := line_px(letters[:2], class_id)) is not None:
                yield from ([self._key(letter)] for letter in letters[:2])
                yield [Move(*at_px, 0.0)]
                yield [Stroke("left", 0.0, hold_s=HOLD_S, device="mouse")]
            elif kind == "arrows":
                yield from ([self._key(key)] for key in (letters[0], "down", "down", "up"))
                yield [self._key("escape")]

    @staticmethod
    def _key(key: str) -> Stroke:
        return Stroke(key, 0.0, hold_s=HOLD_S)


class Events:
    """Keeps the last flips, and when the last round was prepared."""

    def __init__(self) -> None:
        self.flips: list[float] = []
        self.prepared_s = 0.0

    def append(self, event: str, *, t_monotonic_s: float | None = None, **fields: Any) -> None:
        """Take an event; see `participants.journal.Recorder`."""
        if event == "trial_start":
            self.flips, self.prepared_s = [], time.perf_counter()
        elif event == "flip":
            assert t_monotonic_s is not None
            self.flips.append(t_monotonic_s)


def main(plan: Plan) -> None:
    """Show a plan's rounds in a window of the display that DISPLAY names."""
    pack, session = _session(plan)
    rig = read_rig(Path("no such rig"))
    background = background_of(pack.protocol, rig.colours)
    parts = screens_of(pack).load_parts()
    words = Library(session.text_folder, LANGUAGE).words()
    look = Look(SIZE_PX, background, LANGUAGE)
    painter = parts.painter(pack, pack.protocol, rig.colours)
    settings = ScreenSettings(painter, rig, look, words, {})
    process, events = psutil.Process(), Events()
    with (
        open_stage(WindowSettings(background, SIZE_PX), marker=True, mouse=True) as stage,
        robot_injector(stage.window.system_id) as injector,
    ):
        print(json.dumps({"hz": 1 / stage.period_s, "pacing": stage.pacing.name}), flush=True)
        time.sleep(SETTLE_S)
        injector.stop_repeats()
        names = {
            name.class_id: name.name for name in Classes.of(pack.table(CLASSES), LANGUAGE).names
        }
        context = SessionContext(stage, Typist(injector, names), Album(None), events)
        waiting = Waiting(context, look, words, PauseSettings("", "", ""))
        presenter = parts.presenter(context, settings, session, waiting)
        late = noting_late_flips(stage)
        for step, step_s in zip(session.trials, plan.lengths_s(), strict=False):
            late.clear()
            begun_s = time.perf_counter()
            step = replace(step, step_s=step_s, feedback_s=FEEDBACK_S)
            result = presenter.reveal(step)
            presenter.reveal_feedback(step, result)
            onsets_s = [
                result.presented.onset_t_monotonic_s + at_s for at_s in result.step_onsets_s
            ]
            told = {
                "step_s": step_s,
                "steps_s": onsets_s,
                "offset_s": events.flips[-1],
                "dropped": result.presented.frames_dropped,
                "late": [one for one in late if onsets_s[0] < one[1] <= events.flips[-1]],
                "keystrokes": len(result.keystrokes),
                "attempts": len(result.attempts),
                "prepared_s": events.prepared_s - begun_s,
                "texture_bytes": 3 * (step.steps + 2) * pack.protocol.image_pixels,
                "rss_bytes": process.memory_info().rss,
            }
            print(json.dumps(told), flush=True)


def _session(plan: Plan) -> tuple[Pack, SessionPlan]:
    rounds = plan.quick_rounds + plan.slow_rounds
    classes = 17
    changes = {
        "images": {"classes": classes, "images_per_class": -(-rounds // classes)},
        "session": {
            "sittings": 1, "rounds_per_sitting": classes * -(-rounds // classes),
            "practice_rounds": 0, "catch_rounds": 0, "fixation_s": 0.2,
        },
        "reveal": {"steps": STEPS},
    }  # fmt: skip
    pack = sketch(load_protocol("progressive_reveal", None, changes))
    list_id = min(str(row["list"]) for row in pack.table(LISTS))
    return pack, plan_session(pack, Assignment(list_id, ORDER), LANGUAGE, "AAAAA")


if __name__ == "__main__":
    main(Plan(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])))
