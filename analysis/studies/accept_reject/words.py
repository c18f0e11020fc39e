"""Words and columns that the report's parts share."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from analysis.questions.estimates import EstimateRow
from analysis.report.parts import Column
from analysis.report.style import BLUE, GREY, ORANGE
from analysis.report.wording import bare_percent, interval, percent, points, rounded
from stimuli.maps.origin import RESPONSE_MODEL


class Sample(Protocol):
    """What words depend on of the answer to who took part."""

    @property
    def cutoff_s(self) -> float:
        """The primary decision time, seconds."""
        ...

    @property
    def cutoff_mode(self) -> str:
        """``internal`` or ``visible``."""
        ...

    @property
    def expert_origins(self) -> list[str]:
        """Who made E's solutions."""
        ...


# Each lead's verdict in words, by outcome; those that say nothing about explanations come last.
VERDICTS: Mapping[str, str] = {
    "profits": "profits from explanations",
    "hindered": "accepts less with explanations",
    "undecided": "undecided",
    "from_explanation": "accepts from the explanation",
    "perhaps_from_explanation": "accepts more, perhaps by reading the contour",
    "indiscriminate": "accepts more, right and wrong digits alike",
    "not_compliant": "doesn't follow the guidelines",
    "sham": "sham group: two runs without explanations",
    "unknown": "can't be judged: a run without trials",
}
ODD_OUTCOMES = tuple(VERDICTS)[3:]
FEW_LEADS: Final = 8
"""Up to this many leads the headline names those who got a verdict; more are counted."""
RUN_WORDS: Mapping[bool, str] = {False: "without", True: "with"}
ORDER_WORDS: Mapping[str, str] = {
    "without_first": "without explanations first",
    "with_first": "with explanations first",
    "sham": "sham group, two runs without explanations",
}
# Dark blue and orange differ in lightness (L* 33 and 65), so they can be told apart in grey and
# with every common colour-vision deficiency; shape and line style differ, too.
SOLVER_COLOUR: Mapping[str, str] = {"S": BLUE, "E": ORANGE, "control": GREY}
SOLVER_MARKER: Mapping[str, str] = {"S": "o", "E": "s"}
GROUPS: Mapping[str, str] = {
    "anyone": "controls that anyone sees",
    "must_reject": "controls to reject in the run without explanations",
}
"""Controls by which compliance is judged, by the group's name."""
GROUP_HEADINGS: Mapping[str, str] = {
    "anyone": "Anyone sees",
    "must_reject": "To reject",
}
TENTHS: Final = rounded(percent, 1)
BARE: Final = rounded(bare_percent, 1)
"""How limits beside a share are written."""
SOLVER = Column("Solver", "solver")
RUN = Column("Explanation", "explanation")
KIND_WORDS: Mapping[str, str] = {
    "right_digit": "right digit",
    "right_digit_elsewhere": "right digit, contour elsewhere",
    "right_digit_shuffled": "right digit, contour shuffled",
    "right_digit_blank": "right digit, no contour",
    "wrong_digit": "wrong digit",
    "wrong_digit_true_place": "wrong digit, contour at the true place",
    "wrong_digit_own_shape": "wrong digit, contour shaped like it",
    "no_numeral": "no numeral, no contour",
    "no_numeral_s_like": "no numeral, contour like S’s",
    "no_numeral_e_like": "no numeral, contour like E’s",
    "high_contrast": "right digit that anyone can see",
    "no_solution": "“no solution”",
}


def gain_words(row: EstimateRow) -> str:
    """Return a difference of rates in points with its interval."""
    return f"{points(row.estimate)} {limits_words(row)}"


def limits_words(row: EstimateRow) -> str:
    """Return the interval of a difference of rates in points."""
    return interval(row.ci_low, row.ci_high, points)


def solver_words(sample: Sample) -> dict[str, str]:
    """Return what S and E are called; E is named after who made its side."""
    return {"S": "system (S)", "E": f"{experts_called(sample)} (E)"}


def experts_called(sample: Sample) -> str:
    """Return what E is called, in the plural."""
    return called_experts(sample.expert_origins)


def called_experts(kinds: Sequence[str]) -> str:
    """Return what experts are called, in the plural, by who made their solutions."""
    if RESPONSE_MODEL not in kinds:
        return "experts"
    return "simulated experts" if set(kinds) == {RESPONSE_MODEL} else "partly simulated experts"


def solver_title(solver: str, sample: Sample) -> str:
    """Return a solver's name as a panel's title."""
    name = {**solver_words(sample), "control": "controls"}[solver]
    return name[0].upper() + name[1:]


def granted(sample: Sample) -> str:
    """Return within what time an acceptance counts."""
    if sample.cutoff_mode == "visible":
        return f"after {sample.cutoff_s:g} s of exposure"
    return f"within {sample.cutoff_s:g} s"
