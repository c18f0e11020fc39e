"""The xai_backend room's verbs."""

from pathlib import Path
from typing import Annotated

import typer

from stimuli.console import add_study_verb, new_app, run_app
from stimuli.errors import UserError
from xai_backend import options
from xai_backend.studies import STUDIES

app = new_app("Networks, explanations, packs.")


@app.command()
def explain(
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="A torchvision classifier, timm:NAME, hf:DIR, FILE.pt2, module:function of your "
            "own, picture_cnn, plate_cnn or protopnet.",
        ),
    ],
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Explanation method: occlusion, lrp, gradcam …, captum:NAME, module:function of "
            "your own, or human.",
        ),
    ],
    images: Annotated[Path, typer.Option(metavar="DIR", help="A folder of photographs.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for maps and overlays.")],
    weights: options.Weights = None,
    batch: Annotated[int | None, typer.Option(metavar="N", min=1, help="Batch size.")] = None,
    device: options.Device = "cpu",
    target: Annotated[
        int | None, typer.Option(metavar="K", help="Class to explain. Default: the most likely.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A setting of the method, such as patch_px=16. May be repeated.",
        ),
    ] = None,
    human_maps: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of people's maps, for --method human."),
    ] = None,
    workers: options.Processes = None,
    scheduler: options.Scheduler = None,
    store: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder that keeps finished maps. Default: in the lab's cache."
        ),
    ] = None,
    compiled: Annotated[
        bool,
        typer.Option(
            "--compile",
            help="Occlusion: use torch.compile, for networks without an exact short cut.",
        ),
    ] = False,
) -> None:
    """Explain what a network sees in a folder of photographs.

    It writes maps.safetensors (one float32 H×W tensor for each image, named by the file's stem,
    in the network's frame), explanations.csv, and overlays to look at: orange speaks for the
    class, blue against it. An image that can't be read is reported and skipped, and the exit
    status is 2. After an interruption the same command continues where it stopped.

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
        workers=options.workers_of(workers, scheduler),
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


def main(arguments: list[str]) -> int:
    """Run a verb of this room and return the exit status."""
    return run_app(app, arguments, _add_build)


def _add_build() -> None:
    commands = {name: study.build for name, study in STUDIES.items()}
    add_study_verb(
        app, "build", "Build a study's pack: items, explanations, lists, seal.", commands
    )
