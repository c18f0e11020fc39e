"""The xai_backend room's verbs."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stimuli.console import new_app, run_app
from stimuli.errors import UserError

if TYPE_CHECKING:
    from stimuli.workers import Workers
    from xai_backend.progress import Reporter
    from xai_backend.studies.accept_reject_accuracy.build import AccuracyRequest
    from xai_backend.studies.progressive_reveal.request import RevealRequest

STUDIES = ("accept_reject", "progressive_reveal")

WorkersOption = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Processes that share the work; else what suits."),
]
SchedulerOption = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler's, tcp://HOST:PORT.")
]

app = new_app("Networks, explanations, packs.")


@app.command()
def build(
    study: Annotated[str, typer.Argument(help=f"The study: {' or '.join(STUDIES)}.")],
    protocol: Annotated[
        Path | None, typer.Option(metavar="F", help="Protocol file; else the study's defaults.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="uci|mnist|DIR",
            help="Digits, instead of the protocol's. For accuracy and progressive_reveal the "
            "labelled images: a folder with one sub-folder a class, or a CSV image,label.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed, instead of the protocol's.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The pack's folder; else in the lab's packs.")
    ] = None,
    tasks: Annotated[
        Path | None, typer.Option(metavar="PACK", help="A task pack at hand, to go on from.")
    ] = None,
    human_maps: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR",
            help="A map set painted on it; may be given several times. For progressive_reveal a "
            "folder of maps, grey PNG or .npy by the image's stem, or a map set.",
        ),
    ] = None,
    robot_experts: Annotated[
        int | None, typer.Option(metavar="N", help="Let N expert robots paint.")
    ] = None,
    predictions: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Accuracy: S's answers, a CSV image,label,confidence."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "--network",
            metavar="NAME",
            help="Photographs: a classifier of torchvision's that answers, or is explained.",
        ),
    ] = None,
    weights: Annotated[
        str | None, typer.Option(metavar="FILE", help="Photographs: the classifier's weights.")
    ] = None,
    classes: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Photographs: labels of its outputs, CSV or class index."
        ),
    ] = None,
    names: Annotated[
        Path | None,
        typer.Option(
            "--names",
            "--class-names",
            metavar="FILE",
            help="What labels are called, a CSV label,name with a column a language; for "
            "progressive_reveal aliases follow a name after |.",
        ),
    ] = None,
    protopnet: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="progressive_reveal: a ProtoPNet that is trained."),
    ] = None,
    robot_bubblers: Annotated[
        int | None,
        typer.Option(metavar="N", help="progressive_reveal: let N robots bubble each image."),
    ] = None,
    for_bubbling: Annotated[
        bool,
        typer.Option(
            "--for-bubbling",
            help="progressive_reveal: the task pack on which people mark its images by bubbles.",
        ),
    ] = False,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False,
) -> None:
    """Build a study's pack: plates, network, explanations, lists, seal.

    Without paintings it ends with the task pack, which experts paint.
    With --tasks and --human-maps, or with --robot-experts, it goes on
    to the solution pack, which leads judge. Interrupted, the same
    command goes on where it stopped. A protocol of accuracy makes the
    solution pack from labelled images and a classifier's answers.
    progressive_reveal needs nothing for digits, and for photographs
    labelled images, a classifier and people's maps.

    Example: python3 lab.py build accept_reject --robot-experts 3 --out packs/first

    Example: python3 lab.py build accept_reject --protocol accept_reject_accuracy.toml
    --source photos --predictions answers.csv --out packs/accuracy

    Example: python3 lab.py build progressive_reveal --source photos --model resnet50
    --human-maps clickme --names words.csv --out packs/reveal
    """
    if study not in STUDIES:
        raise UserError(f"build: no study {study!r}; there is: {', '.join(STUDIES)}")
    from stimuli.protocol import load_protocol
    from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy
    from xai_backend.progress import Silent, Terminal

    reporter = Silent() if as_json else Terminal()
    if study == "progressive_reveal":
        from xai_backend.studies.progressive_reveal.request import RevealRequest

        plates = {"--tasks": tasks, "--robot-experts": robot_experts, "--predictions": predictions}
        _refuse(plates, "goes with accept_reject")
        revealed = RevealRequest(
            protocol_file=protocol,
            seed=seed,
            source=source,
            model=model,
            weights=weights,
            classes=classes,
            protopnet=protopnet,
            human_maps=tuple(human_maps or ()),
            robot_bubblers=robot_bubblers,
            for_bubbling=for_bubbling,
            names=names,
            out=out,
            device=device,
            workers=_workers(workers, scheduler),
        )
        _build_reveal(revealed, reporter, as_json=as_json)
        return
    _refuse(
        {
            "--protopnet": protopnet,
            "--robot-bubblers": robot_bubblers,
            "--for-bubbling": for_bubbling or None,
        },
        "goes with progressive_reveal",
    )
    ours = {
        "--predictions": predictions,
        "--model": model,
        "--weights": weights,
        "--classes": classes,
        "--names": names,
    }
    if protocol and isinstance(load_protocol(study, protocol), AcceptRejectAccuracy):
        from xai_backend.studies.accept_reject_accuracy.build import AccuracyRequest

        theirs = {
            "--tasks": tasks,
            "--human-maps": human_maps,
            "--robot-experts": robot_experts,
        }
        _refuse(theirs, "goes with plates; a protocol of accuracy has no paintings")
        labelled = AccuracyRequest(
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
            workers=_workers(workers, scheduler),
        )
        _build_accuracy(labelled, reporter, as_json=as_json)
        return
    _refuse(ours, "goes with a protocol of accuracy (--protocol accept_reject_accuracy.toml)")
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
        device=device,
        workers=_workers(workers, scheduler),
    )
    built = build_pack(request, reporter)
    if as_json:
        print(json.dumps(asdict(built), default=str))
        return
    print(f"{built.kind}: {built.pack}\npack_id: {built.pack_id}")
    if built.kind == "tasks":
        print(
            "next: experts paint it, then "
            f"lab.py build {study} --tasks {built.pack} --human-maps DIR "
            "(robots in their place: --robot-experts N)"
        )


def _build_accuracy(request: "AccuracyRequest", reporter: "Reporter", *, as_json: bool) -> None:
    from xai_backend.studies.accept_reject_accuracy.build import build as build_accuracy

    made = build_accuracy(request, reporter)
    if as_json:
        print(json.dumps(asdict(made), default=str))
        return
    print(f"solutions: {made.pack}\npack_id: {made.pack_id}")
    print(f"S gives the data set's label on {made.right} of {made.images} images")
    if made.outside:
        print(
            f"S gives labels that no image of the set has on {made.outside} images: such a label "
            "can't be E's; see docs/accept_reject_accuracy.md, Labels that only S can have given"
        )


def _build_reveal(request: "RevealRequest", reporter: "Reporter", *, as_json: bool) -> None:
    from xai_backend.studies.progressive_reveal.build import build as build_reveal
    from xai_backend.studies.progressive_reveal.build import build_tasks

    if request.for_bubbling:
        tasks = build_tasks(request, reporter)
        if as_json:
            print(json.dumps(asdict(tasks), default=str))
            return
        print(f"tasks: {tasks.pack}\npack_id: {tasks.pack_id}")
        print(
            f"next: people mark its {tasks.images} images (lab.py annotate {tasks.pack}), "
            "lab.py participants mapset, then this command with --human-maps DIR in place of "
            "--for-bubbling"
        )
        return
    made = build_reveal(request, reporter)
    if as_json:
        print(json.dumps(asdict(made), default=str))
        return
    print(f"solutions: {made.pack}\npack_id: {made.pack_id}")
    right = ", ".join(f"{method} {count}" for method, count in made.right.items())
    print(f"{made.images} images, {made.presentations} presentations; models right: {right}")
    for counts, meaning in (
        (made.ran_out, "relevance ran out before the method's share"),
        (made.blank, "no relevance for the class at all, nothing is ever uncovered"),
    ):
        told = ", ".join(f"{method} on {count}" for method, count in counts.items() if count)
        if told:
            print(f"{meaning}: {told}")


def _refuse(options: Mapping[str, object], why: str) -> None:
    for option, value in options.items():
        if value is not None and value != []:
            raise UserError(f"{option}: {why}")


@app.command()
def explain(
    model: Annotated[
        str, typer.Option(metavar="NAME", help="A classifier of torchvision's, or plate_cnn.")
    ],
    method: Annotated[
        str, typer.Option(metavar="NAME", help="occlusion, lrp, gradcam …; human for people's.")
    ],
    images: Annotated[Path, typer.Option(metavar="DIR", help="A folder of photographs.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where maps and overlays go.")],
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="State dict, safetensors or checkpoint, or IMAGENET1K_V2; else the first.",
        ),
    ] = None,
    batch: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Inputs through the network at once.")
    ] = None,
    device: Annotated[str, typer.Option(metavar="D", help="cpu or cuda.")] = "cpu",
    target: Annotated[
        int | None, typer.Option(metavar="K", help="Class to explain; else the likeliest.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A method's setting: patch_px=16."),
    ] = None,
    human_maps: Annotated[
        Path | None, typer.Option(metavar="DIR", help="People's maps, for --method human.")
    ] = None,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    store: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where finished maps are kept; else the lab's cache."),
    ] = None,
    compiled: Annotated[
        bool,
        typer.Option(
            "--compile",
            help="Occlusion: the network through torch.compile, for those that can't be read.",
        ),
    ] = False,
) -> None:
    """Explain what a network sees in a folder of photographs.

    Writes maps.safetensors (one float32 H×W tensor an image, by the file's stem, in the
    network's frame), explanations.csv, and overlays to look at: orange speaks for the
    class, blue against it. An image that can't be read is told and skipped, and the status
    is 2. Finished maps are kept: interrupted, the same command goes on where it stopped.

    Example: python3 lab.py explain --model resnet50 --method gradcam --images photos --out maps
    """
    from xai_backend.explain.job import ExplainRequest
    from xai_backend.explain.job import explain as explain_photos
    from xai_backend.progress import Terminal

    request = ExplainRequest(
        model=model,
        method=method,
        images=images,
        out=out,
        weights=weights,
        settings=tuple(settings or ()),
        batch=batch,
        device=device,
        target=target,
        human_maps=human_maps,
        store=store,
        workers=_workers(workers, scheduler),
        compiled=compiled,
    )
    try:
        explained = explain_photos(request, Terminal())
    except KeyboardInterrupt:
        raise UserError(
            "interrupted; finished maps are kept, and the same command goes on from there"
        ) from None
    print(f"{explained.images} maps: {explained.out}")
    if explained.skipped:
        count = len(explained.skipped)
        raise UserError(f"{count} skipped of {count + explained.images}: {explained.skipped[0]}")


def _workers(processes: int | None, scheduler: str | None) -> "Workers | None":
    from stimuli.workers import Workers

    if processes is None and scheduler is None:
        return None
    return Workers(processes or 0, scheduler, here=processes == 1 and scheduler is None)


def main(arguments: list[str]) -> int:
    """Run a verb of this room and return the exit status."""
    return run_app(app, arguments)
