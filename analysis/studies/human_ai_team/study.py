"""What human_ai_team declares for analysis, and its command ``power human_ai_team``."""

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from analysis.power.options import JobOptions, grid_of
from analysis.power.simulation import arms_of
from analysis.studies.human_ai_team.power import Shift, TeamSizes, TeamWorld
from analysis.study import Study, TableBeside
from stimuli.options import grouped

if TYPE_CHECKING:
    from analysis.questions.inquiry import Inquiry
    from analysis.studies.human_ai_team.data import TeamData


@grouped
def power(sizes: TeamSizes, world: TeamWorld, job: JobOptions) -> None:
    """Find how many participants human_ai_team needs.

    The command simulates the study many times and analyses each simulated study as real data. It
    writes report.html, results.json, power.csv and figures/*. After an interruption the same
    command continues. With more --runs or more combinations it adds to finished runs.

    Example: python3 lab.py power human_ai_team --participants 150,300 --effect 0.1:0,0:0
    --out power
    """
    from analysis.power.job import answer
    from analysis.power.simulation import Ask
    from analysis.studies.human_ai_team.simulated import question_of
    from stimuli.protocol import load_protocol
    from stimuli.studies.human_ai_team.protocol import HumanAiTeam

    rules = load_protocol("human_ai_team", sizes.protocol)
    assert isinstance(rules, HumanAiTeam)
    grid = grid_of(sizes, sizes.effect, 2 * sizes.arms)
    ai_right = 3 * rules.bins.per_bin / rules.bins.images
    world = replace(world, ai_right=ai_right, arms=arms_of(sizes.arms, Shift(0.0)))
    answer(question_of(Ask(rules, grid, world, job.seed)), job)


_YES_NO: Final = {
    **dict.fromkeys(("y", "true", "1", "1.0", "accept", "ja"), "yes"),
    **dict.fromkeys(("n", "false", "0", "0.0", "reject", "nein"), "no"),
}
"""Words for yes and no in tables from elsewhere."""


def inquiry() -> "Inquiry[TeamData]":
    """Return the questions of human_ai_team, in the order of the page."""
    from analysis.studies.human_ai_team.inquiry import TEAM

    return TEAM


STUDY = Study(
    inquiry,
    beside={
        "available": TableBeside(
            ("bin",), "Table of how often bins occur, with --trials: bin, weight."
        ),
        "ai": TableBeside(
            ("confidence", "correct"), "Table of the AI on all images, with --trials."
        ),
        "arms": TableBeside(("arm",)),
        "metrics": TableBeside(
            ("item", "method"), "Table of the maps' metrics by image and arm, with --trials."
        ),
        "people": TableBeside(("participant", "method")),
    },
    # Empty if there was no answer.
    may_be_empty=frozenset({"decision"}),
    words={
        "phase": {"test": "main"},
        "decision": _YES_NO,
        "own_decision": _YES_NO,
        "prior_knowledge": _YES_NO,
    },
    power=power,
)
