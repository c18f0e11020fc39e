"""Whether trust in the AI is well placed, and what each kind of help changes.

Trust is measured by over- and under-reliance, d′ and c, answers before and after the advice, and
team performance. What help changes is given by means and by the mixed model.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np
import pandas as pd

from analysis.questions.estimates import (
    AGAINST,
    EstimateRow,
    Estimates,
    Quantity,
    estimate_row,
    select,
)
from analysis.report.about import about
from analysis.report.deciding import MEANS, MODEL, Unvarying, used
from analysis.report.wording import number, percent, points
from analysis.statistics.bootstrap import Resampling, Units
from analysis.statistics.reliance import Advice, complementarity, reliance
from analysis.studies.human_ai_team.alone import PACK
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.differences import Rule, mean_pairs, weighted_pairs
from analysis.studies.human_ai_team.model import answers_a_cell, effects_of
from analysis.studies.human_ai_team.quantities import (
    DIFFERENCES,
    MEASURES,
    TESTED,
    VERDICT,
)
from analysis.studies.human_ai_team.rates import BY_Z, Rates
from analysis.studies.human_ai_team.strata import Base
from analysis.studies.human_ai_team.trials import ALL, ATTACKED, NATURAL, Answers
from analysis.studies.human_ai_team.verdicts import verdict_rows
from analysis.studies.human_ai_team.words import against, tenths
from stimuli.studies.human_ai_team.protocol import HUMAN_ALONE, Analysis

Array = np.ndarray

MIX = Quantity("right_labels", "Right labels", "Share of right labels of a base.", percent)
A_CELL = Quantity("answers_a_cell", "Answers", "Answers to an image in an arm, on average.", number)
OF_CHANGES: Final = (MIX, A_CELL, VERDICT)
TEAM = Quantity("team", "Team", "Right answers of an arm’s participants with the AI.", tenths)
ALONE = Quantity("alone", "Alone", "Right answers of participants alone.", tenths)
AI = Quantity(
    "ai", "AI", "Right decisions of the AI alone by its own rule, on the images of the team.",
    tenths, "own rule",
)  # fmt: skip
ACCEPTS_ALL = Quantity(
    "ai_accepts_all", "AI", "Right labels of the AI, on the same images.", tenths, "accepts all"
)
THRESHOLD = Quantity(
    "ai_threshold", "T",
    "From this confidence on the AI alone accepts its label; without it, it accepts all.",
)  # fmt: skip
OVER_ALONE = Quantity("team_over_alone", "", "The team less participants alone.", points, "points")
OVER_AI = Quantity("team_over_ai", "", "The team less the AI alone.", points, "points")
GAIN = Quantity("team_gain", "Gain", "The team less the better of the two.", points, "points")
BETTER = Quantity(
    "team_better", "Better than both",
    "Whether the team is better than both; p, one-sided, that it isn’t.",
)  # fmt: skip
OF_TEAM: Final = (
    TEAM, ALONE, AI, ACCEPTS_ALL, THRESHOLD, OVER_ALONE, OVER_AI, GAIN, BETTER,
)  # fmt: skip
ONE_SIDED: Final = "one-sided, of both differences"
"""The test of `BETTER`."""


def reliance_rows(answers: Answers, plan: Resampling) -> Iterator[EstimateRow]:
    """Yield each arm's reliance on the AI's labels, by part; the arm without advice has none.

    `analysis.statistics.reliance` says what the measures are. A share's n are the answers of which
    it is one.
    """
    for part in answers.parts:
        for arm in answers.advised:
            of_part = answers.part(part)
            of_arm = of_part.of(of_part.frame["method"] == arm)
            if not len(of_arm.frame):
                continue
            (measured,) = reliance(_advice(of_arm), of_arm.units(), plan)
            for name, (value, n) in measured.items():
                yield estimate_row(MEASURES[name], {"part": part, "method": arm}, value, n)


def _advice(answers: Answers) -> Advice:
    frame = answers.frame
    right, followed = (frame[name].to_numpy(dtype=bool) for name in ("right", "followed"))
    before = frame["own_followed"].to_numpy(dtype=float)
    if not len(before) or not np.isfinite(before).all():
        return Advice(right, followed)
    return Advice(right, followed, frame["own_correct"].to_numpy(dtype=float) == 1, before == 1)


def detection_rows(answers: Answers, rates: Rates) -> Iterator[EstimateRow]:
    """Yield each arm's d′ and criterion, by part, and how much they differ between arms."""
    for part in answers.parts:
        of_part = answers.part(part)
        if of_part.frame["right"].nunique() == 2:
            for arm in answers.advised:
                for name in BY_Z:
                    of = {"part": part, "method": arm}
                    yield estimate_row(MEASURES[name], of, rates.interval(name, part, arm))
        for name in BY_Z:
            for first, second in of_part.pairs():
                of = {"base": part, "by": MEANS, "method": first, AGAINST: second}
                value = rates.z_difference(name, part, first, second)
                yield estimate_row(DIFFERENCES[name], of, value)


