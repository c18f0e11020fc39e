"""The command ``build accept_reject_accuracy``."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xai_backend import options

if TYPE_CHECKING:
    from xai_backend.studies.accept_reject_accuracy.build import Built


def build(
    protocol: options.ProtocolFile = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="DIR|CSV",
            help="The labelled images: a folder with one sub-folder for each class, or a CSV "
            "image,label.",
        ),
    ] = None,
    predictions: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="S's answers, a CSV image,label,confidence."),
    ] = None,
    model: options.Model = None,
    weights: options.Weights = None,
    classes: options.Classes = None,
    names: options.Names = None,
    seed: options.Seed = None,
    out: options.Out = None,
    device: options.Device = "cpu",
    workers: options.Processes = None,
    scheduler: options.Scheduler = None,
    as_json: options.Json = False,
) -> None:
    """Build a pack of labelled images and a classifier's answers to them.

    Give the answers as a table (--predictions), or name a classifier that answers (--model).
    After an interruption the same command continues where it stopped.

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
        workers=options.workers_of(workers, scheduler),
    )
    run_build(build_pack, request, _counts, as_json=as_json)


def _counts(built: "Built") -> Iterator[str]:
    yield f"S gives the data set's label on {built.right} of {built.images} images"
    if built.outside:
        yield (
            f"S gives labels that no image of the set has on {built.outside} images: such a label "
            "can't be E's; see docs/accept_reject_accuracy.md, Labels that only S can have given"
        )
