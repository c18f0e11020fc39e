"""A power simulation from what is asked to files."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from analysis.data.json_values import plain
from analysis.data.origin import suite_version
from analysis.power.accept_reject.mixed_world import MixedWorld
from analysis.power.accept_reject.robot_world import Source
from analysis.power.accept_reject.study import (
    CONTRAST_OF,
    FORMULA,
    Calibration,
    Generator,
    Run,
    calibrate,
    calibration_of,
    run_study,
    source_key,
)
from analysis.power.grid import ALPHA, Cell, Grid, Outcome
from analysis.power.page import FIGURES, build_page, headline
from analysis.power.summary import WANTED, failures, smallest_enough, summarise
from analysis.power.words import assumptions, method_paragraph, versions
from analysis.report.writer import check_folder, write_report
from stimuli.errors import UserError
from stimuli.io.canonical import hash_of
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.workers import Kept, Workers, ordered_map

SCHEMA = "power/1.0"
RUNS, TABLE = "runs.jsonl", "power.csv"

Stage = Callable[[str, int], Callable[[str], None]]


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked of a power simulation.

    Attributes
    ----------
    protocol
        The study's.
    grid
        Sizes, effects and runs.
    pack
        Where robots' plates come from; None for a sketch.
    robot
        Kind of robot; None where the mixed model draws the answers.
    mixed
        The mixed model's baseline and variances.
    seed
        Root of every draw.
    calibration_robots, calibration_plates
        How many robots judge how many plates to find what explanations bring at most.
    """

    protocol: AcceptReject
    grid: Grid
    pack: Path | None
    robot: str | None
    mixed: MixedWorld
    seed: int
    calibration_robots: int = 48
    calibration_plates: int = 48


@dataclass(frozen=True, slots=True)
class Done:
    """A finished simulation: its page and its results."""

    page: Path
    results: dict[str, Any]


def run_power(
    ask: Ask, out: Path, workers: Workers, stage: Stage = lambda title, total: lambda key: None
) -> Done:
    """Simulate, fit, count, and write the report.

    Finished runs are kept in ``runs.jsonl`` as they come: the same call goes on where it was
    stopped, and a call with more runs or a larger grid adds to them. Numbers don't depend
    on the workers.

    Parameters
    ----------
    ask
        What is asked.
    out
        Folder of the report.
    workers
        Where studies are simulated.
    stage
        Told the title and number of steps of each stage; gives what is told of each step.

    Raises
    ------
    UserError
        If the folder holds other things, or robots can't show an effect.
    """
    own = {"tables": ("power",), "figures": tuple(FIGURES.values())}
    check_folder(out, own, beside=(RUNS, TABLE))
    with closing(Kept(out / RUNS)) as kept:
        generator, found = _generator(ask, workers, kept, stage)
        _check_effects(ask, generator)
        runs = {
            f"{_key(generator)}/{cell.name}/{number}": Run(generator, cell, number)
            for number in range(ask.grid.runs)
            for cell in ask.grid.cells()
        }
        step = stage("simulating studies", len(runs))
        outcomes: dict[Cell, list[Outcome]] = {cell: [] for cell in ask.grid.cells()}
        for key, value in ordered_map(run_study, runs.items(), workers, kept, step):
            outcomes[runs[key].cell].append(Outcome.of(value))
    results = plain(_results(ask, generator, found, outcomes))
    page = write_report(out, build_page(results), results, {"power": results["power"]})
    (out / TABLE).write_bytes((out / "tables" / TABLE).read_bytes())
    return Done(page, results)


def _generator(
    ask: Ask, workers: Workers, kept: Kept, stage: Stage
) -> tuple[Generator, dict[str, Any] | None]:
    """Return where answers come from, for robots with what they gain at most."""
    if ask.robot is None:
        return Generator(ask.protocol, None, ask.mixed, None, ask.seed), None
    source = Source.of(ask.protocol, max(ask.grid.items), ask.pack, ask.robot)
    generator = Generator(ask.protocol, source, ask.mixed, None, ask.seed)
    count, plates = ask.calibration_robots, ask.calibration_plates
    tasks = {
        f"{_key(generator)}/calibrate/{plates}/{number}": (source, ask.seed, number, plates)
        for number in range(count)
    }
    step = stage("plates, and what explanations bring", count)
    rows = [row for _, row in ordered_map(calibrate, tasks.items(), workers, kept, step)]
    return replace(generator, full=calibration_of(rows)), rows[0]


def _key(generator: Generator) -> str:
    return hash_of([source_key(generator), suite_version()])[:16]


def _check_effects(ask: Ask, generator: Generator) -> None:
    asked: Sequence[tuple[str, str, float]] = [
        *(("--effect", "S", effect) for effect in ask.grid.effects),
        *(("--effect-expert", "E", c.effect_expert) for c in ask.grid.cells()),
    ]
    for option, solver, effect in asked:
        if generator.full is None:
            if not 0.01 <= ask.mixed.baseline + effect <= 0.99:
                raise UserError(
                    f"{option} {effect:g}: on top of --baseline {ask.mixed.baseline:g} it leaves "
                    "the range from .01 to .99"
                )
            continue
        most = generator.full.system if solver == "S" else generator.full.expert
        if not 0 <= effect <= most:
            raise UserError(
                f"{option} {effect:g}: explanations of {solver}'s bring these robots 0 to "
                f"{most:.3f}; name an effect within, or take --generator model"
            )


def _results(
    ask: Ask,
    generator: Generator,
    found: dict[str, Any] | None,
    outcomes: dict[Cell, list[Outcome]],
) -> dict[str, Any]:
    rows = [
        summarise(cell, term, contrast, _truth(cell, contrast), own)
        for term, contrast in CONTRAST_OF.items()
        for cell, own in outcomes.items()
    ]
    everything = [one for own in outcomes.values() for one in own]
    results: dict[str, Any] = {
        "schema": SCHEMA,
        "study": "accept_reject",
        "asked": _asked(ask),
        "formula": FORMULA,
        "terms": list(CONTRAST_OF),
        "wanted": WANTED,
        "calibration": _calibration(generator.full, found),
        "power": rows,
        "enough": smallest_enough(rows),
        "failures": failures(everything),
        "versions": versions(),
    }
    results["method"] = method_paragraph(results)
    results["assumptions"] = assumptions(results)
    results["headline"] = headline(results)
    return results


def _truth(cell: Cell, contrast: str) -> float:
    if contrast == "S-E":
        return cell.effect - cell.effect_expert
    return (cell.effect + cell.effect_expert) / 2


def _asked(ask: Ask) -> dict[str, Any]:
    grid = ask.grid
    return {
        "protocol": ask.protocol.name,
        "participants": list(grid.participants),
        "items": list(grid.items),
        "effects": list(grid.effects),
        "effect_expert": grid.effect_expert,
        "runs": grid.runs,
        "alpha": ALPHA,
        "cutoff_s": ask.protocol.trial.cutoff_s,
        "seed": ask.seed,
        "generator": "model" if ask.robot is None else "robots",
        "robot": ask.robot,
        "pack": None if ask.pack is None else ask.pack.name,
        "baseline": ask.mixed.baseline,
        "sd_participant": list(ask.mixed.sd_participant),
        "sd_item": list(ask.mixed.sd_item),
    }


def _calibration(full: Calibration | None, found: dict[str, Any] | None) -> dict | None:
    if full is None or found is None:
        return None
    return {
        "system": full.system,
        "system_se": full.se_system,
        "expert": full.expert,
        "expert_se": full.se_expert,
        "baseline": full.baseline,
        "plates": found["plates"],
        "pack_id": found["pack_id"],
    }
