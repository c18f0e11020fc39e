"""A timed choice on the screen: fixation, stimulus, options, exposure, limit.

Hints beside the stimulus say what the keys or buttons do. Pages list them left first, as
the screen has them.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from experiments.engine.picture import Picture
from experiments.engine.present import Leaves, Presentation, Shown, Unseen, present
from experiments.engine.window_events import pointer_shown
from experiments.pages.context import SessionContext, Stay, presented, record_shown
from experiments.pages.line_field import TypedAnswer, WithField
from experiments.pages.settings import Painter, ScreenSettings
from experiments.pages.waiting import Waiting
from experiments.screens.parts import Area, Hint, key_at
from experiments.screens.strokes import MouseHint, ToolHint
from experiments.screens.trial import KeyHint
from participants.session import NO_CHOICE, Choice, Later, SessionPlan, TimedChoice
from participants.session.typed_line import RETURN
from participants.texts import Words
from stimuli.devices import DeviceName, is_pointing
from stimuli.protocol import Answers

ITEM = "- "


def side_hints(settings: ScreenSettings[Painter], task: TimedChoice) -> tuple[KeyHint, KeyHint]:
    """Return the left and the right hint of a choice between two.

    Parameters
    ----------
    settings
        Settings of the screens; the painter's protocol names both keys.
    task
        The trial; its options say what the keys choose.
    """
    words, options = settings.words, task.options
    if is_pointing(task.device):
        return (
            KeyHint(words[options["left"]], button="left"),
            KeyHint(words[options["right"]], button="right"),
        )
    session = settings.painter.protocol.session
    left, right = session.left_key, session.right_key
    return (
        KeyHint(words[options[left]], words.cap(left)),
        KeyHint(words[options[right]], words.cap(right)),
    )


def left_first(settings: ScreenSettings[Painter], markdown: str, device: DeviceName) -> str:
    """Order a text's list of two keys like the screen: the left key first.

    Parameters
    ----------
    settings
        Settings of the screens; without a left and a right key the text stays as it is.
    markdown
        The text; list items that end with the name of a key are put in order.
    device
        The device for choices.
    """
    session = getattr(settings.painter.protocol, "session", None)
    if not isinstance(session, Answers):
        return markdown
    sides = ("left", "right") if is_pointing(device) else (session.left_key, session.right_key)
    left, right = (settings.words.key(side, device) for side in sides)
    lines = markdown.split("\n")
    for at, (line, other) in enumerate(pairwise(lines)):
        if line.startswith(ITEM) and line.endswith(right) and other.endswith(left):
            lines[at], lines[at + 1] = other, line
    return "\n".join(lines)


def choice_keys(plan: SessionPlan, words: Words) -> tuple[ToolHint, ...]:
    """Return what the two sides choose, each key for itself; which is which changes by person."""
    named = [words.words.get(choice, choice) for choice in plan.keys]
    if named and is_pointing(plan.device):
        labels = " / ".join(named)
        return MouseHint("left", labels), MouseHint("right", labels)
    caps = tuple(sorted(words.cap(key) for key in plan.keys.values()))
    return (Hint(caps, " / ".join(named)),) if caps else ()


@dataclass(frozen=True, slots=True)
class ChoicePictures:
    """Pictures of a trial.

    Attributes
    ----------
    stimulus
        The screen with the stimulus.
    after
        The screen without it, if it goes away before the limit.
    later
        The screen with what the task's ``later`` adds; it replaces ``stimulus``.
    areas
        Areas in which a click stands for a key, by the key.
    leaves
        Pictures between which keys switch, the stimulus first; None for a single picture.
    names
        Names of the leaves in ``flip`` events: ``page_2`` gives ``plate_page_2``.
    lasting
        Leaves that other trials show too, and that therefore stay on the card.
    typed
        The field of an answer that is typed, which the pictures contain; None for a choice.
    """

    stimulus: Picture | WithField
    after: Picture | WithField | None = None
    later: Picture | WithField | None = None
    areas: Mapping[str, Area] = field(default_factory=dict)
    leaves: Leaves | None = None
    names: Sequence[str] = ()
    lasting: tuple[Picture, ...] = ()
    typed: TypedAnswer | None = None

    def free(self) -> None:
        """Free the pictures' memory on the graphics card."""
        leaves = (self.stimulus,) if self.leaves is None else self.leaves.pictures
        for picture in (*leaves, self.after, self.later):
            if picture is not None and not any(picture is kept for kept in self.lasting):
                picture.free()


