"""The command ``build accept_reject``."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xai_backend import options

if TYPE_CHECKING:
    from xai_backend.studies.accept_reject.build import Built


def build(
    protocol: options.ProtocolFile = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="uci|mnist|DIR",
            help="Digits: uci (come with the suite), mnist (downloaded once), or a folder of "
            "MNIST's IDX files. Default: the protocol's, which are MNIST's as published.",
        ),
    ] = None,
    seed: options.Seed = None,
    out: options.Out = None,
    tasks: Annotated[
        Path | None, typer.Option(metavar="PACK", help="A task pack that you built before.")
    ] = None,
    human_maps: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="A map set that experts painted on it. May be repeated."),
    ] = None,
    robot_experts: Annotated[
        int | None, typer.Option(metavar="N", help="Let N robots paint instead of experts.")
    ] = None,
    methods: options.Methods = None,
    settings: options.Settings = None,
    device: options.Device = "cpu",
    workers: options.Processes = None,
    scheduler: options.Scheduler = None,
    as_json: options.Json = False,
) -> None:
    """Build a pack of plates, with a network's and experts' explanations.

    First the command builds the task pack, on which experts paint. With --tasks and --human-maps,
    or with --robot-experts, it builds the solution pack too, which leads judge. The protocol may
    name several explanation methods, compared within each lead (system.further_methods), the rungs
    of the pack's leads (solutions.rungs), and where experts see plates (experts.axis,
    experts.rung). After an interruption the same command continues where it stopped.

    Example: python3 lab.py build accept_reject --source uci --robot-experts 3 --out packs/first
    """
    from xai_backend.methods.asked import asked_methods
    from xai_backend.packs.run import run_build
    from xai_backend.studies.accept_reject.build import BuildRequest
    from xai_backend.studies.accept_reject.build import build as build_pack

    request = BuildRequest(
        protocol_file=protocol,
        source=source,
        seed=seed,
        out=out,
        tasks=tasks,
        human_maps=tuple(human_maps or ()),
        robot_experts=robot_experts,
        methods=asked_methods(methods or (), settings or ()),
        device=device,
        workers=options.workers_of(workers, scheduler),
    )
    run_build(build_pack, request, _next, as_json=as_json)


def _next(built: "Built") -> Iterator[str]:
    if built.remark:
        yield f"note: {built.remark}"
    if built.kind == "tasks":
        yield (
            "next: experts paint it, then "
            f"lab.py build accept_reject --tasks {built.pack} --human-maps DIR "
            "(robots in their place: --robot-experts N)"
        )
