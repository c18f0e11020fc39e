"""The command ``power accept_reject``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analysis.power import options
from stimuli.errors import UserError

if TYPE_CHECKING:
    from stimuli.studies.accept_reject.protocol import AcceptReject

GENERATORS = ("robots", "model")
MODEL_PANEL = "With --generator model"
CONTROLS_PANEL = "How controls are answered"


def power(
    out: options.Out,
    participants: options.Participants = "10,20,40",
    items: options.Items = "30,60",
    effect: Annotated[
        str,
        typer.Option(
            metavar="D[:HARM],...",
            help="Usefulness of explanations, as differences of probabilities, and by how much "
            "they lower d′; 0 gives the rate of false alarms.",
        ),
    ] = "0.1:0.5",
    effect_expert: Annotated[
        float | None,
        typer.Option(
            help="Usefulness of E's explanations. Default: that of S's.", show_default=False
        ),
    ] = None,
    runs: options.Runs = 200,
    generator: Annotated[
        str, typer.Option(help="Who answers: robots, or the mixed model itself (quicker).")
    ] = "robots",
    robot: Annotated[
        str, typer.Option(help="Kind of robot. simulate accept_reject --help lists them.")
    ] = "lead",
    pack: Annotated[
        Path | None,
        typer.Option(
            help="Solution pack. Default: a quick sketch without a network.", show_default=False
        ),
    ] = None,
    protocol: options.Protocol = None,
    baseline: Annotated[
        float,
        typer.Option(
            help="Probability of acceptance in time without explanations.",
            rich_help_panel=MODEL_PANEL,
        ),
    ] = 0.35,
    sd_participant: Annotated[
        str,
        typer.Option(
            metavar="SD,SD,SD,SD",
            help="SDs of participants' random effects, in log odds: intercept, explained, "
            "solver, explained × solver.",
            rich_help_panel=MODEL_PANEL,
        ),
    ] = "0.6,0.4,0.2,0.2",
    sd_item: Annotated[
        str,
        typer.Option(
            metavar="SD,SD,SD,SD", help="SDs of items' random effects.", rich_help_panel=MODEL_PANEL
        ),
    ] = "1.0,0.4,0.3,0.3",
    accept_controls: Annotated[
        str,
        typer.Option(
            metavar="RIGHT,WRONG",
            help="Shares of right and of wrong digits accepted in time without explanations.",
            rich_help_panel=CONTROLS_PANEL,
        ),
    ] = "0.6,0.15",
    sd_control_participant: Annotated[
        str,
        typer.Option(
            metavar="SD,SD,SD,SD",
            help="SDs between participants on the probit scale: intercept, explained, signal, "
            "signal × explained.",
            rich_help_panel=CONTROLS_PANEL,
        ),
    ] = "0.4,0.2,0.2,0.1",
    sd_control_item: Annotated[
        str,
        typer.Option(
            metavar="SD,SD,SD,SD",
            help="SDs between items, the same.",
            rich_help_panel=CONTROLS_PANEL,
        ),
    ] = "0.4,0.1,0.1,0.1",
    seed: options.Seed = 1,
    workers: options.Processes = 0,
    scheduler: options.Scheduler = None,
    as_json: options.AsJson = False,
) -> None:
    """Find how many participants and items accept_reject needs.

    The command simulates the study many times and fits the preregistered model to each simulated
    study. It writes report.html, results.json, power.csv and figures/*. After an interruption the
    same command continues. With more --runs or more combinations it adds to finished runs.

    Example: python3 lab.py power accept_reject --participants 10,20,40 --items 30,60
    --effect 0,0.1:0.5 --generator model --out power
    """
    if generator not in GENERATORS:
        raise UserError(f"--generator {generator!r}: not one of {', '.join(GENERATORS)}")
    from analysis.power.command import answer
    from analysis.studies.accept_reject.power.control_world import ControlWorld
    from analysis.studies.accept_reject.power.mixed_world import MixedWorld
    from analysis.studies.accept_reject.power.question import Ask, question_of
    from analysis.studies.accept_reject.power.usefulness import effects_of, grid_of

    grid = grid_of(
        options.numbers("--participants", participants, 2),
        options.numbers("--items", items, 4),
        effects_of("--effect", effect),
        effect_expert,
        runs,
    )
    sds = (
        options.deviations("--sd-participant", sd_participant, 4),
        options.deviations("--sd-item", sd_item, 4),
    )
    if not 0 < baseline < 1:
        raise UserError(f"--baseline {baseline:g}: must be between 0 and 1")
    robots = generator == "robots"
    pack = None if pack is None else pack.resolve()
    rules = _rules(robots, robot, pack, protocol)
    if robots:
        _require_plates(pack, max(grid.items))
    controls = ControlWorld(
        _shares("--accept-controls", accept_controls),
        options.deviations("--sd-control-participant", sd_control_participant, 4),
        options.deviations("--sd-control-item", sd_control_item, 4),
    )
    mixed = MixedWorld(baseline, *sds)
    ask = Ask(rules, grid, pack, robot if robots else None, mixed, seed, controls=controls)
    answer(question_of(ask), out, workers, scheduler, as_json=as_json)


def _shares(option: str, text: str) -> tuple[float, float]:
    values = options.reals(option, text)
    if len(values) != 2 or not all(0 < value < 1 for value in values):
        raise UserError(f"{option} {text}: must be two shares between 0 and 1, as in 0.6,0.15")
    return values[0], values[1]


def _rules(robots: bool, robot: str, pack: Path | None, protocol: Path | None) -> "AcceptReject":
    from participants.studies.accept_reject.robots.leads import ROBOTS
    from stimuli.pack import open_pack
    from stimuli.protocol import load_protocol
    from stimuli.studies.accept_reject_accuracy.protocol import of_plates

    if pack is not None and protocol is not None:
        raise UserError("--pack and --protocol: a pack brings its own protocol; give one")
    if pack is not None and not robots:
        raise UserError("--pack goes with --generator robots; the model draws no plates")
    if robot not in ROBOTS:
        raise UserError(f"--robot {robot!r}: unknown; take one of {', '.join(ROBOTS)}")
    if pack is not None:
        return of_plates(open_pack(pack, "solutions").protocol, "power")
    return of_plates(load_protocol("accept_reject", protocol), "power")


def _require_plates(pack: Path | None, items: int) -> None:
    from analysis.studies.accept_reject.power.robot_world import plates_of

    most = plates_of(pack)
    if items > most:
        raise UserError(f"--items {items}: there are {most} plates to draw from; name fewer")
