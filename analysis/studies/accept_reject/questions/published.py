"""What the paper states of this study, beside what was found."""

from collections.abc import Sequence
from typing import Final

from analysis.questions.estimates import EstimateRow, Estimates
from analysis.questions.question import Answered, Question
from analysis.report.frame import Beside, PaperBeside
from analysis.report.wording import interval, listed, number, percent, unsigned_points
from analysis.studies.accept_reject.against_experts import AGAINST_E
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.quantities import ACCEPTED, GAIN, RAW
from analysis.studies.accept_reject.questions.acceptance import ACCEPTANCE
from analysis.studies.accept_reject.questions.comparison import COMPARISON
from analysis.studies.accept_reject.questions.participants import PARTICIPANTS
from analysis.studies.accept_reject.questions.usefulness import USEFULNESS
from analysis.studies.accept_reject.rates import RATIO
from analysis.studies.accept_reject.words import gain_words

REFERENCE: Final = (
    "Saralajew et al. (2022), A Human-Centric Assessment Framework for AI, propose this "
    "experiment (section 2.4) and name carrying it out as their next step (section 4)."
)
REMARK: Final = (
    "The paper reports no measured acceptance rate, usefulness or interval, so no result here has "
    "a published value to be compared with. What it does state, its one number and the direction "
    "of its expectations, is given beside ours."
)
_PLACE: Final = "section 2.4"


def combine(data: LeadData, answers: Answered) -> PaperBeside:
    """Return the paper's statements with ours."""
    sample, compared = answers.of(PARTICIPANTS), answers.of(COMPARISON)
    accepted, useful = answers.of(ACCEPTANCE), answers.of(USEFULNESS)
    gains = {solver: useful.row(GAIN, solver=solver, part=RAW) for solver in ("S", "E")}
    rows = (
        Beside(
            "Short decision time",
            "3 s: normal colour vision must see the numeral within it (Ishihara 1972)",
            _PLACE,
            f"{sample.cutoff_s:g} s",
            3.0,
            sample.cutoff_s,
        ),
        Beside(
            "Order of the runs",
            "without explanations, then with, for everyone",
            _PLACE,
            _orders(sample.orders),
        ),
        Beside(
            "Acceptance without explanations",
            "low for both S and E; no number",
            _PLACE,
            _both(accepted, "without"),
        ),
        Beside(
            "Acceptance with explanations",
            "will increase if the explanation is human-understandable; no number",
            _PLACE,
            _both(accepted, "with"),
        ),
        Beside(
            "Usefulness (with minus without)",
            "positive for a useful explanation; no number",
            _PLACE,
            f"S {gain_words(gains['S'])}, E {gain_words(gains['E'])} points",
        ),
        Beside(
            "S against E",
            "worse, like or better; no margin",
            "section 2.1",
            _against(compared.row(AGAINST_E)),
        ),
        Beside(
            "acc_L = p_S / p_E",
            "the plain accuracy of S where L accepts exactly the labelled class; no number",
            "section 2.3",
            _ratio(compared.row(RATIO)),
        ),
    )
    return PaperBeside(REFERENCE, REMARK, rows)


def _orders(orders: Sequence[str]) -> str:
    said = [order.replace("_", " ") for order in orders]
    if not said:
        return "not stated in the table"
    return said[0] if len(said) == 1 else f"counterbalanced: {listed(said)}"


def _both(answer: Estimates, explanation: str) -> str:
    rows = answer.rows(ACCEPTED, explanation=explanation)
    return ", ".join(f"{row.of['solver']} {percent(row.estimate)}" for row in rows)


def _against(row: EstimateRow) -> str:
    if row.estimate is None:
        return "can’t be compared"
    margin = unsigned_points(row.margin)
    return f"{row.verdict}: {gain_words(row)} points, margin {margin}"


def _ratio(row: EstimateRow) -> str:
    if row.estimate is None:
        return row.note
    limits = f"({row.note})" if row.note else interval(row.ci_low, row.ci_high)
    return f"{number(row.estimate)} {limits}"


PUBLISHED = Question(
    id="published",
    title="Published values beside ours",
    answer=PaperBeside,
    combine=combine,
)
"""What the paper states."""
