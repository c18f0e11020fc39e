"""The command ``build human_ai_team``."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xai_backend import options

if TYPE_CHECKING:
    from xai_backend.studies.human_ai_team.build import Built


def build(
    protocol: options.ProtocolFile = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="digits|mnist|DIR|CSV",
            help="Digits; or labelled images: a folder with one sub-folder for each class, "
            "or a CSV image,label. Default: digits.",
        ),
    ] = None,
    train: Annotated[
        str | None,
        typer.Option(
            metavar="DIR|CSV",
            help="Labelled training images, for samples and examples. Default: a quarter of each "
            "class of the source, which isn't shown.",
        ),
    ] = None,
    model: options.Model = None,
    weights: options.Weights = None,
    classes: options.Classes = None,
    per_bin: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Images of each of the six bins."),
    ] = None,
    adversarial_per_level: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Attacked images of each level; 0 for none."),
    ] = None,
    saliency: Annotated[
        str,
        typer.Option(metavar="NAME", help="Method for salient objects: centre_surround or u2net."),
    ] = "centre_surround",
    methods: options.Methods = None,
    settings: options.Settings = None,
    maps: options.Maps = None,
    for_maps: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Don't build a pack. Write its images and the labels to explain, for --maps.",
        ),
    ] = None,
    help_texts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Helps in words for the arm text: a CSV image,text, with one more column "
            "for each other language.",
        ),
    ] = None,
    names: options.Names = None,
    definitions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What labels mean: a CSV label,definition, with one more column for each "
            "other language. Default: WordNet, if nltk and its corpus are there.",
        ),
    ] = None,
    validation: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Images for validation: a CSV image,label; an empty label is the AI's own. "
            "Default: by a rule.",
        ),
    ] = None,
    boxes: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Boxes of objects: a CSV image,x0,y0,x1,y1, in the file's pixels."
        ),
    ] = None,
    seed: options.Seed = None,
    out: options.Out = None,
    device: options.Device = "cpu",
    workers: options.Processes = None,
    scheduler: options.Scheduler = None,
    as_json: options.Json = False,
) -> None:
    """Build a pack of images with an AI's labels, and what helps people to judge them.

    MNIST needs no options. The small digits need fewer images (--per-bin,
    --adversarial-per-level). Photographs need labelled images (--source) and a classifier
    (--model). An arm of help.arms may be your own method (--method) or maps made elsewhere
    (--for-maps, then --maps). If a bin can't be filled, the command stops and lists the counts of
    all bins. After an interruption the same command continues where it stopped.

    Example: python3 lab.py build human_ai_team --source photos --model resnet34 --train training
    --out packs/team
    """
    from xai_backend.methods.asked import asked_maps, asked_methods
    from xai_backend.packs.run import run_build
    from xai_backend.studies.human_ai_team.build import build as build_pack
    from xai_backend.studies.human_ai_team.build import build_for_maps
    from xai_backend.studies.human_ai_team.request import TeamRequest

    request = TeamRequest(
        source=source,
        train=train,
        protocol_file=protocol,
        seed=seed,
        per_bin=per_bin,
        adversarial_per_level=adversarial_per_level,
        model=model,
        weights=weights,
        classes=classes,
        saliency=saliency,
        methods=asked_methods(methods or (), settings or ()),
        maps=asked_maps(maps or ()),
        help_texts=help_texts,
        names=names,
        definitions=definitions,
        validation=validation,
        boxes=boxes,
        for_maps=for_maps,
        out=out,
        device=device,
        workers=options.workers_of(workers, scheduler),
    )
    if for_maps is None:
        run_build(build_pack, request, _counts, as_json=as_json)
        return
    from xai_backend.progress import Terminal

    written = build_for_maps(request, Terminal())
    print(f"{written.images} images: {written.folder}")


def _counts(built: "Built") -> Iterator[str]:
    yield (
        f"{built.images} images on {built.sheets} sheets; {built.per_bin} a bin, "
        f"{built.adversarial_per_level} attacked ones a level"
    )
