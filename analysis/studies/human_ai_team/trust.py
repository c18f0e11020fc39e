"""Whether trust in the AI is well placed: over- and under-reliance, d′ and c, two stages, teams."""

from typing import Any

import numpy as np

from analysis.report.estimates import limits_row, named_row
from analysis.statistics.bootstrap import Resampling, Units
from analysis.statistics.proportions import Count
from analysis.statistics.reliance import Advice, complementarity, reliance
from analysis.studies.human_ai_team.rates import Rates
from analysis.studies.human_ai_team.trials import Answers
from stimuli.studies.human_ai_team.protocol import HUMAN_ALONE

Array = np.ndarray
Row = dict[str, Any]


def reliance_rows(answers: Answers, plan: Resampling) -> list[Row]:
    """Return each arm's reliance on the AI's labels, by part; the arm without advice has none.

    Returns
    -------
    list of dict
        ``part, method, measure`` (see `analysis.statistics.reliance`), ``count`` of ``n`` answers
        where it is a share (else None), ``estimate`` with limits over people and images; where all
        answers are alike, Wilson's.
    """
    rows = []
    for part in answers.parts:
        for arm in answers.advised:
            own = answers.part(part)
            own = own.of(own.frame["method"] == arm)
            if len(own.frame):
                rows += _of_arm(own, part, arm, plan)
    return rows


def _of_arm(own: Answers, part: str, arm: str, plan: Resampling) -> list[Row]:
    advice = _advice(own)
    found = reliance(advice, own.units(), plan)
    counts = _counts(advice)
    return [
        {
            "part": part,
            "method": arm,
            "measure": name,
            "count": counts[name].successes if name in counts else None,
            "n": counts[name].n if name in counts else len(own.frame),
            **limits_row(value),
        }
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


def detection_rows(answers: Answers, rates: Rates) -> list[Row]:
    """Return each arm's d′ and criterion, by part, with limits over people and images."""
    return [
        {
            "part": part,
            "method": arm,
            **named_row(rates.interval("d_prime", part, arm), "d_prime"),
            **named_row(rates.interval("criterion", part, arm), "criterion"),
        }
        for part in answers.parts
        if answers.part(part).frame["right"].nunique() == 2
        for arm in answers.advised
    ]


def complementarity_rows(answers: Answers, plan: Resampling) -> list[Row]:
    """Return whether each arm's people beat people alone and the AI alone; none without that arm.

    The AI alone accepts every label of its own: its accuracy is the share of right ones among the
    images that were shown.
    """
    frame = answers.frame
    alone = frame[frame["method"] == HUMAN_ALONE]
    if alone.empty:
        return []
    codes = Units.of(frame["participant"], frame["item"])
    apart = (frame["method"] == HUMAN_ALONE).to_numpy()
    rows = []
    for arm in answers.advised:
        own = (frame["method"] == arm).to_numpy()
        team = frame[own]
        found = complementarity(
            team["correct"].to_numpy(),
            team["right"].to_numpy(),
            alone["correct"].to_numpy(),
            codes.of_rows(own),
            codes.of_rows(apart),
            plan,
        )
        rows.append(
            {
                "method": arm,
                **named_row(found.team, "team"),
                **named_row(found.alone, "alone"),
                **named_row(found.ai, "ai"),
                **named_row(found.over_alone, "over_alone"),
                **named_row(found.over_ai, "over_ai"),
                **named_row(found.gain, "gain"),
                "p": found.p,
                "complementary": found.complementary,
            }
        )
    return rows
