"""What the verb ``fit`` does."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis.fit.table import read_any_table
from analysis.mixed.compare import Comparison, compare
from analysis.mixed.contrasts import Margins, margins
from analysis.mixed.families import FAMILIES
from analysis.mixed.fit import fit_mixed
from analysis.mixed.result import MixedResult, NotEstimableError
from analysis.mixed.second_opinion import SecondOpinion, second_opinion
from stimuli.errors import UserError


@dataclass(frozen=True, slots=True)
class Answer:
    """What was asked for: the fit, averages by term, a test, another engine's opinion."""

    result: MixedResult
    margins: tuple[Margins, ...]
    comparison: Comparison | None
    second: SecondOpinion | None


def run_fit(
    formula: str,
    trials: Path,
    family: str,
    restricted: bool = True,
    margin_terms: Sequence[str] = (),
    against: str | None = None,
    check: bool = False,
) -> Answer:
    """Fit a model to a table.

    Raises
    ------
    UserError
        If family, formula or table are unsuited, or nothing can be estimated.
    """
    if family not in FAMILIES:
        raise UserError(f"--family {family}: there are {', '.join(FAMILIES)}")
    if family != "gaussian" and not restricted:
        raise UserError(f"--ml goes with gaussian; {family} models are always fitted by it")
    frame = read_any_table(trials)
    try:
        result = fit_mixed(formula, frame, family, restricted)
        averages = tuple(margins(result, term) for term in dict.fromkeys(margin_terms))
        test = compare(formula, against, frame, family) if against is not None else None
        second = second_opinion(result) if check else None
    except NotEstimableError as reason:
        raise UserError(f"{trials}: the model can't be fitted: {reason}") from None
    return Answer(result, averages, test, second)
