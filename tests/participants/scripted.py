"""A presenter that answers by rule, and a recorder in memory: sessions without a window."""

from dataclasses import dataclass, field

from participants.journal import Event
from participants.session import Choice, ConsentResult, PageResult, Presented, SessionAborted


@dataclass
class MemoryRecorder:
    """Keeps events as a journal's reader would give them."""

    events: list = field(default_factory=list)

    def append(self, event, *, t_monotonic_s=None, durable=False, **fields):
        self.events.append(Event(event, len(self.events) + 1, t_monotonic_s or 0.0, "", fields))

    def of(self, kind):
        return [event for event in self.events if event.event == kind]


@dataclass
class ScriptedPresenter:
    """Accepts everything after `rt_s`; flags, fails and declines as told."""

    rt_s: float = 1.0
    flagged: frozenset = frozenset()
    failures: int = 0
    agrees: bool = True
    agrees_again: bool = True
    abort_at: str = ""
    seen: list = field(default_factory=list)
    feedbacks: list = field(default_factory=list)

    def _see(self, step):
        if step.step == self.abort_at:
            raise SessionAborted("tired")
        self.seen.append(step)

    def page(self, page):
        self._see(page)
        return PageResult(1.0)

    def consent(self, consent):
        self._see(consent)
        agreed = self.agrees_again if consent.renewed else self.agrees
        return ConsentResult(agreed, "1.0", "0" * 64)

    def check(self, check, attempt):
        self._see(check)
        return {**check.right, "check_seen": "reject"} if attempt <= self.failures else check.right

    def question(self, question):
        self._see(question)
        return question.choices[0]

    def rest(self, pause):
        self._see(pause)
        return PageResult(pause.minimum_s)

    def trial(self, trial):
        self._see(trial)
        presented = Presented(
            onset_t_monotonic_s=100.0 + trial.trial,
            frames_planned=None,
            frames_shown=60,
            frames_dropped=int(trial.trial in self.flagged),
            longest_interval_s=1 / 60,
            flagged=trial.trial in self.flagged,
        )
        return Choice("accept", self.rt_s, 0.01, presented)

    def feedback(self, feedback):
        self.feedbacks.append(feedback)

    @property
    def steps(self):
        return [step.step for step in self.seen]