def complementarity_rows(
    answers: Answers, plan: Resampling, threshold: float | None
) -> Iterator[EstimateRow]:
    """Yield whether each arm's people beat people alone and the AI alone; none without that arm.

    Parameters
    ----------
    answers, plan
        The answers, and the resampling plan.
    threshold
        The AI alone accepts its label if its confidence reaches this, else it rejects it. If this
        is None, or an image's confidence is unknown, it accepts the label.
    """
    frame = answers.frame
    alone = frame[frame["method"] == HUMAN_ALONE]
    if alone.empty:
        return
    if not np.isfinite(frame["confidence"]).all():
        threshold = None
    codes = Units.of(frame["participant"], frame["item"])
    apart = (frame["method"] == HUMAN_ALONE).to_numpy()
    for arm in answers.advised:
        in_arm, of = (frame["method"] == arm).to_numpy(), {"method": arm}
        team = frame[in_arm]
        both = complementarity(
            team["correct"].to_numpy(),
            _alone(team, threshold),
            alone["correct"].to_numpy(),
            codes.of_rows(in_arm),
            codes.of_rows(apart),
            plan,
        )
        yield estimate_row(TEAM, of, both.team)
        yield estimate_row(ALONE, of, both.alone)
        yield estimate_row(AI, of, both.ai)
        yield estimate_row(OVER_ALONE, of, both.over_alone)
        yield estimate_row(OVER_AI, of, both.over_ai)
        yield estimate_row(GAIN, of, both.gain)
        better = "yes" if both.complementary else "no"
        yield estimate_row(BETTER, of, None, test=ONE_SIDED, p=both.p, verdict=better)
        yield estimate_row(ACCEPTS_ALL, of, float(team["right"].mean()))
        if threshold is not None:
            yield estimate_row(THRESHOLD, of, threshold)


def _alone(team: pd.DataFrame, threshold: float | None) -> Array:
    """Return whether the AI alone decides rightly about each image."""
    right = team["right"].to_numpy(dtype=bool)
    if threshold is None:
        return right
    return (team["confidence"].to_numpy(dtype=float) >= threshold) == right


@dataclass(frozen=True, slots=True)
class Primary:
    """The analysis that decides about arms on a base."""

    base: Annotated[str, about("Images: all that were shown, natural, or occurring.")]
    asked: Annotated[str, about("The analysis that the protocol names: model or means.")]
    used: Annotated[str, about("The analysis that decides: the means if no model is sound.")]


@dataclass(frozen=True, slots=True)
class Trust(Estimates):
    """Trust in the AI's labels, by arm, and what each kind of help changes."""

    reference: Annotated[str | None, about("The arm that others are compared with, if any.")]
    margin: Annotated[float, about("The equivalence margin, a difference of shares.")]
    primary: Annotated[tuple[Primary, ...], about("Which analysis decides, by base.")]
    unvarying: Annotated[
        Unvarying | None, about("Participants and images that hardly vary; null if not counted.")
    ]


