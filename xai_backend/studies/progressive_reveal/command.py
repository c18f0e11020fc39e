"""The command ``build progressive_reveal``."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xai_backend import options

if TYPE_CHECKING:
    from xai_backend.studies.progressive_reveal.build import Built, BuiltTasks


def build(
    protocol: options.ProtocolFile = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="uci|mnist|DIR|CSV|TFRECORDS",
            help="Digits; labelled images: a folder with one sub-folder for each class, or a "
            "CSV image,label; or ClickMe's own files (a TFRecord, or a folder of them), which "
            "include people's maps.",
        ),
    ] = None,
    images: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The main images, one name on each line, such as a published list. Default: "
            "drawn at random.",
        ),
    ] = None,
    seed: options.Seed = None,
    out: options.Out = None,
    human_maps: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR",
            help="People's maps: grey PNG or .npy by the image's stem, or a map set. May be "
            "repeated.",
        ),
    ] = None,
    robot_bubblers: Annotated[
        int | None,
        typer.Option(metavar="N", help="Let N robots mark each image instead of people."),
    ] = None,
    for_bubbling: Annotated[
        bool,
        typer.Option(
            "--for-bubbling", help="Build the task pack on which people mark images by bubbles."
        ),
    ] = False,
    methods: options.Methods = None,
    settings: options.Settings = None,
    maps: options.Maps = None,
    model: options.Model = None,
    weights: options.Weights = None,
    classes: options.Classes = None,
    protopnet: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A trained ProtoPNet. Default: train one.")
    ] = None,
    names: options.Names = None,
    device: options.Device = "cpu",
    workers: options.Processes = None,
    scheduler: options.Scheduler = None,
    as_json: options.Json = False,
) -> None:
    """Build a pack of images that each method's map uncovers step by step.

    Digits need no options. Photographs need labelled images (--source), a classifier (--model) and
    people's maps (--human-maps). The protocol may name the classes (images.named_classes), draw
    only images that the classifier classifies correctly (images.only_correct), explain the
    predicted class (system.explained_class), and show evidence against the class in a separate
    window (reveal.polarity). In the table of --names, separate aliases by |. After an interruption
    the same command continues where it stopped.

    Example: python3 lab.py build progressive_reveal --source photos --model resnet50
    --human-maps clickme --names words.csv --out packs/reveal
    """
    from xai_backend.methods.asked import asked_maps, asked_methods
    from xai_backend.packs.run import run_build
    from xai_backend.studies.progressive_reveal.build import build as build_pack
    from xai_backend.studies.progressive_reveal.build import build_tasks
    from xai_backend.studies.progressive_reveal.request import RevealRequest

    request = RevealRequest(
        protocol_file=protocol,
        seed=seed,
        source=source,
        images=images,
        model=model,
        weights=weights,
        classes=classes,
        protopnet=protopnet,
        human_maps=tuple(human_maps or ()),
        robot_bubblers=robot_bubblers,
        for_bubbling=for_bubbling,
        methods=asked_methods(methods or (), settings or ()),
        maps=asked_maps(maps or ()),
        names=names,
        out=out,
        device=device,
        workers=options.workers_of(workers, scheduler),
    )
    if for_bubbling:
        run_build(build_tasks, request, _next, as_json=as_json)
    else:
        run_build(build_pack, request, _counts, as_json=as_json)


def _next(built: "BuiltTasks") -> Iterator[str]:
    yield (
        f"next: people mark its {built.images} images (lab.py annotate {built.pack}), "
        "lab.py participants mapset, then this command with --human-maps DIR in place of "
        "--for-bubbling"
    )


def _counts(built: "Built") -> Iterator[str]:
    right = ", ".join(f"{method} {count}" for method, count in built.right.items())
    yield f"{built.images} images, {built.presentations} presentations; models right: {right}"
    for counts, meaning in (
        (built.ran_out, "relevance ran out before the method's share"),
        (built.blank, "no relevance for the class at all, nothing is ever uncovered"),
    ):
        some = ", ".join(f"{method} on {count}" for method, count in counts.items() if count)
        if some:
            yield f"{meaning}: {some}"
