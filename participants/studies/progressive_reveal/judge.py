"""How a round is scored, and how fast somebody types."""

from bisect import bisect_right
from collections.abc import Sequence
from statistics import median

from participants.session import CopyResult, RevealRound, RoundResult, Score


def score(step: RevealRound, result: RoundResult) -> Score:
    """Return how far the image was uncovered when it was recognised.

    As published (Dawoud et al. 2023, section IV-A) the step that counts is the one in force
    when the right answer was confirmed; beside it stands the one in force at that answer's
    first key, which holds no typing. A round without a right answer is censored at the last
    step that was seen to its end.

    Parameters
    ----------
    step
        The round, with the pixels uncovered at each step.
    result
        What happened, in times since the image's onset.
    """
    answer = result.answer
    if answer is None:
        seen = steps_seen_out(step, result)
        return Score(False, seen, _pixels(step, seen), seen, _pixels(step, seen))
    confirmed = step_at(result.step_onsets_s, answer.t_s)
    begun = step_at(result.step_onsets_s, answer.first_key_s)
    return Score(True, confirmed, _pixels(step, confirmed), begun, _pixels(step, begun))


def step_at(step_onsets_s: Sequence[float], t_s: float) -> int:
    """Return the step in force at a time: the last whose onset has come; 0 before the first."""
    return bisect_right(step_onsets_s, t_s)


def steps_seen_out(step: RevealRound, result: RoundResult) -> int:
    """Return how many steps of a round without a right answer were seen to their end.

    All that came, where the round ran out of time; the step during which somebody left, or
    used up the last try, was cut short.
    """
    came = len(result.step_onsets_s)
    tried_out = step.tries is not None and len(result.attempts) >= step.tries
    return max(0, came - 1) if result.left or tried_out else came


def letter_s(copied: Sequence[CopyResult]) -> float | None:
    """Return the median time per letter when words were copied; None without a word.

    A word takes from its first key to the press that confirms it, which is as many intervals
    as it has letters.
    """
    rates = [
        (one.done_s - one.keystrokes[0].t_s) / len(one.word) for one in copied if one.keystrokes
    ]
    return median(rates) if rates else None


def guess_rate(classes: int) -> float:
    """Return the chance that a guess among so many classes is right; ValueError without one."""
    if classes < 1:
        raise ValueError(f"{classes} classes: there must be one at least")
    return 1 / classes


def _pixels(step: RevealRound, number: int) -> int:
    return step.pixels[number - 1] if number else 0
