"""Words and columns that the report's parts share."""

from collections.abc import Mapping
from typing import Any

from analysis.report.style import BLUE, GREY, ORANGE
from analysis.report.wording import interval, points

Row = Mapping[str, Any]

# Outcomes of leads whose acceptance says nothing about explanations; listed last.
ODD_OUTCOMES = (
    "from_explanation",
    "perhaps_from_explanation",
    "indiscriminate",
    "not_compliant",
    "sham",
    "unknown",
)
RUN_WORDS: Mapping[bool, str] = {False: "without", True: "with"}
ORDER_WORDS: Mapping[str, str] = {
    "without_first": "without explanations first",
    "with_first": "with explanations first",
    "sham": "sham group, two runs without explanations",
}
# Dark blue and orange differ in lightness (L* 33 and 65), so they stay apart in grey and for
# every common colour-vision deficiency; shape and line style say the same again.
SOLVER_COLOUR: Mapping[str, str] = {"S": BLUE, "E": ORANGE, "control": GREY}
SOLVER_MARKER: Mapping[str, str] = {"S": "o", "E": "s"}
SOLVER_NAME: Mapping[str, str] = {"S": "system (S)", "E": "experts (E)", "control": "controls"}
N_COLUMN = ("n", "trials", True)
INTERVAL_COLUMN = ("95 % interval", "", True)
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


def lead_name(row: Row) -> str:
    """Return a lead's code, with the robot's name where there is one."""
    return f"{row['participant']} ({row['robot']})" if row["robot"] else str(row["participant"])


def gain_words(part: Row) -> str:
    """Return a difference of rates in points with its interval."""
    return f"{points(part['estimate'])} {interval(part['ci_low'], part['ci_high'], points)}"


def bare_percent(share: float) -> str:
    """Return a share as per cent without the sign, for limits."""
    return f"{100 * share:.1f}"


def solver_title(solver: str) -> str:
    """Return a solver's name as a panel's title."""
    name = SOLVER_NAME[solver]
    return name[0].upper() + name[1:]


def granted(data: Mapping[str, Any]) -> str:
    """Return within what time an acceptance counts, from the results' ``data``."""
    if data["cutoff_mode"] == "visible":
        return f"after {data['cutoff_s']:g} s of exposure"
    return f"within {data['cutoff_s']:g} s"
