"""The steps of a person's cell: one domain, one method, both tests, as long as time allows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from participants import session
from participants.journal import Event
from participants.session.plan import SITTING_END
from participants.session.qualification import QUALIFICATION
from participants.studies.simulatability.asked import Understood
from participants.studies.simulatability.shown import EXPLAINED, Sheet
from participants.studies.simulatability.trial import LEARNING, SETTLES, Learn, Predict, Rate
from stimuli.studies.simulatability.protocol import Length, Simulatability, cell_of

OF_TESTS: Final[Mapping[str, tuple[str, ...]]] = {
    "forward": ("forward_pre", "learning_again", "forward_post"),
    "counterfactual": ("counterfactual_pre", "counterfactual_post"),
}

ON_ANOTHER_DAY: Final = (SITTING_END, session.LEFT)
"""Reasons of the aborts after which a session goes on with the time of a new sitting."""


def time_spent_s(recorded: Iterable[tuple[str, Mapping[str, Any]]], limit_s: float) -> float:
    """Return the time, in seconds, for which pages, examples, ratings and predictions were shown.

    It is summed over all parts of a resumed sitting. The time between parts and earlier sittings
    don't count.

    Parameters
    ----------
    recorded
        Kind and fields of the session's events.
    limit_s
        Time that an unanswered prediction takes.
    """
    spent = 0.0
    for kind, fields in recorded:
        match kind:
            case "page":
                spent += fields["shown_s"]
            case "rating_end":
                spent += fields["rating_rt_s"]
            case "trial_end":
                times = (fields["look_s"], fields["rt_s"], limit_s)
                spent += next(time for time in times if time is not None)
            case "abort" if fields["reason"] in ON_ANOTHER_DAY:
                spent = 0.0
    return spent


def is_short(rules: Length, items: int, spent_s: float) -> bool:
    """Return whether a test has only half of its items, as too little time is left for all."""
    needed_s = items * rules.seconds_per_item
    return rules.shorten and rules.session_s - spent_s < needed_s


@dataclass(frozen=True, slots=True)
class LengthDecision:
    """Decides at a test's start how many items it has, the same for pre and post.

    Attributes
    ----------
    step
        Unique in the plan.
    rules
        The protocol's.
    items
        Number of items in the whole test.
    limit_s
        Time that an unanswered prediction takes.
    skips
        Ids of the steps that a short test leaves out.
    """

    step: str
    rules: Length
    items: int
    limit_s: float
    skips: frozenset[str]

    def perform(self, presenter: Any, recorder: session.Attended) -> frozenset[str]:
        """Decide, record the decision, and return the ids of the steps that it settles."""
        spent_s = time_spent_s(recorder.recorded, self.limit_s)
        short = is_short(self.rules, self.items, spent_s)
        recorder.append("length", durable=True, step=self.step, spent_s=spent_s, short=short)
        return self.settles(short=short)

    def settles(self, *, short: bool) -> frozenset[str]:
        """Return the ids of the steps that a decision settles."""
        return frozenset({self.step}) | (self.skips if short else frozenset())


@dataclass(frozen=True, slots=True)
class Cell:
    """Makes the steps of a cell, section by section.

    Attributes
    ----------
    protocol, sheet
        The rules, and what the person's sheet shows.
    keys
        Keys (or buttons) by class.
    arm
        Domain and method.
    number, cells
        1, or 2 in the second test; and the session's number of cells.
    before
        Number of trials in the session before it.
    """

    protocol: Simulatability
    sheet: Sheet
    keys: Mapping[str, str]
    arm: str
    number: int = 1
    cells: int = 1
    before: int = 0

    @property
    def method(self) -> str:
        """The method, such as ``lime``."""
        return cell_of(self.arm)[1]

    @property
    def sections(self) -> tuple[str, ...]:
        """The sections in order."""
        tests = self.protocol.tests_of(self.sheet.name)
        return ("learning", *(section for test in tests for section in OF_TESTS[test]))

    @property
    def trials(self) -> int:
        """Number of trials in the cell."""
        return sum(len(self.sheet.sections[section]) for section in self.sections)

    @property
    def break_before(self) -> session.Break:
        """The break before a second cell, which may be done on another day."""
        parts = len(self.sections)
        done, total = (self.number - 1) * parts, self.cells * parts
        return session.Break(f"break-test-{self.number}", "break", done, total, may_leave=True)

    def length(self, test: str) -> LengthDecision:
        """Return the step that decides how many items a test has."""
        sections = [section for section in OF_TESTS[test] if section not in LEARNING]
        skips = frozenset(
            step.step
            for section in sections
            for name, step in self._named(section)
            if name not in self.sheet.short
        )
        items = len(self.sheet.sections[sections[0]])
        rules = self.protocol
        step = f"length-{self.number}-{test}"
        return LengthDecision(step, rules.length, items, rules.question.limit_s, skips)

    def section(self, section: str) -> Iterator[session.Step]:
        """Yield the steps of a section, with breaks."""
        for _, step in self._named(section):
            yield step

    def _named(self, section: str) -> Iterator[tuple[str, session.Step]]:
        """Yield steps with the presentations that they belong to."""
        names = self.sheet.sections[section]
        every = self.protocol.session.break_every_trials
        earlier = self.sections[: self.sections.index(section)]
        start = self.before + sum(len(self.sheet.sections[other]) for other in earlier)
        parts = len(self.sections)
        done, total = (self.number - 1) * parts + len(earlier), self.cells * parts
        for position, name in enumerate(names, start=1):
            number = start + position
            for step in self._item(section, name, number, position):
                yield name, step
            if position % every == 0 and position < len(names):
                # A break belongs to the item before it: if that is skipped, so is the break.
                # It counts parts, not items: how many items there are depends on the time left.
                yield name, session.Break(f"break-{number:04d}", "break", done, total)

    def _item(self, section: str, name: str, number: int, position: int) -> Iterator[session.Step]:
        question, device = self.protocol.question, self.protocol.session.device
        stimulus = self.sheet.stimulus(section, name)
        common: dict[str, Any] = {
            "trial": number,
            "test_number": self.number,
            "arm": self.arm,
            "section": section,
            "position": position,
            "presentation": name,
            "stimulus": stimulus,
            "device": device,
        }
        rated = bool(question.rating_steps) and stimulus.explanation is not None
        if section in LEARNING:
            if rated:
                yield Rate(step=session.trial_step(number), ends=True, **common)
            else:
                limit_s = question.learning_limit_s or None
                yield Learn(step=session.trial_step(number), limit_s=limit_s, **common)
            return
        if rated:
            yield Rate(step=session.part_step("rating", number), **common)
        yield Predict(
            step=session.trial_step(number),
            phase="main",
            options={key: choice for choice, key in self.keys.items()},
            fixation_s=0.0,
            limit_s=question.limit_s,
            exposure_s=question.exposure_limit_s or None,
            learning=self._at_hand(section),
            learning_key=question.learning_key if question.learning_at_hand else "",
            **common,
        )
        if question.confidence_steps:
            yield session.confidence_question(number)

    def _at_hand(self, section: str) -> tuple[Any, ...]:
        """Return the examples to look at again, with explanations once these were shown."""
        if not self.protocol.question.learning_at_hand:
            return ()
        order = self.sections
        seen = "learning_again" in order[: order.index(section)]
        last = "learning_again" if seen else "learning"
        assert not seen or last in EXPLAINED
        return tuple(self.sheet.stimulus(last, name) for name in self.sheet.sections[last])


def settled_steps(steps: Sequence[session.Step], events: Sequence[Event]) -> frozenset[str]:
    """Return the ids of the steps that a journal's events settled, decisions included."""
    by_id = {step.step: step for step in steps}
    done = set(session.settled_parts(SETTLES, events))
    for event in events:
        step = by_id.get(event["step"]) if event.event in ("length", QUALIFICATION) else None
        if isinstance(step, LengthDecision):
            done |= step.settles(short=event["short"])
        elif isinstance(step, Understood):
            done |= step.settles(qualified=event["qualified"])
    return frozenset(done)
