"""Types into another window while ours asks for consent, shows trials and is painted in.

Prints what came of it as JSON: what was answered, and what the journal would hold.
"""

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from experiments.engine.focus import SETTLE_S
from experiments.engine.present import Presentation, present
from experiments.engine.stage import open_stage
from experiments.engine.virtual_display import own_virtual_display
from experiments.engine.window import WindowSettings
from experiments.pages import interruptions
from experiments.pages.context import Album, SessionContext
from experiments.pages.settings import ScreenSettings
from experiments.pages.text_pages import TextPages
from experiments.rig.profile import read_rig
from experiments.robot_input.actor import Person
from experiments.screens.library import Library
from experiments.screens.look import Look
from experiments.screens.page import note_layers
from experiments.study import background_of, screens_of
from participants.session import Consent
from participants.study import session_kind_of
from stimuli.pack import open_pack
from tests.experiments.rehearsal import usual_plan
from tests.experiments.windows.hands import CHORD, Watched, hands_at

SIZE = (1024, 768)
LIMIT_S = 6.0
COUNTDOWN_S = 3.0
PATIENCE_S = 100


def plan_of(pack):
    """Return somebody's plan; experts are all shown the same."""
    if session_kind_of(pack).orders is None:
        return session_kind_of(pack).plan(pack, None, "en", "AAAAA")
    return usual_plan(pack, "en")


class Reader(Person, Watched):
    """Somebody whose script waits for onsets, and for pages, which are recorded as they come."""

    def __init__(self, record):
        Watched.__init__(self)
        self._record = record

    onset = Watched.onset

    def turn(self, key, from_s, modifiers=()):
        self._record("page", key=key)

    def choose(self, question, keys, confirm):
        self._record("page", key=confirm)


class Screens(Album):
    """Records which screens are shown, and saves none."""

    def __init__(self, record):
        super().__init__(None)
        self._record = record

    def keep(self, name, stage, picture):
        self._record("screen", name=name)


class Desk:
    """A session's pages and tasks in a window, and what they record."""

    def __init__(self, stage, pack, hands, countdown_s=0.0):
        self.stage, self.hands, self.events, self.read = stage, hands, [], 0
        self.actor = Reader(self._append)
        protocol, rig = pack.protocol, read_rig(Path("no such rig"))
        look = Look(SIZE, background_of(protocol, rig.colours), "en")
        plan = plan_of(pack)
        library = Library(plan.text_folder, "en")
        lab = {"institution": "a", "contact": "b", "terms": "c"}
        parts = screens_of(pack).load_parts()
        painter = parts.painter(pack, protocol, rig.colours)
        settings = ScreenSettings(painter, rig, look, library.words(), lab, countdown_s)
        recorder = SimpleNamespace(append=self._append)
        context = SessionContext(stage, self.actor, Screens(self._append), recorder)
        self.plan = plan
        self.pages = TextPages(context, settings, plan, library, parts.page_stimuli(settings))
        self.tasks = parts.presenter(context, settings, plan, self.pages.waiting)

    def _append(self, event, **fields):
        self.events.append((event, fields))

    def wait_for(self, event, **fields):
        """Return when something was recorded after what was last waited for."""
        until = time.monotonic() + PATIENCE_S
        while True:
            for place, (kind, known) in enumerate(self.events[self.read :], start=self.read):
                if kind == event and fields.items() <= known.items():
                    self.read = place + 1
                    return
            assert time.monotonic() < until, f"no {event} {fields} came after {self.events}"
            time.sleep(0.01)

    def turn(self, key, *keys, modifiers=()):
        """Press keys in our window once a page waits for one of this name."""
        self.wait_for("page", key=key)
        self.hands.type("ours", *(keys or (key,)), modifiers=modifiers)

    def told(self, result=None, **more):
        """Return what was recorded since the last time, and what is known of a result."""
        events, self.events, self.read = self.events, [], 0
        told = {
            "kinds": [event for event, _ in events if event in ("pause", "continue", "focus")],
            "here": [fields["here"] for event, fields in events if event == "focus"],
            "reasons": [fields["reason"] for event, fields in events if event == "pause"],
            "notes": [fields for event, fields in events if event == "note"],
            "starts": [event for event, _ in events].count("trial_start"),
            **more,
        }
        if result is None:
            return told
        shown = result.presented
        return told | {"flagged": shown.flagged, "dropped": shown.frames_dropped}


