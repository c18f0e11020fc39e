"""Whether trust in the AI is well placed, and what each kind of help changes.

Trust is measured by over- and under-reliance, d′ and c, answers before and after the advice, and
team performance. What help changes is given by means and by the mixed model.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd

from analysis.report.about import about
from analysis.report.estimates import MODEL, Unvarying, limits_row, named_row, used
from analysis.statistics.bootstrap import Resampling, Units
from analysis.statistics.proportions import Count
from analysis.statistics.reliance import Advice, complementarity, reliance
from analysis.studies.human_ai_team.alone import PACK
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.model import Effects, effects_of
from analysis.studies.human_ai_team.rates import PairEffect, Rates, mean_pairs, weighted_pairs
from analysis.studies.human_ai_team.strata import OCCURRING, Base
from analysis.studies.human_ai_team.trials import ALL, NATURAL, Answers
from analysis.studies.human_ai_team.verdicts import (
    VERDICTS,
    AgainstMargin,
    Rule,
    Verdict,
    against_margin,
    verdict_rows,
)
from analysis.studies.human_ai_team.words import against
from stimuli.studies.human_ai_team.protocol import HUMAN_ALONE

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Reliance:
    """A measure of an arm's reliance on the AI's labels."""

    part: Annotated[str, about("Images: all, natural or adversarial.")]
    method: Annotated[str, about("The arm.")]
    measure: Annotated[str, about("The measure.")]
    count: Annotated[int | None, about("Answers that count; null if it isn't a share.")]
    n: Annotated[int, about("Answers of which it is a share.")]
    estimate: Annotated[float | None, about("The measure, 0 to 1.")]
    ci_low: Annotated[
        float | None,
        about(
            "Its lower 95 % limit over participants and images; Wilson's if all answers are alike."
        ),
    ]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class Detection:
    """How well an arm tells right labels from wrong ones."""

    part: Annotated[str, about("Images: all, natural or adversarial.")]
    method: Annotated[str, about("The arm.")]
    d_prime: Annotated[float | None, about("Sensitivity d′, with the log-linear correction.")]
    d_prime_low: Annotated[float | None, about("Its lower 95 % limit.")]
    d_prime_high: Annotated[float | None, about("Its upper 95 % limit.")]
    criterion: Annotated[float | None, about("Criterion c; above zero it leans to rejecting.")]
    criterion_low: Annotated[float | None, about("Its lower 95 % limit.")]
    criterion_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class TeamGain:
    """An arm's participants with the AI, against participants alone and the AI alone; shares."""

    method: Annotated[str, about("The arm.")]
    team: Annotated[float | None, about("Right answers of the team.")]
    team_low: Annotated[float | None, about("Its lower 95 % limit.")]
    team_high: Annotated[float | None, about("Its upper 95 % limit.")]
    alone: Annotated[float | None, about("Right answers of participants alone.")]
    alone_low: Annotated[float | None, about("Its lower 95 % limit.")]
    alone_high: Annotated[float | None, about("Its upper 95 % limit.")]
    ai: Annotated[
        float | None,
        about("Right decisions of the AI alone by its own rule, on the images that the team saw."),
    ]
    ai_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ai_high: Annotated[float | None, about("Its upper 95 % limit.")]
    over_alone: Annotated[float | None, about("The team less participants alone.")]
    over_alone_low: Annotated[float | None, about("Its lower 95 % limit.")]
    over_alone_high: Annotated[float | None, about("Its upper 95 % limit.")]
    over_ai: Annotated[float | None, about("The team less the AI.")]
    over_ai_low: Annotated[float | None, about("Its lower 95 % limit.")]
    over_ai_high: Annotated[float | None, about("Its upper 95 % limit.")]
    gain: Annotated[float | None, about("The team less the better of the two.")]
    gain_low: Annotated[float | None, about("Its lower 95 % limit.")]
    gain_high: Annotated[float | None, about("Its upper 95 % limit.")]
    p: Annotated[float | None, about("p that the team isn't better than both, one-sided.")]
    complementary: Annotated[bool, about("Whether the team is better than both.")]
    threshold: Annotated[
        float | None,
        about("From this confidence on the AI alone accepts its label; null: it accepts all."),
    ] = None
    accepts_all: Annotated[
        float | None, about("Right labels of the AI, on the images that the team saw.")
    ] = None


