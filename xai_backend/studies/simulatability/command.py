"""The command ``build simulatability``."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xai_backend import options

if TYPE_CHECKING:
    from xai_backend.studies.simulatability.build import Built


def build(
    protocol: options.ProtocolFile = None,
    text: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR|CSV",
            help="Sentences of two classes: the folder of rt-polarity, or a CSV with the columns "
            "text,label. Default without --table: reviews that come with the suite.",
        ),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR|CSV",
            help="Rows of two classes: the folder of Adult, or a CSV with a column label. "
            "Default without --text: loans that come with the suite.",
        ),
    ] = None,
    vectors: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Word vectors, a text file in GloVe's format. Default: learned from the training "
            "split.",
        ),
    ] = None,
    from_sheets: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Import the published study's own sheets; trains nothing."
        ),
    ] = None,
    rationales: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=CSV",
            help="Explanations made elsewhere, for the method NAME of design.methods: a CSV with "
            "the columns id,text. May be repeated.",
        ),
    ] = None,
    names: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Names of classes, columns, values and methods: a CSV with the columns label,name "
            "and a column for each further language.",
        ),
    ] = None,
    seed: options.Seed = None,
    out: options.Out = None,
    workers: options.Processes = None,
    scheduler: options.Scheduler = None,
    as_json: options.Json = False,
) -> None:
    """Build a pack with a model's outputs and explanations of them.

    Without options, the command trains models on the data that come with the suite. Use --text,
    --table or both for your own data. --from-sheets imports the published study's own items. If
    the data have too few inputs of a kind, the command stops and prints the counts. After an
    interruption, type the same command again: it continues where it stopped.

    Example: python3 lab.py build simulatability --text reviews.csv --out packs/reviews
    """
    from xai_backend.packs.run import run_build
    from xai_backend.studies.simulatability.build import build as build_pack
    from xai_backend.studies.simulatability.request import CaseRequest, asked_rationales

    request = CaseRequest(
        text=text,
        table=table,
        vectors=vectors,
        from_sheets=from_sheets,
        rationales=asked_rationales(rationales or []),
        names=names,
        protocol_file=protocol,
        seed=seed,
        out=out,
        workers=options.workers_of(workers, scheduler),
    )
    run_build(build_pack, request, _counts, as_json=as_json)


def _counts(built: "Built") -> Iterator[str]:
    yield (
        f"{built.items} items, {built.explanations} explanations; {_counted(built.arms, 'arm')}, "
        f"{_counted(built.sheets, 'sheet')} for each"
    )
    for domain, (model, prototypes) in built.accuracy.items():
        yield (
            f"{domain}: the model is right on {100 * model:.2f} % of the test split, its prototype "
            f"network on {100 * prototypes:.2f} %"
        )
    yield from built.remarks


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"
