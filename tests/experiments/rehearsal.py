"""A whole session on paper: the window's own presenters, with pictures in place of a window.

Every screen that a session can show is drawn once, and every piece of text on it is noted with
its box, size and colour, so that layouts can be judged without a display.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from PIL import ImageDraw

from experiments.engine.clock import StimulusClock
from experiments.engine.input import Press
from experiments.engine.pacing import VsyncPacing
from experiments.engine.picture import Layers, Pixels
from experiments.engine.stage import Overlay
from experiments.engine.triggers import TriggerLine
from experiments.pages.context import SessionContext
from experiments.pages.settings import ScreenSettings
from experiments.pages.text_pages import TextPages
from experiments.rig.profile import read_rig
from experiments.robot_input.actor import DECLINE, Person
from experiments.screens.library import Library
from experiments.screens.look import Look
from experiments.study import background_of, screens_of
from participants.lab_settings import consent_values
from participants.lists import Assignment
from participants.session import Around, Check, SessionPlan, run_session
from participants.study import session_kind_of
from stimuli.pack import Pack
from tests.experiments.composing import composed

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text as it was drawn.

    Attributes
    ----------
    text
        What it says.
    line_px
        Where its line lies; None for what doesn't stand on one, such as hints.
    box
        Of its ink: left, top, right, bottom.
    size_px, colour
        Of its letters.
    """

    text: str
    line_px: float | None
    box: Box
    size_px: int
    colour: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen that was shown.

    Attributes
    ----------
    name
        As the album names it.
    size_px, background
        Of the screen.
    layers
        What was drawn.
    texts
        The pieces of text among it, in drawing order.
    """

    name: str
    size_px: tuple[int, int]
    background: tuple[int, int, int]
    layers: Layers
    texts: tuple[Text, ...]

    def pixels(self) -> Pixels:
        """Return what the screen looks like, uint8 (height, width, 3)."""
        return composed(self.layers, self.size_px, self.background)


@dataclass(frozen=True)
class Rehearsal:
    """A session on paper.

    Attributes
    ----------
    pack, plan
        What is shown.
    paper, stage
        Where its screens are drawn.
    keep
        Keeps a screen: name, stage and picture.
    """

    pack: Pack
    plan: SessionPlan
    paper: "Paper"
    stage: "PaperStage"
    keep: Callable[[str, object, "PaperPicture"], None]

    @classmethod
    def of(cls, pack: Pack, plan: SessionPlan, size_px: tuple[int, int]) -> "Rehearsal":
        """Return a session of which every screen is kept once."""
        paper = Paper()
        return cls(pack, plan, paper, PaperStage(paper, size_px), paper.keep)

    def run(self, actor: "Participant", done: frozenset[str]) -> None:
        """Take somebody through what is not done yet, as a session in a window does."""
        settings, library = self.settings(), self._library()
        recorder = SimpleNamespace(append=lambda *args, **fields: None)
        album = SimpleNamespace(keep=self.keep, lacks=lambda name: True)
        context = SessionContext(self.stage, actor, album, recorder, typing=lambda stage: None)
        parts = screens_of(self.pack).load_parts()
        stimuli = parts.page_stimuli(settings)
        pages = TextPages(context, settings, self.plan, library, stimuli)
        tasks = parts.presenter(context, settings, self.plan, pages.waiting)
        # What was drawn before is no screen, such as the parts of a field.
        self.paper.texts.clear()
        run_session(
            self.plan,
            done,
            pages,
            tasks,
            recorder,
            Around(at_end=partial(pages.check_clock, "end")),
        )

    def screens(self) -> list[Screen]:
        """Return every distinct screen that was shown, in the order of their coming."""
        size_px, background = self.stage.window.size_px, self.settings().look.background
        return [
            Screen(name, size_px, background, layers, texts)
            for name, (layers, texts) in self.paper.kept.items()
        ]

    def _library(self) -> Library:
        return Library(self.plan.text_folder, self.plan.language)

    def settings(self) -> ScreenSettings:
        """Return what the screens are made with, on a rig that nobody measured."""
        rig = read_rig(Path("no such rig"))
        protocol, words = self.pack.protocol, self._library().words()
        background = background_of(protocol, rig.colours)
        look = Look(self.stage.window.size_px, background, self.plan.language)
        painter = screens_of(self.pack).load_parts().painter(self.pack, protocol, rig.colours)
        lab = consent_values(self.plan.text_folder, self.plan.language, {})
        return ScreenSettings(painter, rig, look, words, lab)


def usual_plan(pack: Pack, language: str) -> SessionPlan:
    """Return somebody's plan: the first list, in the first order that is assigned."""
    kind = session_kind_of(pack)
    list_id = min(offer.list for offer in kind.offers(pack))
    given = Assignment(list_id, kind.orders(pack.protocol)[0])
    return kind.plan(pack, given, language, "AAAAA")


def all_but(plan: SessionPlan, step: str) -> frozenset[str]:
    """Return what is done when nothing but one step is left."""
    return frozenset(other.step for other in plan.steps) - {step}


@dataclass
class Paper:
    """Pictures that were kept, each name once, with the texts drawn since the last picture."""

    kept: dict[str, tuple[Layers, tuple[Text, ...]]] = field(default_factory=dict)
    texts: list[Text] = field(default_factory=list)

    def keep(self, name: str, stage: object, picture: "PaperPicture") -> None:
        self.kept.setdefault(name, (picture.layers, picture.texts))