def reliance_rows(answers: Answers, plan: Resampling) -> tuple[Reliance, ...]:
    """Return each arm's reliance on the AI's labels, by part; the arm without advice has none.

    `analysis.statistics.reliance` says what the measures are.
    """
    rows: list[Reliance] = []
    for part in answers.parts:
        for arm in answers.advised:
            own = answers.part(part)
            own = own.of(own.frame["method"] == arm)
            if len(own.frame):
                rows += _of_arm(own, part, arm, plan)
    return tuple(rows)


def _of_arm(own: Answers, part: str, arm: str, plan: Resampling) -> list[Reliance]:
    advice = _advice(own)
    found = reliance(advice, own.units(), plan)
    counts = _counts(advice)
    return [
        Reliance(
            part=part,
            method=arm,
            measure=name,
            count=counts[name].successes if name in counts else None,
            n=counts[name].n if name in counts else len(own.frame),
            **limits_row(value),
        )
        for name, value in found.items()
    ]


def _advice(own: Answers) -> Advice:
    frame = own.frame
    right, followed = (frame[name].to_numpy(dtype=bool) for name in ("right", "followed"))
    before = frame["own_followed"].to_numpy(dtype=float)
    if not len(before) or not np.isfinite(before).all():
        return Advice(right, followed)
    return Advice(right, followed, frame["own_correct"].to_numpy(dtype=float) == 1, before == 1)


def _counts(advice: Advice) -> dict[str, Count]:
    right, followed = advice.ai_correct, advice.followed
    among = {
        "reliance": (followed, np.ones(len(right), dtype=bool)),
        "over_reliance": (followed, ~right),
        "under_reliance": (~followed, right),
        "appropriate_reliance": (followed == right, np.ones(len(right), dtype=bool)),
    }
    if advice.own_correct is not None and advice.own_agrees is not None:
        own, agrees = advice.own_correct, advice.own_agrees
        among["switch_fraction"] = (followed, ~agrees)
        among["relative_ai_reliance"] = (followed, ~own & right & ~agrees)
        among["relative_self_reliance"] = (~followed, own & ~right)
    return {name: Count(int((hit & of).sum()), int(of.sum())) for name, (hit, of) in among.items()}


def detection_rows(answers: Answers, rates: Rates) -> tuple[Detection, ...]:
    """Return each arm's d′ and criterion, by part, with limits over people and images."""
    return tuple(
        Detection(
            part=part,
            method=arm,
            **named_row(rates.interval("d_prime", part, arm), "d_prime"),
            **named_row(rates.interval("criterion", part, arm), "criterion"),
        )
        for part in answers.parts
        if answers.part(part).frame["right"].nunique() == 2
        for arm in answers.advised
    )


def complementarity_rows(
    answers: Answers, plan: Resampling, threshold: float | None
) -> tuple[TeamGain, ...]:
    """Return whether each arm's people beat people alone and the AI alone; none without that arm.

    Parameters
    ----------
    answers, plan
        The answers, and the resampling plan.
    threshold
        The AI alone accepts its label if its confidence reaches this, else it rejects it. If this
        is None, or an image's confidence is unknown, it accepts the label.
    """
    frame = answers.frame
    known = threshold is not None and bool(np.isfinite(frame["confidence"]).all())
    alone = frame[frame["method"] == HUMAN_ALONE]
    if alone.empty:
        return ()
    codes = Units.of(frame["participant"], frame["item"])
    apart = (frame["method"] == HUMAN_ALONE).to_numpy()
    rows = []
    for arm in answers.advised:
        own = (frame["method"] == arm).to_numpy()
        team = frame[own]
        found = complementarity(
            team["correct"].to_numpy(),
            _alone(team, threshold if known else None),
            alone["correct"].to_numpy(),
            codes.of_rows(own),
            codes.of_rows(apart),
            plan,
        )
        rows.append(
            TeamGain(
                method=arm,
                **named_row(found.team, "team"),
                **named_row(found.alone, "alone"),
                **named_row(found.ai, "ai"),
                **named_row(found.over_alone, "over_alone"),
                **named_row(found.over_ai, "over_ai"),
                **named_row(found.gain, "gain"),
                p=found.p,
                complementary=found.complementary,
                threshold=threshold if known else None,
                accepts_all=float(team["right"].mean()),
            )
        )
    return tuple(rows)


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
    mix: Annotated[float, about("Share of right labels of the base, 0 to 1.")]