def come_back(desk):
    """Focus our window and end the pause."""
    desk.hands.focus("ours")
    desk.wait_for("page", key="return")
    # What follows the focus at once isn't taken.
    time.sleep(2 * SETTLE_S)
    desk.hands.type("ours", "return")


def consent(desk):
    """Consent is given in the other window, and declined in ours."""

    def script(hands):
        desk.wait_for("page")
        hands.focus("other")
        hands.type("other", "space", "space", "1", "return")
        come_back(desk)
        desk.turn("space")
        desk.turn("space")
        desk.turn("return", "2", "return")

    step = next(step for step in desk.plan.steps if isinstance(step, Consent))
    with desk.hands.doing(script):
        result = desk.pages.consent(step)
    return desk.told(agreed=result.agreed)


def trial(desk, number):
    """A trial is decided in the other window; the next one, after the pause, in ours."""
    first, second = (replace(desk.plan.trials[n], limit_s=LIMIT_S) for n in (number, number + 1))

    def script(hands):
        desk.actor.wait()
        hands.focus("other")
        hands.type("other", first.key_of("accept"))
        hands.focus("ours")

    with desk.hands.doing(script):
        lost = desk.tasks.trial(first)
    between = desk.told(lost, choice=lost.choice)

    def script_after(hands):
        come_back(desk)
        desk.actor.wait()
        hands.type("ours", second.key_of("reject"))

    with desk.hands.doing(script_after):
        after = desk.tasks.trial(second)
    return {"lost": between, "after": desk.told(after, choice=after.choice)}


def fixation(desk, number):
    """The focus is lost before the plate: it waits, unseen."""
    shown = replace(desk.plan.trials[number], limit_s=LIMIT_S, fixation_s=1.5)
    plates = []

    def script(hands):
        desk.wait_for("trial_start")
        time.sleep(0.3)
        hands.focus("other")
        time.sleep(2.0)
        plates.append(desk.actor.came)
        come_back(desk)
        desk.actor.wait()
        hands.type("ours", shown.key_of("reject"))

    with desk.hands.doing(script):
        result = desk.tasks.trial(shown)
    return desk.told(result, choice=result.choice, plates_before=plates)


def locked(desk, number):
    """The screen is locked in mid-trial; what is typed to unlock it decides nothing."""
    shown = replace(desk.plan.trials[number], limit_s=LIMIT_S)

    def script(hands):
        desk.actor.wait()
        hands.lock()
        time.sleep(0.1)
        hands.type("ours", shown.key_of("accept"))
        hands.unlock()

    with desk.hands.doing(script):
        result = desk.tasks.trial(shown)
    told = desk.told(result, choice=result.choice)
    with desk.hands.doing(lambda _: come_back(desk)):
        desk.pages.waiting.between()
    return told | {"after": desk.told()["reasons"]}


def covered(desk, number):
    """A notification lies over a plate for a while: it takes no focus, and the answer counts."""
    shown = replace(desk.plan.trials[number], limit_s=LIMIT_S)

    def script(hands):
        desk.actor.wait()
        hands.lay("other", over=True)
        time.sleep(0.3)
        hands.lay("other", over=False)
        time.sleep(0.3)
        hands.type("ours", shown.key_of("accept"))

    with desk.hands.doing(script):
        result = desk.tasks.trial(shown)
    told = desk.told(result, choice=result.choice)
    with desk.hands.doing(lambda _: come_back(desk)):
        desk.pages.waiting.between()
    return told | {"after": desk.told()["reasons"]}


