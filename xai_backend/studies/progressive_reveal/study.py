"""What progressive_reveal declares to this room."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stimuli.options import grouped
from xai_backend import options
from xai_backend.studies.progressive_reveal.request import RevealRequest
from xai_backend.study import Study

if TYPE_CHECKING:
    from xai_backend.studies.progressive_reveal.build import Built, BuiltTasks


@grouped
def build(request: RevealRequest, as_json: options.Json = False) -> None:
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
    from xai_backend.packs.run import run_build
    from xai_backend.studies.progressive_reveal.build import build as build_pack
    from xai_backend.studies.progressive_reveal.build import build_tasks

    if request.for_bubbling:
        run_build(build_tasks, request, _next, as_json=as_json)
    else:
        run_build(build_pack, request, _counts, as_json=as_json)


def _next(built: "BuiltTasks") -> Iterator[str]:
    yield (
        f"next: people mark its {built.images} images (python3 lab.py annotate {built.pack}), "
        "python3 lab.py participants mapset, then this command with --human-maps DIR in place of "
        "--for-bubbling"
    )


def _counts(built: "Built") -> Iterator[str]:
    right = ", ".join(f"{method} {count}" for method, count in built.right.items())
    yield f"{built.images} images, {built.presentations} presentations; models right: {right}"
    for counts, meaning in (
        (built.ran_out, "maps that mark fewer pixels than their method's share"),
        (built.blank, "maps that mark nothing, so that nothing is ever uncovered"),
    ):
        parts = ", ".join(f"{count} of {method}" for method, count in counts.items() if count)
        if parts:
            yield f"{meaning}: {parts}"


STUDY = Study(build)
