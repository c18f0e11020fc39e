"""The xai_backend room's verbs."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stimuli.console import add_study_verb, new_app, run_app
from stimuli.errors import UserError
from xai_backend import options
from xai_backend.studies import STUDIES

if TYPE_CHECKING:
    from xai_backend.explain.job import ExplainRequest
    from xai_backend.progress import Reporter

app = new_app("Networks, explanations, packs.")


@app.command()
def explain(
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="A torchvision classifier, timm:NAME, hf:DIR, FILE.pt2, your own "
            "module:function, picture_cnn, plate_cnn or protopnet.",
        ),
    ],
    methods: Annotated[
        list[str],
        typer.Option(
            "--method",
            metavar="NAME",
            help="Explanation method: occlusion, lrp, gradcam …, captum:NAME, your own "
            "module:function, or human. With --compare several, also as NAME=METHOD.",
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
            help="A setting of the method, such as patch_px=16; with --compare "
            "NAME.SETTING=VALUE. May be repeated.",
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
            metavar="DIR", help="Folder in which finished maps are saved. Default: the lab's cache."
        ),
    ] = None,
    checked: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Try the network and the method on one photograph, and write nothing.",
        ),
    ] = False,
    compared: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Compare several methods: scores, agreement, and a page with pictures.",
        ),
    ] = False,
    sample: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="--compare: number of photographs to draw. Default: 16."
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What is on the photographs: a CSV image,label. Wrong answers are marked.",
        ),
    ] = None,
    boxes: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="--compare: the boxes of objects, for the pointing game: a CSV "
            "image,x0,y0,x1,y1, in the file's pixels.",
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
    """Compute maps of what matters for a network's answers to photographs.

    It writes maps.safetensors (one float32 H×W tensor for each image, named by the file's stem,
    in the network's frame), explanations.csv, overlays with class, probability and legend, and
    sheet_METHOD.html, which shows all overlays. An image that can't be read is reported and
    skipped, and the exit status is 2. After an interruption the same command continues where it
    stopped. With --compare it writes a page about several methods instead (docs/methods.md).

    Example: python3 lab.py explain --model resnet50 --method gradcam --images photos --out maps
    """
    from xai_backend.progress import Terminal

    shared: dict[str, Any] = {
        "model": model,
        "images": images,
        "out": out,
        "weights": weights,
        "batch": batch,
        "device": device,
        "target": target,
        "labels": labels,
        "store": store,
        "workers": options.workers_of(workers, scheduler),
    }
    try:
        if compared:
            options.refuse(
                "--compare", {"--human-maps": human_maps, "--compile": compiled, "--check": checked}
            )
            _compare(shared, methods, settings or (), sample, boxes, Terminal())
        else:
            options.refuse("explain without --compare", {"--sample": sample, "--boxes": boxes})
            own = {"settings": tuple(settings or ()), "human_maps": human_maps}
            _explain(shared | own | {"compiled": compiled}, methods, Terminal(), check=checked)
    except KeyboardInterrupt:
        raise UserError(
            "interrupted; finished maps are saved, and the same command continues from there"
        ) from None


def _explain(
    asked: dict[str, Any], methods: Sequence[str], reporter: "Reporter", *, check: bool
) -> None:
    from xai_backend.explain.job import ExplainRequest
    from xai_backend.explain.job import explain as explain_photos

    if len(methods) > 1:
        raise UserError("several --method go with --compare; maps are of one method at a time")
    request = ExplainRequest(method=methods[0], **asked)
    if check:
        _check(request)
        return
    explained = explain_photos(request, reporter)
    print(f"{explained.images} maps: {explained.out}")
    _say_skipped(explained.skipped, explained.images)


def _check(request: "ExplainRequest") -> None:
    from xai_backend.explain.check import check

    failed = 0
    for tried in check(request):
        failed += not tried.passed
        print(f"{'pass' if tried.passed else 'fail'}  {tried.what}: {tried.found}")
    if failed:
        raise UserError(f"{failed} of these failed: maps would be wrong, or can't be made")


def _compare(
    asked: dict[str, Any],
    methods: Sequence[str],
    settings: Sequence[str],
    sample: int | None,
    boxes: Path | None,
    reporter: "Reporter",
) -> None:
    from xai_backend.asked import asked_methods
    from xai_backend.compare.job import SAMPLE, CompareRequest, compare

    named = asked_methods(
        [text if "=" in text else f"{text}={text}" for text in methods], list(settings)
    )
    request = CompareRequest(methods=named, sample=sample or SAMPLE, boxes=boxes, **asked)
    compared = compare(request, reporter)
    print(f"{len(named)} methods on {compared.images} images: {compared.page}")
    _say_skipped(compared.skipped, compared.images)


def _say_skipped(skipped: Sequence[str], images: int) -> None:
    if skipped:
        count = len(skipped)
        raise UserError(f"{count} skipped of {count + images}: {skipped[0]}")


def main(arguments: list[str]) -> int:
    """Run a verb of this room and return the exit status."""
    return run_app(app, arguments, _add_build)


def _add_build() -> None:
    commands = {name: study.build for name, study in STUDIES.items()}
    add_study_verb(
        app, "build", "Build a study's pack: items, explanations, lists, seal.", commands
    )