def trust_of(data: TeamData) -> Trust:
    """Return measures of trust by arm, and what help changes by means and by the mixed model."""
    answers, plan, rules = data.answers, data.plan, data.protocol.analysis
    changes = list(_changes(data))
    concluded = [change for change in changes if change.base.name != ATTACKED]
    columns = (answers.frame[name].to_numpy() for name in ("correct", "participant", "item"))
    return Trust(
        (
            *(row for change in changes for row in change.rows()),
            *(row for change in concluded for row in change.verdicts(rules)),
            *reliance_rows(answers, plan),
            *detection_rows(answers, data.rates),
            *complementarity_rows(answers, plan, data.threshold),
        ),
        answers.reference,
        rules.margin,
        tuple(
            Primary(change.base.name, rules.primary_test, change.decides(rules))
            for change in concluded
        ),
        Unvarying.count(*columns),
    )


@dataclass(frozen=True, slots=True)
class Changes:
    """What help changes on a base, by means and by the model; see `effects_of`."""

    answers: Answers
    base: Base
    means: tuple[EstimateRow, ...]
    model: tuple[EstimateRow, ...]

    def rows(self) -> Iterator[EstimateRow]:
        """Yield the differences, what the model says of each arm, and what they rest on."""
        of = {"base": self.base.name}
        yield estimate_row(MIX, of, self.base.mix)
        yield estimate_row(A_CELL, of, answers_a_cell(self.answers))
        yield from self.means
        yield from self.model

    def decides(self, rules: Analysis) -> str:
        """Return which analysis decides."""
        return used(rules.primary_test, bool(select(self.model, *TESTED)))

    def verdicts(self, rules: Analysis) -> Iterator[EstimateRow]:
        """Yield what each arm does, by the analysis that decides."""
        decided = self.model if self.decides(rules) == MODEL else self.means
        yield from verdict_rows(select(decided, *TESTED), Rule.of(self.answers, rules.margin))


def _changes(data: TeamData) -> Iterator[Changes]:
    """Yield what help changes on each kind of images, and on natural ones as they occur."""
    answers, margin = data.answers, data.protocol.analysis.margin
    for part, fit in data.fits.items():
        of_part = answers.part(part)
        base = Base.shown(of_part, part)
        means = mean_pairs(answers, data.rates, part, margin)
        yield Changes(of_part, base, means, effects_of(of_part, fit, base, margin))
    weights = data.weights.get(PACK)
    if weights and (base := Base.occurring(answers, weights)):
        part = NATURAL if NATURAL in data.fits else ALL
        of_part = answers.part(part)
        means = weighted_pairs(answers, base, data.plan, margin)
        yield Changes(of_part, base, means, effects_of(of_part, data.fits[part], base, margin))


@dataclass(frozen=True, slots=True)
class BothWays:
    """A difference by means and by the model; `by` says which of them decides."""

    means: EstimateRow | None
    model: EstimateRow | None
    by: str

    @property
    def first(self) -> EstimateRow:
        """The difference by means; by the model if there is none."""
        row = self.means or self.model
        assert row is not None
        return row

    @property
    def decided(self) -> EstimateRow:
        """The difference of the analysis that decides."""
        return (self.model if self.by == MODEL else None) or self.first


def used_on(answer: Trust, base: str) -> str:
    """Return the analysis that decides on a base."""
    return next((row.used for row in answer.primary if row.base == base), MODEL)


def both_ways(answer: Trust) -> list[BothWays]:
    """Return the differences on the images that were shown, both ways.

    These are the differences to the reference; without one, all.
    """
    rows: dict[tuple[str, str, str], dict[str, EstimateRow]] = {}
    for row in answer.rows(*TESTED, base=ALL, **against(answer.reference)):
        key = (row.quantity, row.of["method"], row.of[AGAINST])
        rows.setdefault(key, {})[row.of["by"]] = row
    by = used_on(answer, ALL)
    return [BothWays(by_way.get(MEANS), by_way.get(MODEL), by) for by_way in rows.values()]
