"""Answers questions on pages in a real window by real clicks; prints what was taken as JSON."""

import json
import sys
import time
from types import SimpleNamespace

from experiments.engine.stage import open_stage
from experiments.engine.virtual_display import own_virtual_display
from experiments.engine.window import WindowSettings
from experiments.pages import waiting as window
from experiments.pages.context import SessionContext
from experiments.pages.text_pages import Pages
from experiments.pages.waiting import Waiting
from experiments.robot_input.actor import Person
from experiments.robot_input.inject import Sent, robot_injector
from experiments.robot_input.input_events import Move, Stroke
from experiments.screens.look import Look
from experiments.screens.page import click_areas, sheets_of
from experiments.screens.parts import Footer, Hint, Option
from participants.session import Question
from participants.texts import load_words

SIZE = (1280, 720)
BACKGROUND = (30, 30, 30)
QUESTION = Question("q", "q", ("one", "two", "three"))
WORDS = {"one": "The first", "two": "The second", "three": "The third"}
MARKDOWN = "## Which of them?"
WAIT_S = 0.25
SELDOM_S = 0.4


class Clicker(Person):
    """Clicks and presses what `script` says once the question stands there."""

    patience_s = 20.0

    def __init__(self, injector):
        self.injector, self.script, self.at_s = injector, [], 0.0

    def choose(self, question, keys, confirm):
        self.at_s = time.perf_counter() + WAIT_S
        for act in self.script:
            self.do(act)

    def do(self, act):
        if isinstance(act, str):
            self.injector.press(Stroke(act, self.at_s, 0.03))
        else:
            x, y = act
            self.injector.move([Move(round(x), round(y), self.at_s - 0.05)])
            self.injector.press(Stroke("left", self.at_s, 0.03, device="mouse"))
        self.at_s += WAIT_S


def middle(area):
    left, top, right, bottom = area
    return (left + right) / 2, (top + bottom) / 2


def main(study_mouse):
    own_virtual_display(SIZE)
    look, words = Look(SIZE, BACKGROUND), load_words("accept_reject", "en")
    shown, taken = [], []
    with (
        open_stage(WindowSettings(BACKGROUND, SIZE), mouse=study_mouse, clicks=True) as stage,
        robot_injector(stage.window.system_id) as injector,
    ):
        actor = Clicker(injector)
        album = SimpleNamespace(keep=lambda name, stage, picture: shown.append(name))
        recorder = SimpleNamespace(append=lambda *args, **fields: None)
        waiting = Waiting(SessionContext(stage, actor, album, recorder), look, words, "# Paused")
        plain = waiting.for_key

        def noted(*args, **how):
            press = plain(*args, **how)
            sent = [one for one in injector.reports() if isinstance(one, Sent)]
            error_s = press.t_s - sent[-1].before_s if sent else None
            taken.append({"key": press.key, "device": press.device, "error_s": error_s})
            return press

        waiting.for_key = noted
        pages = Pages(waiting, actor, look, words)
        options = [Option(str(n), text) for n, text in enumerate(WORDS.values(), 1)]
        (sheet,) = sheets_of(look, MARKDOWN, options)
        footer = Footer(on=Hint((words.cap("return"),), words["continue"]))
        areas, on, _ = click_areas(look, sheet, footer)
        first, second, third = map(middle, areas)
        beside = (10, 10)

        def asked(*script):
            actor.script = script
            taken.clear()
            return {"choice": pages.choose("q", MARKDOWN, QUESTION, WORDS), "taken": list(taken)}

        told = {
            "by_click": asked(second, middle(on)),
            "by_click_and_key": asked(third, "return"),
            "changed": asked(first, second, "3", first, middle(on)),
            "beside": asked(beside, second, beside, "return"),
            "by_key": asked("3", "return"),
        }
        # Seen seldom: only the press's own stamp can tell when it was.
        polls_s, window.POLL_S = window.POLL_S, SELDOM_S
        told["seldom"] = asked(second, "return")
        window.POLL_S = polls_s
        # A click that comes before the question is for nobody.
        actor.at_s = time.perf_counter() + 0.1
        actor.do(first)
        time.sleep(0.4)
        told["early"] = asked("2", "return")
        told["pointer"] = stage.window.handle.mouseVisible
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1] == "mouse" if len(sys.argv) > 1 else False)
