"""Worlds in which explanations do harm or none: how often the report says so."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from analysis.statistics.bootstrap import Resampling
from analysis.studies.accept_reject.controls import MIXED, Controls, find_harm
from bench.book import Effort, Measured, Part, table
from bench.parts.control_worlds import (
    ITEM_SD,
    PERSON_SD,
    QUICK_STUDIES,
    SLOPE_SD,
    STUDIES,
    Chances,
    controls_of,
    generator,
    many,
    protocol,
)
from bench.parts.words import percent_of

LEADS = 60
REPLICATES = 500
FOUND = ("d_prime", "wrong_digits", "either", "mixed")
"""What is counted, by its name in the figures, in the order of the table."""


@dataclass(frozen=True, slots=True)
class HarmWorld:
    """Acceptance of right and of wrong digits, without and with explanations; all leads alike."""

    right: tuple[float, float]
    wrong: tuple[float, float]

    def chances(self) -> Chances:
        """Return every kind's; misleading contours make right digits harder, wrong ones easier."""
        low, high = self.right[0] / 2, min(0.95, self.wrong[1] + 0.2)
        return {
            "right_digit": self.right,
            "wrong_digit": self.wrong,
            **dict.fromkeys(("right_digit_elsewhere", "right_digit_shuffled"), (low, low)),
            "right_digit_blank": (self.right[0], self.right[0]),
            **dict.fromkeys(("wrong_digit_true_place", "wrong_digit_own_shape"), (high, high)),
        }


HARM_WORLDS: Mapping[str, HarmWorld] = {
    "nothing changes": HarmWorld((0.70, 0.70), (0.22, 0.22)),
    "a matched explanation helps": HarmWorld((0.70, 0.85), (0.22, 0.22)),
    "wrong digits are accepted more often": HarmWorld((0.70, 0.70), (0.22, 0.36)),
    "wrong digits are accepted only with explanations": HarmWorld((0.70, 0.85), (0.0, 0.175)),
}


def harm_of(world: HarmWorld, seed: int, leads: int = LEADS) -> dict[str, Any]:
    """Return what the analysis says of harm in one study."""
    rng = generator(seed)
    with threadpool_limits(1):
        judged = controls_of([world.chances()] * leads, rng)
        plan = Resampling(REPLICATES, seed)
        found = find_harm(judged, Controls(judged, plan), protocol().analysis.margin)
    return {
        "d_prime": found.less_sensitive,
        "change": found.change.estimate,
        "mixed": found.method == MIXED,
        "wrong_digits": found.more_wrong,
    }


def harm(effort: Effort) -> Measured:
    """How often harm is named, world by world."""
    studies = QUICK_STUDIES if effort.quick else STUDIES
    figures: dict[str, Any] = {"studies": studies, "leads": LEADS}
    for name, world in HARM_WORLDS.items():
        effort.say(name)
        found = many(partial(_harm_task, world), studies)
        figures[name] = {
            "d_prime": sum(one["d_prime"] for one in found),
            "wrong_digits": sum(one["wrong_digits"] for one in found),
            "either": sum(one["d_prime"] or one["wrong_digits"] for one in found),
            "mixed": sum(one["mixed"] for one in found),
            "change": float(np.mean([one["change"] for one in found])),
        }
    return Measured(harm_text(figures), figures)


def harm_text(figures: Mapping[str, Any]) -> str:
    """Return the section on harm."""
    studies = figures["studies"]
    rows = [(name, world, figures[name]) for name, world in HARM_WORLDS.items()]
    lines = [
        [
            name,
            _pair(world.right),
            _pair(world.wrong),
            f"{row['change']:+.2f}".replace("-", "−"),
            *(
                percent_of(row[key], studies)
                for key in ("d_prime", "wrong_digits", "either", "mixed")
            ),
        ]
        for name, world, row in rows
    ]
    return (
        f"{studies} studies of each world, with {figures['leads']} leads and the controls of the "
        "default protocol. No robot looks at plates here. The program draws which controls a lead "
        "accepts in time, from the shares in the table. Leads and plates vary: standard deviations "
        f"{PERSON_SD:g} and {ITEM_SD:g} on the probit scale, {SLOPE_SD:g} for what an explanation "
        "changes. Contours that mislead on purpose halve the acceptance of right digits and raise "
        "that of wrong ones. The report doesn't judge harm by these.\n\n"
        "The report says harm if d′ falls (the 95 % interval of the change lies below zero) or if "
        "wrong digits are accepted more often by more than the margin of 10 points, with an "
        "interval above zero, and right digits aren't shown to rise by more (“may do harm” "
        "counts, too). d′ comes from a mixed probit model. In the last world no wrong digit is "
        "accepted without explanations, so the model has no finite estimate, and d′ comes from "
        "pooled counts. The last column says in how many studies d′ came from the model.\n\n"
        + table(
            [
                "world",
                "right digits accepted, without → with",
                "wrong digits accepted, without → with",
                "change of d′",
                "harm by d′",
                "harm by wrong digits",
                "harm by either",
                "d′ from the model",
            ],
            lines,
        )
    )


def _harm_task(world: HarmWorld, seed: int) -> dict[str, Any]:
    return harm_of(world, seed)


def _pair(values: tuple[float, float]) -> str:
    return " → ".join(f"{value:.3g}" for value in values)


PARTS = (Part("harm", "How often the report says harm", harm),)
