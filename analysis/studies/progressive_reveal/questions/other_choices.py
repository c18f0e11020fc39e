"""The same result under other choices: without those left out by rule, and others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

from analysis.questions.choices import (
    ANALYSIS,
    COLUMN,
    ID,
    STEP,
    TITLE,
    WITHOUT,
    agreement,
    promise,
    repeated,
)
from analysis.questions.estimates import AGAINST, EstimateRow, Estimates, again, select
from analysis.questions.pivot import corrected_of, n_of, pivot, value_of
from analysis.questions.question import Lacking, Question, TypedAnswers
from analysis.report.about import about
from analysis.report.deciding import MEANS, MODEL, WORDS, used
from analysis.report.declared import ReportTable, changes, some
from analysis.report.parts import Column, Paragraph
from analysis.report.wording import count, interval, number, points_tenth
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.exclusions import MainResults
from analysis.studies.progressive_reveal.models import MethodTyping, Typing, typing_model
from analysis.studies.progressive_reveal.quantities import (
    RECOGNISED_LESS,
    RESTRICTED_LESS,
)
from analysis.studies.progressive_reveal.questions.pairs import PAIRS, Pairs
from analysis.studies.progressive_reveal.questions.participants import RevealView
from analysis.studies.progressive_reveal.trials import RoundTable, at_first_key
from analysis.studies.progressive_reveal.words import METHOD_COLUMN, named


@dataclass(frozen=True, slots=True)
class OtherChoices(Estimates):
    """The same result under other choices."""

    typing: Annotated[
        Typing | None, about("What typing time changes in the model; null if it isn't known.")
    ]


MAIN = "everybody, all rounds, confirming press"
OTHER_WAY = "recognition by the other of model and means"
FIRST_KEY = "first key of the right answer"
WHOLE_ROUNDS = "without rounds left midway"
RECOGNISED_ONLY = "unrecognised rounds left out, as Figures 6 and 7"
RIGHT_MODELS = "images that the model classifies rightly"
LESS = (RECOGNISED_LESS, RESTRICTED_LESS)


def combine(data: RevealData, earlier: TypedAnswers) -> OtherChoices:
    """Return differences to the reference by choice, and methods' coefficients with typing time."""
    return OtherChoices(tuple(_choices(data, earlier.of(PAIRS))), typing_model(data.table))


def _choices(data: RevealData, pairs: Pairs) -> Iterator[EstimateRow]:
    """Yield differences to the reference under each choice, the main analysis first."""
    table, asked = data.table, data.protocol.analysis.primary_test
    by_model = bool(pairs.rows(RECOGNISED_LESS, by=MODEL)) and pairs.means == MEANS
    ways = (pairs.means, MODEL)
    main, other = ways[::-1] if used(asked, by_model) == MODEL else ways
    of = {AGAINST: table.reference}
    restricted = select(data.results.restricted.pairs, RESTRICTED_LESS, **of)
    first = (*pairs.rows(RECOGNISED_LESS, by=main, **of), *restricted)
    yield from again(_with_rounds(first, table), **{ANALYSIS: MAIN})
    second = pairs.rows(RECOGNISED_LESS, by=other, **of)
    yield from again(_with_rounds(second, table), **{ANALYSIS: f"recognition by {WORDS[other]}"})
    kept = ~table.frame["participant"].isin(data.excluded)
    others = {
        WITHOUT: table.of(kept) if data.excluded and kept.any() else None,
        FIRST_KEY: at_first_key(table),
        WHOLE_ROUNDS: table.completed if table.frame["left"].any() else None,
        RECOGNISED_ONLY: table.of(table.frame["recognised"]),
        RIGHT_MODELS: _of_right_models(table),
    }
    yield from repeated(others, partial(_less_reference, data))


