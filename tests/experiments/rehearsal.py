"""A whole session on paper: the window's own presenter, with pictures in place of a window.

Every screen that a session can show is drawn once, and every piece of text on it is noted with
its box, size and colour, so that layouts can be judged without a display.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from PIL import ImageDraw

from experiments.engine.clock import StimulusClock
from experiments.engine.input import Press
from experiments.engine.pacing import VsyncPacing
from experiments.engine.picture import Layers, Pixels, composed
from experiments.engine.present import Shown
from experiments.engine.schedule import FrameRecord
from experiments.engine.triggers import TriggerLine
from experiments.pages.context import SessionContext
from experiments.pages.settings import ScreenSettings
from experiments.rig.profile import read_rig
from experiments.robot_input.actor import DECLINE, Person
from experiments.screens.library import Library
from experiments.screens.look import Look
from experiments.session.staging import background_of, staging_of
from experiments.studies.accept_reject import presenter as accept_reject
from experiments.studies.accept_reject.presenter import WindowPresenter
from participants.lead_sessions import orders_of, plan_session
from participants.session import Check, SessionPlan, Trial, run_session
from stimuli.images.predictions import NO_SOLUTION
from stimuli.pack import Pack
from stimuli.studies.accept_reject.tables import LISTS

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


def rehearse(pack: Pack, language: str, size_px: tuple[int, int]) -> list[Screen]:
    """Return every distinct screen of a session, in the order of their coming.

    The lead errs in the check until the experimenter must come, takes a pause, thinks of
    ending, answers practice rightly, wrongly and too late; then come back, decline, withdraw.
    """
    paper = Paper()
    protocol = pack.protocol
    rig = read_rig(Path("no such rig"))
    background = background_of(protocol, rig.colours)
    order = orders_of(protocol)[0]
    plan = plan_session(pack, next(iter(_lists(pack))), order, language, "AAAAA")
    library = Library(plan.text_folder, language)
    words = library.words()
    lab = {"institution": words["institution"], "contact": words["contact"]}
    look = Look(size_px, background, language)
    stage = PaperStage(paper, size_px)
    painter = staging_of(pack).painter(pack, protocol, rig.colours)
    settings = ScreenSettings(painter, rig, look, words, lab)
    recorder = SimpleNamespace(append=lambda *args, **fields: None)
    album = SimpleNamespace(keep=paper.keep)
    decisions = iter(("none", "right", "wrong"))

    def present(stage: object, presentation: object, **watchers: object) -> Shown:
        decision = next(decisions, "right")
        wanted = presenter.trial_now.right_decision or "accept"
        other = {"accept": "reject", "reject": "accept"}[wanted]
        key = {
            "accept": plan.accept_key, "reject": plan.reject_key,
        }.get({"right": wanted, "wrong": other}.get(decision, ""))  # fmt: skip
        answer = None if key is None else Press(key, 1.0)
        return Shown(0.0, 1.0, answer, None, FrameRecord(None, 60, 0, 0.017), False)

    with noted_texts(paper.texts), patch.object(accept_reject, "present", present):
        for actor, done in (
            (Participant(stage, plan, errs=True), _alike_trials(plan)),
            (Participant(stage, plan, declines={"consent"}), frozenset()),
            (
                Participant(stage, plan, declines={"consent_renewed"}),
                all_but(plan, "consent_renewed"),
            ),
        ):
            context = SessionContext(stage, actor, album, recorder)
            presenter = _Rehearsing(context, settings, plan, library)
            run_session(plan, done, presenter, recorder)
    return [
        Screen(name, size_px, background, layers, texts)
        for name, (layers, texts) in paper.kept.items()
    ]


def _lists(pack: Pack) -> Iterable[str]:
    return sorted({row["list"] for row in pack.table(LISTS)})


def _alike_trials(plan: SessionPlan) -> frozenset[str]:
    """Return the main trials that look like an earlier one: they would show nothing new."""
    seen, alike = set(), set()
    for trial in plan.trials:
        stimulus = trial.stimulus
        kind = (trial.run, stimulus.shown_label == NO_SOLUTION, stimulus.region_file is None)
        if trial.phase == "main":
            (alike if kind in seen else seen).add(trial.step if kind in seen else kind)
    return frozenset(alike)


def all_but(plan: SessionPlan, step: str) -> frozenset[str]:
    """Return what is done when nothing but one step is left."""
    return frozenset(other.step for other in plan.steps) - {step}


class _Rehearsing(WindowPresenter):
    """Knows which trial is on, so that the right key can be told from the wrong one."""

    trial_now: Trial

    def trial(self, trial: Trial) -> object:
        self.trial_now = trial
        return super().trial(trial)


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


class PaperStage:
    """What `Pages` and the presenter ask of a stage."""

    period_s = 1 / 60

    @property
    def pacing(self) -> VsyncPacing:
        return VsyncPacing(self.period_s)

    def __init__(self, paper: Paper, size_px: tuple[int, int]) -> None:
        self.window = SimpleNamespace(size_px=size_px, show_pointer=lambda shown: None)
        self.pressed: list[Press] = []
        self.held = False
        clock = StimulusClock(time.perf_counter, "paper")
        self.triggers = TriggerLine()
        self.keyboard = SimpleNamespace(clock=clock, is_down=lambda key: self.held)
        self._paper = paper

    def picture(self, layers: Layers) -> PaperPicture:
        texts = tuple(self._paper.texts)
        self._paper.texts.clear()
        return PaperPicture(tuple(layers), texts)

    def frame(self, picture: object, *, critical: bool = False) -> float:
        return time.perf_counter()

    def presses(self) -> tuple[Press, ...]:
        pressed, self.pressed = tuple(self.pressed), []
        return pressed


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
        self._chords = ["p", "q"] if errs else []
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
