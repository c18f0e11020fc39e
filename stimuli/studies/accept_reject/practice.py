"""What leads practise: easy plates and hard ones, and what the guidelines ask of each.

Leads must accept what they can see, and only that. So a decision can be called wrong only where it
is known what is to be seen: a numeral in light, which anyone sees; a plate without the stated
numeral. Whether a right digit is seen at a low contrast nobody else knows: either decision may be
right.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from stimuli.studies.accept_reject.protocol import Solutions

Expectation = Literal["accept", "reject", "as_seen"]


@dataclass(frozen=True, slots=True)
class Practised:
    """A plate of practice.

    Attributes
    ----------
    kind
        Its kind of control.
    hard
        Whether it is shown one rung below the lead's, or else at the top of the ladder.
    explained
        Whether it has a contour.
    """

    kind: str
    hard: bool
    explained: bool

    @property
    def has_numeral(self) -> bool:
        """Whether the plate bears a digit."""
        return not self.kind.startswith("no_numeral")


EASY, HARD = False, True
PLAIN, EXPLAINED = False, True
# The first four suit the shortest practice: two of them become worked examples.
EASY_AND_HARD: Final = (
    Practised("high_contrast", EASY, PLAIN),
    Practised("wrong_digit", EASY, PLAIN),
    Practised("high_contrast", EASY, EXPLAINED),
    Practised("no_numeral_s_like", HARD, EXPLAINED),
    Practised("right_digit", HARD, PLAIN),
    Practised("wrong_digit", HARD, EXPLAINED),
    Practised("high_contrast", EASY, EXPLAINED),
    Practised("wrong_digit", EASY, EXPLAINED),
    Practised("high_contrast", EASY, PLAIN),
    Practised("no_numeral", HARD, PLAIN),
    Practised("right_digit", HARD, EXPLAINED),
    Practised("wrong_digit", HARD, PLAIN),
)
RIGHT_AND_WRONG: Final = tuple(
    Practised(kind, EASY, explained)
    for explained in (PLAIN, EXPLAINED)
    for kind in ("right_digit", "wrong_digit")
)
CYCLES: Final[Mapping[str, tuple[Practised, ...]]] = {
    "easy_and_hard": EASY_AND_HARD,
    "right_and_wrong": RIGHT_AND_WRONG,
}


def practised(solutions: Solutions) -> list[Practised]:
    """Return the plates of practice, in order."""
    cycle = CYCLES[solutions.practice_plates]
    return [cycle[number % len(cycle)] for number in range(solutions.practice_trials)]


def expected(kind: str | None, *, is_true: bool) -> Expectation:
    """Return what the guidelines ask of a presentation of practice.

    Parameters
    ----------
    kind
        Its kind of control; None for what isn't one.
    is_true
        Whether the shown label is the true one.
    """
    if kind is not None and kind.startswith("right_digit"):
        return "as_seen"
    return "accept" if is_true else "reject"
