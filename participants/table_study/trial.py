"""A trial of a study from a table: one answer, or one before the AI's advice and one after it."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Final, Literal, Protocol

from pydantic import Field

from participants.journal import Event, Recorder, trials
from participants.journal.events import Recorded
from participants.session import Attended, Choice, TimedChoice, to_microseconds, trial_step
from participants.session.feedback import FeedbackPresenter, feedback_step
from participants.session.qualification import Qualified
from participants.session.typed_line import RETURN, LineEntry
from stimuli.devices import is_pointing
from stimuli.table_study.tables import parts_of

Stage = Literal["own", "final", "only"]
"""``own`` comes before the advice, and ``final`` after it; else there is ``only`` one answer."""


LONGEST: Final = 200
"""Largest number of characters of a typed answer."""
UNKNOWN: Final = "something else"
"""What robots type if it is neither right nor the advice."""


def text_entry() -> LineEntry:
    """Return a field for any text; an empty one is no answer."""
    return LineEntry(lambda text: "" if text.strip() else "empty", LONGEST)


class ItemPresenter(FeedbackPresenter, Protocol):
    """Shows items.

    `choose` records ``trial_start``, ``flip``, ``help_shown`` and ``response`` itself, at their own
    stamps.
    """

    def choose(self, trial: "ItemTrial") -> Choice:
        """Run a trial; `Choice.later_s` is the time of advice that a key asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemTrial(TimedChoice):
    """An item and its answers.

    Attributes
    ----------
    stimulus
        A row of ``items.csv``.
    stage
        Which of its answers this is.
    typed
        Whether the answer is typed.
    first
        After the advice, what was answered before it; None if nothing was.
    """

    NAMED_BY: ClassVar = ("trial", "phase", "position", "presentation", "stage")

    stage: Stage = "only"
    typed: bool = False
    first: str | None = None

    @property
    def choices(self) -> tuple[str, ...]:
        """What robots may answer; where it is typed, what is right, the advice or something."""
        item = self.stimulus
        candidates = (*parts_of(item["right"])[:1], item["advice"], UNKNOWN)
        typed = tuple(dict.fromkeys(answer for answer in candidates if answer))
        return typed if self.typed else super(ItemTrial, self).choices

    def key_of(self, choice: str) -> str:
        """Return the key of a choice; Enter if it is typed."""
        return RETURN if self.typed else super(ItemTrial, self).key_of(choice)

    @property
    def keys(self) -> frozenset[str]:
        """The keyboard's keys that a person needs; with a mouse, advice is clicked, too."""
        return frozenset() if is_pointing(self.device) else super(ItemTrial, self).keys

    @property
    def has_advice(self) -> bool:
        """Whether the AI's advice is shown at the onset."""
        return self.stage != "own" and self.later is None

    def record_start(self, recorder: Recorder) -> None:
        """Record that the item is about to be shown; for presenters, outside timed windows."""
        recorder.append("trial_start", **self.place(), options=dict(self.options))

    def perform(self, presenter: ItemPresenter, recorder: Attended) -> frozenset[str]:
        """Run the trial, and record what was chosen."""
        own_ends = [end for end in recorder.of("own_end") if end["trial"] == self.trial]
        answered = [end["decision"] for end in own_ends if end["rt_s"] is not None]
        chosen = presenter.choose(replace(self, first=answered[-1] if answered else None))
        fields: dict[str, Any] = {**self.place(), **chosen.recorded()}
        if self.typed:
            fields["keystrokes"] = [asdict(keystroke.kept()) for keystroke in chosen.keystrokes]
        if self.stage == "own":
            recorder.append("own_end", durable=True, **fields)
        else:
            later_s = chosen.later_s
            shown_s = None if later_s is None else to_microseconds(later_s)
            recorder.append("trial_end", durable=True, **fields, advice_shown_s=shown_s)
        return frozenset({self.step})


def own_step(trial: int) -> str:
    """Return the step id of a trial's answer before the advice."""
    return f"own-{trial:04d}"


def rating_step(question: str, trial: int) -> str:
    """Return the step id of a question after a trial."""
    return f"{question}-{trial:04d}"


SETTLES: Final = {"own_end": (own_step,), "trial_end": (own_step, trial_step, feedback_step)}
"""The steps that an event settles. After an interruption between an answer and its feedback, the
feedback isn't shown."""


def settled_items(events: Iterable[Event]) -> frozenset[str]:
    """Return the ids of the steps that a journal's answers settled."""
    return frozenset(
        step(int(event["trial"])) for event in events for step in SETTLES.get(event.event, ())
    )


class _OfItem(trials.OfTrial):
    """What every event of a trial begins with."""

    stage: Stage = Field(
        description="The answer before the AI's advice (`own`), after it (`final`), or the `only` "
        "one."
    )


class ItemStart(_OfItem):
    """An item is about to be shown."""

    durable: ClassVar[bool] = False

    options: dict[str, str] = Field(description="What can be chosen, by the key that chooses it.")


class _Answered(trials.FramesShown, trials.Chosen, _OfItem):
    keystrokes: list[trials.FieldEvent] | None = Field(
        default=None,
        description=f"What was typed, {trials.KEYSTROKES} Left out where answers are chosen.",
    )


class OwnEnd(_Answered):
    """The person answered before the AI's advice was shown."""


class ItemEnd(_Answered):
    """A trial is finished. The trial table is made from these events."""

    advice_shown_s: float | None = Field(
        description="Time from onset to advice that a key asked for; null if none was."
    )


def item_events() -> dict[str, type[Recorded]]:
    """Return the kinds of event of a participant's session by name."""
    return {
        "trial_start": ItemStart,
        "help_shown": trials.HelpShown,
        "own_end": OwnEnd,
        "trial_end": ItemEnd,
        "qualification": Qualified,
    }
