"""The xai_backend room's verbs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from stimuli.console import add_study_verb, new_app, run_app
from stimuli.errors import UserError
from stimuli.options import Needs, NotWith, grouped
from xai_backend.explain.request import (
    CompareOptions,
    CompareRequest,
    ExplainRequest,
    MethodOptions,
    PhotosRequest,
)
from xai_backend.studies import STUDIES

if TYPE_CHECKING:
    from xai_backend.progress import Reporter

app = new_app("Networks, explanations, packs.")


def _by_people(methods: Sequence[str]) -> bool:
    return "human" in methods


@app.command()
@grouped
def explain(
    methods: Annotated[
        list[str],
        typer.Option(
            "--method",
            metavar="NAME",
            help="Explanation method: occlusion, lrp, gradcam …, captum:NAME, your own "
            "module:function, or human. With --compare several, also as NAME=METHOD.",
        ),
        Needs(
            "--compare",
            "maps are of one method at a time",
            when=lambda names: len(names) > 1,
            of="given twice",
        ),
        NotWith(
            "--compare",
            "it takes two methods or more",
            when=lambda names: len(names) == 1,
            of="given once",
        ),
        NotWith("--check", "people's maps need no network", when=_by_people, of="human"),
        Needs("--human-maps", "people's maps by image", when=_by_people, of="human"),
        NotWith("--human-maps", when=lambda names: "human" not in names, of="other than human"),
        NotWith(
            "--compile", when=lambda names: "occlusion" not in names, of="other than occlusion"
        ),
    ],
    photos: PhotosRequest,
    how: MethodOptions,
    comparison: CompareOptions,
) -> None:
    """Compute maps of what matters for a network's answers to photographs.

    It writes maps.safetensors (one float32 H×W tensor for each image, named by the file's stem,
    in the network's frame), explanations.csv, overlays with class, probability and legend, and
    sheet_METHOD.html, which shows all overlays. An image that can't be read is reported and
    skipped, and the exit status is 2. After an interruption the same command continues where it
    stopped. With --compare it writes a page about several methods instead, or their scores if
    --images is a table of texts (docs/methods.md).

    Example: python3 lab.py explain --model resnet50 --method gradcam --images photos --out maps
    """
    from xai_backend.progress import Terminal

    try:
        if comparison.compared:
            # A name with an ending is a table's, also of one that is missing: this is then told.
            table = photos.images.suffix and not photos.images.is_dir()
            compare = _compare_texts if table else _compare
            compare(photos, methods, how.settings, comparison, Terminal())
        else:
            _explain(photos, methods, how, Terminal())
    except KeyboardInterrupt:
        raise UserError(
            "interrupted; finished maps are saved, and the same command continues from there"
        ) from None


def _explain(
    photos: PhotosRequest, methods: Sequence[str], how: MethodOptions, reporter: "Reporter"
) -> None:
    from xai_backend.explain.job import explain as explain_photos

    request = ExplainRequest(photos, methods[0], how)
    if how.checked:
        _check(request)
        return
    explained = explain_photos(request, reporter)
    print(f"{explained.images} maps: {explained.out}")
    _say_skipped(explained.skipped, explained.images)


def _check(request: ExplainRequest) -> None:
    from xai_backend.explain.check import check

    failed = 0
    for tried in check(request):
        failed += not tried.passed
        print(f"{'pass' if tried.passed else 'fail'}  {tried.what}: {tried.found}")
    if failed:
        raise UserError(f"{failed} of these failed: maps would be wrong, or can't be made")


def _compare(
    photos: PhotosRequest,
    methods: Sequence[str],
    settings: Sequence[str],
    comparison: CompareOptions,
    reporter: "Reporter",
) -> None:
    from xai_backend.compare.job import compare
    from xai_backend.explain.request import SAMPLE
    from xai_backend.options import asked_methods

    named = asked_methods(
        [text if "=" in text else f"{text}={text}" for text in methods], list(settings)
    )
    request = CompareRequest(photos, named, comparison.sample or SAMPLE, comparison.boxes)
    compared = compare(request, reporter)
    print(f"{len(named)} methods on {compared.images} images: {compared.page}")
    _say_skipped(compared.skipped, compared.images)


def _compare_texts(
    photos: PhotosRequest,
    methods: Sequence[str],
    settings: Sequence[str],
    comparison: CompareOptions,
    reporter: "Reporter",
) -> None:
    from xai_backend.compare.texts import TextsRequest, compare_texts
    from xai_backend.explain.request import SAMPLE

    sample = comparison.sample or SAMPLE
    means = compare_texts(
        TextsRequest(photos.model, photos.device, photos.images, methods, sample, photos.out),
        reporter,
    )
    for method, scores in means.items():
        print(f"{method}: {', '.join(f'{name} {score:.3f}' for name, score in scores.items())}")
    print(f"{len(means)} methods: {photos.out / 'summary.csv'}")


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
