"""The command ``power human_ai_team``."""

from dataclasses import replace

from analysis.power.options import JobOptions
from analysis.studies.human_ai_team.power.asked import TeamSizes, TeamWorld
from stimuli.options import grouped


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
    from analysis.power.question import grid_of
    from analysis.power.simulated import ArmsAsk
    from analysis.studies.human_ai_team.power.question import question_of
    from stimuli.protocol import load_protocol
    from stimuli.studies.human_ai_team.protocol import HumanAiTeam

    rules = load_protocol("human_ai_team", sizes.protocol)
    assert isinstance(rules, HumanAiTeam)
    grid = grid_of(sizes, sizes.effect, 2 * sizes.arms)
    world = replace(world, ai_right=3 * rules.bins.per_bin / rules.bins.images)
    answer(question_of(ArmsAsk(rules, grid, world, sizes.arms - 2, job.seed)), job)