@dataclass(frozen=True, slots=True)
class ChoiceScreen:
    """Runs timed choices.

    Attributes
    ----------
    context
        The open window, the actor and the recorder.
    waiting
        Handles the chords that pause and end the session.
    fixation
        Picture of the fixation mark.
    lag_s
        The rig's constant lag, by device.
    stimulus
        Name of the stimulus in ``flip`` events: ``plate`` gives ``plate_on``, ``plate_off``.
    later_event
        Name of the event for a part that appears after the onset.
    """

    context: SessionContext
    waiting: Waiting
    fixation: Picture
    lag_s: Callable[[DeviceName], float]
    stimulus: str
    later_event: str = "later_shown"

    def run(
        self,
        task: TimedChoice,
        prepare: Callable[[], ChoicePictures],
        started: Callable[[], None],
    ) -> Choice:
        """Run a trial; run it again if it was interrupted and the session continues.

        A chord interrupts it, and so does another window that takes the focus before the stimulus.

        Parameters
        ----------
        task
            The trial.
        prepare
            Uploads what the trial shows; nothing is timed meanwhile.
        started
            Records ``trial_start``.
        """
        self.context.album.keep("fixation", self.context.stage, self.fixation)
        while True:
            pictures = prepare()
            try:
                self.context.actor.expect(task, pictures.areas or None)
                self.waiting.between()
                started()
                with self._clickable(pictures):
                    outcome = self._present(task, pictures)
            finally:
                pictures.free()
            if isinstance(outcome, Shown):
                self._record(task, outcome, pictures.names)
                if outcome.answer is not None or outcome.interrupt is None:
                    return self._chosen(task, outcome, pictures.typed)

    def _clickable(self, pictures: ChoicePictures) -> AbstractContextManager[None]:
        """Show the pointer where something can be clicked, and forget earlier clicks."""
        stage = self.context.stage
        if not pictures.areas or stage.clicks is None:
            return nullcontext()
        stage.clicks.forget()
        return pointer_shown(stage.window)

    def _present(self, task: TimedChoice, pictures: ChoicePictures) -> Shown | Unseen:
        picture = pictures.later
        later = task.later if picture is not None else None
        typed, tell = pictures.typed, self.context.actor.onset
        presentation = Presentation(
            fixation=self.fixation,
            stimulus=pictures.stimulus,
            after=pictures.after,
            fixation_s=task.fixation_s,
            limit_s=task.limit_s,
            answer_keys=frozenset(task.options) if typed is None else frozenset({RETURN}),
            exposure_s=task.exposure_s,
            device=task.device,
            later=() if picture is None or later is None else (picture,),
            step_s=0.0 if later is None else later.after_s or 0.0,
            request_keys=_request_keys(later),
            clicked=partial(key_at, pictures.areas) if pictures.areas else None,
            leaves=pictures.leaves,
            heard=None if typed is None else typed.presses,
        )
        return present(
            self.context.stage,
            presentation,
            is_interrupt=self.waiting.note,
            watch=tell if typed is None else partial(typed.onset, tell=tell),
        )

    def _record(self, task: TimedChoice, outcome: Shown, names: Sequence[str]) -> None:
        stay = Stay(self.stimulus, outcome.onset_s, outcome.offset_s, outcome.frames.shown)
        answers = [] if outcome.answer is None else [outcome.answer]
        later = [(came_s, self.later_event, {}) for came_s in outcome.steps_s[1:]]
        turned = [
            (flip_s, "flip", {"what": f"{self.stimulus}_{names[leaf]}", "frame": frame})
            for leaf, flip_s, frame in outcome.turned
        ]
        record_shown(self.context, task.trial, stay, answers, [*later, *turned])

    def _chosen(self, task: TimedChoice, outcome: Shown, typed: TypedAnswer | None) -> Choice:
        answer, stepped = outcome.answer, outcome.clock_stepped
        choice = NO_CHOICE
        if answer is not None:
            choice = task.options[answer.key] if typed is None else typed.line.text.strip()
        return Choice(
            choice=choice,
            rt_s=None if answer is None else answer.t_s - outcome.onset_s,
            lag_s=self.lag_s(task.device),
            presented=presented(
                outcome.onset_s,
                outcome.frames,
                clock_stepped=stepped,
                disturbed=self.waiting.disturbed(),
            ),
            later_s=None if len(outcome.steps_s) < 2 else outcome.steps_s[1] - outcome.onset_s,
            keystrokes=() if typed is None else typed.within(task.limit_s),
        )


def _request_keys(later: Later | None) -> frozenset[str]:
    return frozenset() if later is None or later.key is None else frozenset({later.key})