def _less_reference(data: RevealData, table: RoundTable) -> Iterator[EstimateRow]:
    if table.frame.empty or set(table.frame["method"]) != set(data.table.methods):
        return
    results = MainResults(table, data.plan)
    # Where all rounds are recognised, methods can't differ in it.
    recognised = () if table.frame["recognised"].all() else results.life.pairs()
    pairs = select((*recognised, *results.restricted.pairs), *LESS, **{AGAINST: table.reference})
    yield from _with_rounds(pairs, table)


def _with_rounds(rows: Sequence[EstimateRow], table: RoundTable) -> Iterator[EstimateRow]:
    return (replace(row, n=len(table.frame), verdict="") for row in rows)


def _of_right_models(table: RoundTable) -> RoundTable | None:
    """Return the images that every model got right, if the table says it."""
    frame = table.frame
    if "model_correct" not in frame or frame["model_correct"].isna().all():
        return None
    wrong = frame.loc[frame["model_correct"].eq(False).fillna(False), "item"].unique()
    kept = ~frame["item"].isin(wrong)
    return table.of(kept) if 0 < int(kept.sum()) < len(frame) else None


SENSITIVITY = pivot(
    "Methods less the reference, under other choices.",
    named(
        COLUMN,
        METHOD_COLUMN,
        value_of(RECOGNISED_LESS, heading="Recognised by the end"),
        *corrected_of(RECOGNISED_LESS)[1:],
        Column("Restricted mean", RESTRICTED_LESS.id, points_tenth, "points of the image"),
        *corrected_of(RESTRICTED_LESS)[1:],
        n_of(RESTRICTED_LESS, "Rounds"),
        breaks=True,
    ),
    by=(ANALYSIS, "method"),
    of=lambda here: here.answer.rows(*LESS),
    note="Limits and p are corrected over all pairs of methods. Recognition is compared by the "
    "deciding analysis in the first choice, and by means in the others unless they say otherwise.",
    cut=None,
    strong=changes(ANALYSIS),
    row_headers=2,
)


def _agreement(here: RevealView[OtherChoices]) -> Paragraph | None:
    words = {RECOGNISED_LESS.id: "recognition", RESTRICTED_LESS.id: "restricted mean"}
    return agreement(
        here.answer.rows(*LESS),
        ("method",),
        lambda row: f"{words[row.quantity]} with {here.methods.name(row.of['method'])}",
    )


def _typing(here: RevealView[OtherChoices]) -> Paragraph | None:
    typing = here.answer.typing
    if typing is None:
        return None
    if typing.typing is None:
        return Paragraph(f"Typing time in the model: {typing.reason}")
    row = typing.typing
    return Paragraph(
        "Typing time (seconds a letter, from the copied words) in the hazard of recognition: "
        f"{number(row.estimate)} log odds a second {interval(row.ci_low, row.ci_high)}, "
        f"over {count(typing.people, 'participant')}. tables/typing.csv has the methods’ "
        "coefficients with and without it."
    )


def _typed(here: RevealView[OtherChoices]) -> tuple[MethodTyping, ...]:
    return here.answer.typing.methods if here.answer.typing is not None else ()


def _lacking(_: RevealData, answer: OtherChoices | None) -> list[Lacking]:
    typing = None if answer is None else answer.typing
    if typing is None or typing.fitted:
        return []
    return [Lacking("methods compared at equal typing time, by the model", typing.reason)]


TYPING = ReportTable("typing", some(_typed))
OTHER_CHOICES = Question(
    id=ID,
    title=TITLE,
    answer=OtherChoices,
    quantities=LESS,
    combine=combine,
    step=STEP,
    parts=(_agreement, SENSITIVITY, _typing, TYPING),
    view=RevealView,
    needs={
        "step_first_key": "the same at the first key of the right answer",
        "pixels_first_key": "the same at the first key of the right answer",
        "model_correct": "the result on images that the model classifies correctly",
        "typing_s": "typing time as a covariate",
    },
    lacking=_lacking,
    registered=lambda _: promise(
        OTHER_WAY, WITHOUT, FIRST_KEY, WHOLE_ROUNDS, RECOGNISED_ONLY, RIGHT_MODELS
    ),
)
"""The same result under other choices."""