@dataclass(frozen=True, slots=True)
class HelpEffects:
    """What each kind of help changes."""

    reference: Annotated[str | None, about("The arm that others are compared with, if any.")]
    effects: Annotated[
        dict[str, Effects],
        about("What the mixed model says, by images: all, natural, adversarial, occurring."),
    ]
    verdicts: Annotated[tuple[Verdict, ...], about("What each kind of help does, by base.")]
    verdict_words: Annotated[dict[str, str], about("What each verdict says.")]
    margin: Annotated[float | None, about("The equivalence margin, a difference of shares.")]
    primary: Annotated[tuple[Primary, ...], about("Which analysis decides, by base.")]
    means: Annotated[
        dict[str, tuple[PairEffect, ...]],
        about("Differences of arms by means over participants and images, by images."),
    ]
    against_margin: Annotated[
        tuple[AgainstMargin, ...], about("Right answers of each pair of arms against the margin.")
    ]
    unvarying: Annotated[
        Unvarying | None, about("Participants and images that hardly vary; null if not counted.")
    ]


def help_effects(data: TeamData) -> dict[str, Any]:
    """Return the values of `HelpEffects` by their names."""
    answers, fits = data.answers, data.fits
    effects = {part: effects_of(answers.part(part), fit) for part, fit in fits.items()}
    means = {part: mean_pairs(answers, data.rates, part) for part in answers.parts}
    weights = data.weights.get(PACK)
    base = Base.occurring(answers, weights) if weights else None
    if base is not None:
        part = NATURAL if NATURAL in fits else ALL
        effects[OCCURRING] = effects_of(answers.part(part), fits[part], base)
        means[OCCURRING] = weighted_pairs(answers, base, data.plan)
    frame = answers.frame
    columns = (frame[name].to_numpy() for name in ("correct", "participant", "item"))
    return {
        "reference": answers.reference,
        "effects": effects,
        "verdict_words": dict(VERDICTS),
        "margin": data.protocol.analysis.margin,
        "means": means,
        "unvarying": Unvarying.count(*columns),
        **_conclusions(data, effects, means),
    }


def _conclusions(
    data: TeamData, effects: Mapping[str, Effects], means: Mapping[str, tuple[PairEffect, ...]]
) -> dict[str, Any]:
    """Return which analysis decides on each base, and what follows from it."""
    answers, rules = data.answers, data.protocol.analysis
    primary, rows, shown = [], [], []
    for name in (base for base in (ALL, NATURAL, OCCURRING) if base in effects):
        own = answers.part(NATURAL) if NATURAL in answers.parts and name != ALL else answers
        by = used(rules.primary_test, bool(effects[name].pairs))
        decided = effects[name].pairs if by == MODEL else means[name]
        rule = Rule.of(own, rules.margin)
        primary.append(Primary(name, rules.primary_test, by, effects[name].mix))
        rows += verdict_rows(decided, rule, name, by)
        shown += against_margin(decided, rule, name)
    return {
        "primary": tuple(primary),
        "verdicts": tuple(rows),
        "against_margin": tuple(shown),
    }


@dataclass(frozen=True, slots=True)
class BothWays:
    """A difference by means and by the model; ``p_family`` is of the analysis that decides."""

    base: str
    means: PairEffect | None
    model: PairEffect | None
    by: str

    @property
    def first(self) -> PairEffect:
        """The difference by means; by the model if there is none."""
        found = self.means or self.model
        assert found is not None
        return found

    @property
    def decided(self) -> PairEffect:
        """The difference of the analysis that decides."""
        return (self.model if self.by == MODEL else None) or self.first


def both_ways(found: HelpEffects, base: str = ALL) -> list[BothWays]:
    """Return the differences to the reference on a base, both ways; all without a reference."""
    by = next((row.used for row in found.primary if row.base == base), MODEL)
    rows: dict[tuple[str, str, str], list[PairEffect | None]] = {}
    effects = found.effects[base].pairs if base in found.effects else ()
    for place, pairs in enumerate((found.means.get(base, ()), effects)):
        for row in against(found.reference, pairs):
            rows.setdefault((row.quantity, row.first, row.second), [None, None])[place] = row
    return [BothWays(base, *own, by) for own in rows.values()]
