"""The command ``power accept_reject_accuracy``."""

from typing import Annotated

import typer

from analysis.power import options
from stimuli.errors import UserError

WORLD_PANEL = "How labels are judged"


def power(
    out: options.Out,
    participants: options.Participants = "2,5,10,20",
    items: options.Items = "100,400",
    effect: Annotated[
        str,
        typer.Option(
            metavar="D,D,...",
            help="p_S − p_E: acceptance of S's labels minus that of the data set's; 0 gives the "
            "rate of false alarms.",
        ),
    ] = "-0.05,0",
    runs: options.Runs = 200,
    protocol: options.Protocol = None,
    accept_right: Annotated[
        float,
        typer.Option(
            help="Probability that a right label is accepted.", rich_help_panel=WORLD_PANEL
        ),
    ] = 0.95,
    accept_wrong: Annotated[
        float,
        typer.Option(
            help="Probability that a wrong label is accepted.", rich_help_panel=WORLD_PANEL
        ),
    ] = 0.15,
    label_errors: Annotated[
        float,
        typer.Option(
            help="Share of images whose label in the data set is wrong.",
            rich_help_panel=WORLD_PANEL,
        ),
    ] = 0.02,
    sd_participant: Annotated[
        float,
        typer.Option(
            min=0, help="SD of leads' readiness to accept, log odds.", rich_help_panel=WORLD_PANEL
        ),
    ] = 0.7,
    sd_item: Annotated[
        float,
        typer.Option(
            min=0, help="SD of images' ease of acceptance, log odds.", rich_help_panel=WORLD_PANEL
        ),
    ] = 1.0,
    seed: options.Seed = 1,
    workers: options.Processes = 0,
    scheduler: options.Scheduler = None,
    as_json: options.AsJson = False,
) -> None:
    """Find how many leads and images accept_reject_accuracy needs.

    The command simulates the study many times and analyses each simulated study as real data. It
    writes report.html, results.json, power.csv and figures/*. After an interruption the same
    command continues. With more --runs or more combinations it adds to finished runs.

    Example: python3 lab.py power accept_reject_accuracy --participants 5,20 --items 200
    --effect=-0.05,0 --out power
    """
    from analysis.power.command import answer
    from analysis.power.grid import Grid
    from analysis.studies.accept_reject_accuracy.power.label_world import Difference, LabelWorld
    from analysis.studies.accept_reject_accuracy.power.question import question_of
    from stimuli.protocol import load_protocol
    from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy

    rules = load_protocol("accept_reject_accuracy", protocol)
    assert isinstance(rules, AcceptRejectAccuracy)
    if not 0 < accept_wrong < accept_right < 1:
        raise UserError(
            f"--accept-wrong {accept_wrong:g} and --accept-right {accept_right:g}: must lie "
            "between 0 and 1, the second above the first"
        )
    if not 0 <= label_errors < 1:
        raise UserError(f"--label-errors {label_errors:g}: must be 0 or more and below 1")
    grid = Grid(
        options.numbers("--participants", participants, 2),
        options.numbers("--items", items, 4),
        tuple(map(Difference, options.effects("--effect", effect, -1, 1, "p_S − p_E"))),
        runs,
    )
    world = LabelWorld(accept_right, accept_wrong, label_errors, sd_participant, sd_item)
    question = question_of(rules, grid, world, seed)
    answer(question, out, workers, scheduler, as_json=as_json)