def mouse(stage, hands):
    """Buttons are pressed with the pointer over another window, and with it over ours."""
    watched = Watched()
    shown_of = Presentation(None, stage.picture(()), None, 0.0, 1.5, frozenset({"left"}), None)

    def script(hands, place):
        watched.wait()
        hands.lay("other", over=True)
        hands.focus("other")
        hands.click(*place)

    answers = []
    for place in ((SIZE[0] - 30, SIZE[1] - 30), (300, 300)):
        hands.focus("ours")
        stage.focus.is_here()
        with hands.doing(script, place):
            shown = present(stage, replace(shown_of, device="mouse"), watch=watched.onset)
        hands.lay("other", over=False)
        answers.append(None if shown.answer is None else shown.answer.key)
    here = stage.focus.is_here()
    return {"answers": answers, "a_click_brings_it_back": here}


def pause(desk, number):
    """A pause is asked for in mid-trial; it is taken back in the countdown; a note is written."""
    shown = replace(desk.plan.trials[number], limit_s=LIMIT_S)
    # Where the sign comes.
    box = (SIZE[0] // 2 - 100, int(0.03 * SIZE[1]), 200, int(0.05 * SIZE[1]))
    seen = []

    def script(hands):
        desk.actor.wait()
        seen.append(hands.seen(box))
        hands.type("ours", "p", modifiers=CHORD)
        until = time.monotonic() + LIMIT_S / 2
        while hands.seen(box) == seen[0] and time.monotonic() < until:
            time.sleep(0.01)
        seen.append(hands.seen(box))
        hands.type("ours", shown.key_of("accept"))

    with desk.hands.doing(script):
        result = desk.tasks.trial(shown)
    told = desk.told(result, choice=result.choice, sign=seen[0] != seen[1])
    ended_s = []

    def script_after(hands):
        desk.turn("return")
        desk.wait_for("screen", name="countdown")
        hands.type("ours", "p", modifiers=CHORD)
        desk.turn("return", "n", modifiers=CHORD)
        desk.wait_for("note page")
        hands.type("ours", "f", "i", "r", "x", "backspace", "e", "space", "8", "return")
        desk.turn("return", "n", modifiers=CHORD)
        desk.wait_for("note page")
        hands.type("ours", "a", "escape")
        desk.wait_for("page", key="return")
        ended_s.append(time.perf_counter())
        hands.type("ours", "return")

    def noted(*arguments):
        desk.events.append(("note page", {}))
        return note_layers(*arguments)

    with patch.object(interruptions, "note_layers", noted), desk.hands.doing(script_after):
        desk.pages.waiting.between()
    after_s = time.perf_counter() - ended_s[0]
    return {"during": told, "after": desk.told(after_s=after_s)}


def painting(desk):
    """A plate is named and done in the other window; then in ours, as something else."""
    task = next(task for task in desk.plan.trials if task.phase == "main")

    def script(hands):
        desk.actor.wait()
        hands.focus("other")
        hands.type("other", "n", "return")
        come_back(desk)
        desk.actor.wait()
        hands.type("ours", "4")
        hands.type("ours", "n", "return")

    with desk.hands.doing(script):
        result = desk.tasks.strokes(task)
    responses = [fields["key"] for event, fields in desk.events if event == "response"]
    more = {"label": result.label, "responses": responses, "interruptions": result.interruptions}
    return desk.told(result, **more)


def main(what, pack_folder):
    own_virtual_display(SIZE)
    pack = open_pack(Path(pack_folder))
    with (
        open_stage(WindowSettings((30, 30, 30), SIZE), mouse=what == "trials") as stage,
        hands_at(stage.window.system_id) as hands,
    ):
        if what == "painting":
            print(json.dumps(painting(Desk(stage, pack, hands))))
            return
        desk = Desk(stage, pack, hands)
        told = {
            "consent": consent(desk),
            "trial": trial(desk, 0),
            "fixation": fixation(desk, 2),
            "locked": locked(desk, 3),
            "covered": covered(desk, 5),
            "mouse": mouse(stage, hands),
            "pause": pause(Desk(stage, pack, hands, COUNTDOWN_S), 4),
        }
        print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
