"""What the paper states of this study, beside what was found."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from analysis.questions.estimates import EstimateRow, Estimates
from analysis.questions.published import TITLE, Ours, Paper
from analysis.questions.question import Question, TypedAnswers
from analysis.report.frame import PaperBeside
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

PAPER: Final = Paper.read(Path(__file__).parents[1])


def combine(data: LeadData, answers: TypedAnswers) -> PaperBeside:
    """Return the paper's statements with ours."""
    sample, compared = answers.of(PARTICIPANTS), answers.of(COMPARISON)
    accepted, useful = answers.of(ACCEPTANCE), answers.of(USEFULNESS)
    gains = [
        f"{solver} {gain_words(useful.row(GAIN, solver=solver, part=RAW))}" for solver in ("S", "E")
    ]
    ours = {
        "cutoff": Ours(f"{sample.cutoff_s:g} s", sample.cutoff_s),
        "order": Ours(_orders(sample.orders)),
        "without": Ours(_both(accepted, "without")),
        "with": Ours(_both(accepted, "with")),
        "usefulness": Ours(f"{', '.join(gains)} points"),
        "against_e": Ours(_against(compared.row(AGAINST_E))),
        "ratio": Ours(_ratio(compared.row(RATIO))),
    }
    return PAPER.beside({table: lambda _, here=here: here for table, here in ours.items()})


def _orders(orders: Sequence[str]) -> str:
    names = [order.replace("_", " ") for order in orders]
    if not names:
        return "not stated in the table"
    return names[0] if len(names) == 1 else f"counterbalanced: {listed(names)}"


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
    title=TITLE,
    answer=PaperBeside,
    combine=combine,
)
"""What the paper states."""
