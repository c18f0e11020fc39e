"""The command ``build accept_reject_accuracy``."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xai_backend.options import (
    ClassesOption,
    DeviceOption,
    JsonOption,
    OutOption,
    ProtocolOption,
    SchedulerOption,
    SeedOption,
    WeightsOption,
    WorkersOption,
    workers_of,
)

if TYPE_CHECKING:
    from xai_backend.studies.accept_reject_accuracy.build import Built


def build(
    protocol: ProtocolOption = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="DIR|CSV",
            help="The labelled images: a folder with one sub-folder a class, or a CSV image,label.",
        ),
    ] = None,
    predictions: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="S's answers, a CSV image,label,confidence."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "--network",
            metavar="NAME",
            help="Without --predictions: a classifier of torchvision's that answers.",
        ),
    ] = None,
    weights: WeightsOption = None,
    classes: ClassesOption = None,
    names: Annotated[
        Path | None,
        typer.Option(
            "--names",
            "--class-names",
            metavar="FILE",
            help="What labels are called, a CSV label,name with a column a language.",
        ),
    ] = None,
    seed: SeedOption = None,
    out: OutOption = None,
    device: DeviceOption = "cpu",
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Build a pack of labelled images and a classifier's answers to them.

    The answers are a table, or those of a classifier that is run on the
    images. After an interruption the same command goes on where it
    stopped.

    Example: python3 lab.py build accept_reject_accuracy --source photos
    --predictions answers.csv --out packs/accuracy
    """
    from xai_backend.packs.run import run_build
    from xai_backend.studies.accept_reject_accuracy.build import AccuracyRequest
    from xai_backend.studies.accept_reject_accuracy.build import build as build_pack

    request = AccuracyRequest(
        protocol_file=protocol,
        source=source,
        predictions=predictions,
        model=model,
        weights=weights,
        classes=classes,
        names=names,
        seed=seed,
        out=out,
        device=device,
        workers=workers_of(workers, scheduler),
    )
    run_build(build_pack, request, _counts, as_json=as_json)


def _counts(built: "Built") -> Iterator[str]:
    yield f"S gives the data set's label on {built.right} of {built.images} images"
    if built.outside:
        yield (
            f"S gives labels that no image of the set has on {built.outside} images: such a label "
            "can't be E's; see docs/accept_reject_accuracy.md, Labels that only S can have given"
        )