@dataclass(frozen=True)
class PaperPicture:
    layers: Layers
    texts: tuple[Text, ...]

    def replace(self, pixels: Pixels, left_px: int, top_px: int) -> None:
        high, wide = pixels.shape[:2]
        self.layers[0].pixels[top_px : top_px + high, left_px : left_px + wide] = pixels

    def free(self) -> None:
        """Nothing is held."""


def focus_kept() -> SimpleNamespace:
    """Return the focus of a window that nothing else comes before."""
    return SimpleNamespace(losses=0, is_here=lambda: True, take_changes=lambda: ())


class PaperStage:
    """What `Pages` and the presenter ask of a stage."""

    period_s = 1 / 60
    clicks = None

    @property
    def pacing(self) -> VsyncPacing:
        return VsyncPacing(self.period_s)

    def __init__(self, paper: Paper, size_px: tuple[int, int]) -> None:
        self.window = SimpleNamespace(size_px=size_px, show_pointer=lambda shown: None)
        self.pressed: list[Press] = []
        self.held = False
        clock = StimulusClock(time.perf_counter, "paper")
        self.triggers = TriggerLine()
        self.focus = focus_kept()
        self.overlay = Overlay()
        self.keyboard = SimpleNamespace(clock=clock, is_down=lambda key: self.held)
        self._paper = paper

    def now_s(self) -> float:
        return time.perf_counter()

    def nap(self, duration_s: float) -> None:
        time.sleep(duration_s)

    def pointer(self) -> None:
        return None

    def picture(self, layers: Layers) -> PaperPicture:
        texts = tuple(self._paper.texts)
        self._paper.texts.clear()
        return PaperPicture(tuple(layers), texts)

    def frame(self, picture: object, *, critical: bool = False) -> float:
        return time.perf_counter()

    def presses(self) -> tuple[Press, ...]:
        pressed, self.pressed = tuple(self.pressed), []
        return pressed


class Scripted(PaperStage):
    """A stage whose frames come at their times, with presses right after some of them."""

    def __init__(self, size_px: tuple[int, int], script: dict[int, list[Press]]) -> None:
        super().__init__(Paper(), size_px)
        self.script, self.frames, self.plates = script, 0, []

    def frame(self, picture: object, *, critical: bool = False, mark: str | None = None) -> float:
        self.frames += 1
        if critical:
            self.plates.append(self.frames)
        assert self.frames < 1000, "nothing ends the task"
        at_s = 1000 + self.frames * self.period_s
        for press in self.script.pop(self.frames, ()):
            self.pressed.append(Press(press.key, at_s + 1e-6, press.chord))
        return at_s


class Participant(Person):
    """Answers at once; with ``errs`` does all that can go wrong before it goes right."""

    def __init__(
        self,
        stage: PaperStage,
        plan: SessionPlan,
        *,
        errs: bool = False,
        declines: Iterable[str] = (),
    ) -> None:
        self._stage = stage
        self._check = next(step for step in plan.steps if isinstance(step, Check))
        self._mistakes = self._check.attempts if errs else 0
        self._chords = ["p", "x"] if errs else []
        self._declines = set(declines)
        self._thought_of_leaving = False

    def turn(self, key: str, from_s: float, modifiers: tuple[str, ...] = ()) -> None:
        if self._chords:
            # After what a chord asked for, the page tells again which key it waits for.
            self._press(self._chords.pop(), chord=True)
            return
        self._press(key, chord=bool(modifiers))

    def choose(self, question: object, keys: Mapping[str, str], confirm: str) -> None:
        choice = next(iter(keys))
        if question.step in self._check.right:
            choice = self._check.right[question.step]
            if self._mistakes and question.step == self._check.questions[-1].step:
                self._mistakes -= 1
                choice = next(other for other in keys if other != choice)
        elif question.step in self._declines:
            choice = DECLINE
        self._press(keys[choice])
        self._press(confirm)

    def go_on_or_leave(self, on: str, leave: str, from_s: float) -> None:
        # First to stop, which is taken back: `hold` holds nothing.
        self._press(on if self._thought_of_leaving else leave)
        self._thought_of_leaving = True

    def hold(self, key: str, from_s: float) -> None:
        self._press("x")

    def broken_off(self) -> None:
        # The question whether to end is answered by any other key.
        self._press("x")

    def _press(self, key: str, *, chord: bool = False) -> None:
        # Surely after the page came, and each after the other.
        t_s = time.perf_counter() + 10 + 0.001 * len(self._stage.pressed)
        self._stage.pressed.append(Press(key, t_s, chord))


@contextmanager
def noted_texts(texts: list[Text]) -> Iterator[None]:
    """Note every piece of text that is drawn within the block."""
    plain = ImageDraw.ImageDraw.text

    def noted(draw: ImageDraw.ImageDraw, xy: tuple[float, float], text: str, **how: object) -> None:
        if text.strip():
            box = draw.textbbox(xy, text, font=how["font"], anchor=how["anchor"])
            line_px = xy[1] if how["anchor"] == "ls" else None
            texts.append(Text(text, line_px, box, how["font"].size, tuple(how["fill"])))
        plain(draw, xy, text, **how)

    with patch.object(ImageDraw.ImageDraw, "text", noted):
        yield
