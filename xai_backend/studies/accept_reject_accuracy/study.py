"""What accept_reject_accuracy declares to this room."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stimuli.cases import of_cases
from stimuli.options import grouped
from xai_backend import options
from xai_backend.studies.accept_reject_accuracy.request import AccuracyRequest
from xai_backend.study import Study

if TYPE_CHECKING:
    from xai_backend.studies.accept_reject_accuracy.build import Built


@grouped
def build(request: AccuracyRequest, as_json: options.Json = False) -> None:
    """Build a pack of labelled images, or texts, and a classifier's answers to them.

    Give the answers as a table (--predictions), or name a classifier that answers (--model).
    Without images the pack has UCI's digits, and a network that is trained on the spot.
    After an interruption the same command continues where it stopped.

    Example: python3 lab.py build accept_reject_accuracy --source photos
    --predictions answers.csv --out packs/accuracy
    """
    from xai_backend.packs.run import run_build
    from xai_backend.studies.accept_reject_accuracy.build import build as build_pack

    run_build(build_pack, request, _counts, as_json=as_json)


def _counts(built: "Built") -> Iterator[str]:
    lines = [f"S gives the data set's label on {built.right} of {built.images} images"]
    if built.outside:
        lines.append(
            f"S gives labels that no image of the set has on {built.outside} images: such a label "
            "can't be E's; see docs/accept_reject_accuracy.md, Labels that only S can have given"
        )
    yield from (of_cases(built.cases, line) for line in lines)


STUDY = Study(build)
