"""The command ``power simulatability``."""

from analysis.power.options import JobOptions, require_numbers
from analysis.studies.simulatability.power.asked import SimulationSizes, SimulationWorld
from stimuli.options import grouped


@grouped
def power(sizes: SimulationSizes, world: SimulationWorld, job: JobOptions) -> None:
    """Find how many participants simulatability needs in one domain.

    The command simulates the study many times and analyses each simulated study as real data. It
    counts how often one method's Change differs from that of the arm without explanations. The
    number of participants is for all arms of the domain together; the number of items is for each
    test. The command writes report.html, results.json, power.csv and figures/*. After an
    interruption, type the same command again: it continues where it stopped.

    Example: python3 lab.py power simulatability --participants 72,144 --effect 0.1,0 --out power
    """
    from analysis.power.command import answer
    from analysis.power.grid import Grid
    from analysis.studies.simulatability.power.question import Ask, question_of
    from stimuli.protocol import load_protocol
    from stimuli.studies.simulatability.protocol import Simulatability

    rules = load_protocol("simulatability", sizes.protocol)
    assert isinstance(rules, Simulatability)
    grid = Grid(
        require_numbers("--participants", sizes.participants, 2 * sizes.arms),
        require_numbers("--items", sizes.items, 4),
        sizes.effect,
        sizes.runs,
    )
    answer(question_of(Ask(rules, grid, world, sizes.arms - 2, job.seed)), job)
