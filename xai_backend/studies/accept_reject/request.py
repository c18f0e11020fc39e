"""What may be asked of accept_reject's builder."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from stimuli.options import Needs, NotWith, Repeated
from xai_backend import options


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """What is asked for; None where it is left open. The fields are the command's options."""

    protocol_file: options.ProtocolFile = None
    source: Annotated[
        str | None,
        typer.Option(
            metavar="uci|mnist|DIR",
            help="Digits: uci (come with the suite), mnist (downloaded once), or a folder of "
            "MNIST's IDX files. Default: the protocol's, which are MNIST's as published.",
        ),
    ] = None
    seed: options.Seed = None
    out: options.Out = None
    tasks: Annotated[
        Path | None,
        typer.Option(metavar="PACK", help="A task pack that you built before."),
        Needs("--human-maps --robot-experts"),
        NotWith("--protocol --source --seed", "the task pack has its own"),
        NotWith(
            "--method --set --metrics --workers --scheduler",
            "S has solved and explained the task pack already",
        ),
    ] = None
    human_maps: Annotated[
        tuple[Path, ...],
        typer.Option(metavar="DIR", help="A map set that experts painted on it. May be repeated."),
        Repeated(Path),
        Needs("--tasks", "the task pack on which they were painted"),
    ] = ()
    robot_experts: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Let N robots paint instead of experts.")
    ] = None
    methods: options.Methods = field(default_factory=dict)
    metrics: options.Metrics = False
    device: options.Device = "cpu"
    workers: options.WorkersAsked = None
