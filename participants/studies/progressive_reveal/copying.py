"""Words that are copied before the rounds: how fast somebody types."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, Protocol

from participants.journal import Recorder
from participants.session import to_microseconds
from participants.studies.progressive_reveal.entry import Keystroke


class CopyPresenter(Protocol):
    """Shows words to be copied."""

    def copy(self, task: "CopyTask") -> tuple["CopyResult", ...]:
        """Have words typed as they stand, one by one."""


@dataclass(frozen=True, slots=True)
class CopyTask:
    """Words shown one by one, to be typed as they stand: how fast somebody types."""

    step: str
    words: tuple[str, ...]

    def perform(self, presenter: CopyPresenter, recorder: Recorder) -> frozenset[str]:
        """Have the words copied, and record how."""
        words = [result.kept() for result in presenter.copy(self)]
        recorder.append("copy", durable=True, step=self.step, words=words)
        return frozenset({self.step})


@dataclass(frozen=True, slots=True)
class CopyResult:
    """How one word was copied.

    Attributes
    ----------
    word
        The word.
    onset_t_monotonic_s
        Its onset, on the journal's clock.
    keystrokes
        All of them, in order of their stamps.
    done_s
        The press that confirmed it, since its onset.
    """

    word: str
    onset_t_monotonic_s: float
    keystrokes: tuple[Keystroke, ...]
    done_s: float

    def kept(self) -> dict[str, Any]:
        """Return the result as a journal keeps it."""
        keystrokes = [asdict(keystroke.kept()) for keystroke in self.keystrokes]
        return {**asdict(self), "keystrokes": keystrokes, "done_s": to_microseconds(self.done_s)}


def letter_s(copied: Sequence[CopyResult]) -> float | None:
    """Return the median time per letter when words were copied; None without a word.

    A word takes from its first key to the press that confirms it, which is as many intervals
    as it has letters.
    """
    rates = [
        (one.done_s - one.keystrokes[0].t_s) / len(one.word) for one in copied if one.keystrokes
    ]
    return median(rates) if rates else None
