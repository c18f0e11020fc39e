"""The ``power`` verb."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stimuli.errors import UserError

if TYPE_CHECKING:
    from analysis.power.job import Ask

STUDIES = ("accept_reject",)
GENERATORS = ("robots", "model")
MODEL_PANEL = "With --generator model"


def power(
    study: Annotated[str, typer.Argument(help="accept_reject.")],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of the report; keeps finished runs.")
    ],
    participants: Annotated[
        str, typer.Option(metavar="N,N,...", help="Numbers of participants to try.")
    ] = "10,20,40",
    items: Annotated[
        str, typer.Option(metavar="N,N,...", help="Numbers of items that each judges.")
    ] = "30,60",
    effect: Annotated[
        str,
        typer.Option(
            metavar="D,D,...",
            help="Usefulness of explanations, as differences of probabilities; 0 gives the "
            "rate of false alarms.",
        ),
    ] = "0.1",
    effect_expert: Annotated[
        float | None,
        typer.Option(help="Usefulness of E's explanations; S's if left out.", show_default=False),
    ] = None,
    runs: Annotated[int, typer.Option(min=1, help="Simulated studies a combination.")] = 200,
    generator: Annotated[
        str, typer.Option(help="Who answers: robots, or the mixed model itself (quicker).")
    ] = "robots",
    robot: Annotated[str, typer.Option(help="Kind of robot, as in simulate.")] = "lead",
    pack: Annotated[
        Path | None,
        typer.Option(help="Solution pack; a sketch if left out.", show_default=False),
    ] = None,
    protocol: Annotated[
        Path | None,
        typer.Option(help="Protocol file; the study's own if left out.", show_default=False),
    ] = None,
    baseline: Annotated[
        float,
        typer.Option(help="Acceptance in time without explanations.", rich_help_panel=MODEL_PANEL),
    ] = 0.35,
    sd_participant: Annotated[
        str,
        typer.Option(
            metavar="SD,SD,SD,SD",
            help="Between participants, log odds: intercept, explained, solver, explained × "
            "solver.",
            rich_help_panel=MODEL_PANEL,
        ),
    ] = "0.6,0.4,0.2,0.2",
    sd_item: Annotated[
        str,
        typer.Option(
            metavar="SD,SD,SD,SD", help="The same between items.", rich_help_panel=MODEL_PANEL
        ),
    ] = "1.0,0.4,0.3,0.3",
    seed: Annotated[int, typer.Option(help="Same seed, same numbers.")] = 1,
    workers: Annotated[int, typer.Option(min=0, help="Local processes; 0: one for each CPU.")] = 0,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Dask scheduler to run on instead, e.g. tcp://10.0.0.5:8786.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False,
) -> None:
    """How many participants and items? Simulates the study and fits its model, many times.

    Writes report.html, results.json, power.csv and figures/*. Stopped, the same command goes
    on where it was; with more runs or a larger grid it adds to what is there.

    Example: python3 lab.py power accept_reject --participants 10,20,40 --items 30,60
    --effect 0,0.1 --generator model --out power
    """
    if study not in STUDIES:
        raise UserError(f"no power of {study!r}; there is: {', '.join(STUDIES)}")
    if generator not in GENERATORS:
        raise UserError(f"--generator {generator!r}: not one of {', '.join(GENERATORS)}")
    from analysis.power.grid import Grid
    from analysis.power.job import run_power
    from stimuli.workers import Workers

    grid = Grid(
        _numbers("--participants", participants, 2),
        _numbers("--items", items, 4),
        _effects("--effect", effect),
        effect_expert,
        runs,
    )
    sds = (_deviations("--sd-participant", sd_participant), _deviations("--sd-item", sd_item))
    asked = _ask(grid, generator, robot, pack, protocol, baseline, sds, seed)
    with _stages(quiet=as_json) as stage:
        done = run_power(asked, out, Workers(workers, scheduler), stage)
    if as_json:
        keys = ("headline", "power", "enough", "calibration", "failures")
        answer = {"report": str(done.page), **{key: done.results[key] for key in keys}}
        print(json.dumps(answer, ensure_ascii=False))
        return
    for sentence in done.results["headline"]:
        print(sentence)
    print(f"Report: {done.page}")


def _ask(
    grid: object,
    generator: str,
    robot: str,
    pack: Path | None,
    protocol: Path | None,
    baseline: float,
    sds: tuple,
    seed: int,
) -> "Ask":
    from analysis.power.accept_reject.mixed_world import MixedWorld
    from analysis.power.accept_reject.robot_world import plates_of
    from analysis.power.job import Ask
    from participants.robots import ROBOTS
    from stimuli.pack import open_pack
    from stimuli.protocol import load_protocol
    from stimuli.studies.accept_reject_accuracy.protocol import of_plates

    if not 0 < baseline < 1:
        raise UserError(f"--baseline {baseline:g}: must lie between 0 and 1")
    if pack is not None and protocol is not None:
        raise UserError("--pack and --protocol: a pack brings its own protocol; give one")
    if pack is not None and generator == "model":
        raise UserError("--pack goes with --generator robots; the model draws no plates")
    if robot not in ROBOTS:
        raise UserError(f"--robot {robot!r}: there is none; there is: {', '.join(ROBOTS)}")
    if pack is not None:
        pack = pack.resolve()
        rules = of_plates(open_pack(pack, "solutions").protocol, "power")
    else:
        rules = of_plates(load_protocol("accept_reject", protocol), "power")
    if generator == "robots":
        most = plates_of(pack)
        if max(grid.items) > most:
            raise UserError(
                f"--items {max(grid.items)}: there are {most} plates to draw from; name fewer"
            )
    kind = robot if generator == "robots" else None
    return Ask(rules, grid, pack, kind, MixedWorld(baseline, *sds), seed)


def _numbers(option: str, text: str, least: int) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise UserError(f"{option} {text}: must be whole numbers with commas between, as in 10,20")
    if min(map(int, parts)) < least:
        raise UserError(f"{option} {text}: {least} or more are needed")
    return tuple(sorted({int(part) for part in parts}))


def _effects(option: str, text: str) -> tuple[float, ...]:
    values = _reals(option, text)
    if not all(-1 < value < 1 for value in values):
        raise UserError(f"{option} {text}: a difference of probabilities lies between -1 and 1")
    return tuple(sorted({value + 0.0 for value in values}))


def _deviations(option: str, text: str) -> tuple[float, ...]:
    values = _reals(option, text)
    if len(values) != 4 or not all(0 <= value <= 10 for value in values):
        raise UserError(f"{option} {text}: four standard deviations from 0 to 10 are needed")
    return tuple(values)


def _reals(option: str, text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UserError(f"{option} {text}: must be numbers with commas between") from None


@contextmanager
def _stages(quiet: bool) -> Iterator[Callable[[str, int], Callable[[str], None]]]:
    """Show a bar with an estimate for each stage, on a terminal only."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    hidden = quiet or not console.is_terminal
    with Progress(*columns, console=console, disable=hidden) as bars:

        def stage(title: str, total: int) -> Callable[[str], None]:
            task = bars.add_task(title, total=total)
            return lambda key: bars.advance(task)

        yield stage
