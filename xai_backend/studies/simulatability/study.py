"""What simulatability declares to this room."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stimuli.catalogue import Later
from stimuli.options import grouped
from xai_backend import options
from xai_backend.studies.simulatability.request import CaseRequest
from xai_backend.study import Study

if TYPE_CHECKING:
    from xai_backend.studies.simulatability.build import Built


@grouped
def build(request: CaseRequest, as_json: options.Json = False) -> None:
    """Build a pack with a model's outputs and explanations of them.

    Without options, the command trains models on the data that come with the suite. Use --text,
    --table or both for your own data. --text-outputs and --table-outputs take outputs of any
    system, without a model. --from-sheets imports the published study's own items. If
    the data have too few inputs of a kind, the command stops and prints the counts. After an
    interruption, type the same command again: it continues where it stopped.

    Example: python3 lab.py build simulatability --text reviews.csv --out packs/reviews
    """
    from xai_backend.packs.run import run_build
    from xai_backend.studies.simulatability.build import build as build_pack

    run_build(build_pack, request, _counts, as_json=as_json)


def _counts(built: "Built") -> Iterator[str]:
    yield (
        f"{built.items} items, {built.explanations} explanations; {_counted(built.arms, 'arm')}, "
        f"{_counted(built.sheets, 'sheet')} for each"
    )
    for domain, (model, prototypes) in built.accuracy.items():
        its = "" if prototypes is None else f", its prototype network on {100 * prototypes:.2f} %"
        yield f"{domain}: the model is right on {100 * model:.2f} % of the test split{its}"
    yield from built.remarks


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


STUDY = Study(
    build,
    marked_words=Later(f"{__package__}.marked:marked_words"),
    word_metrics=Later(f"{__package__}.marked:word_metrics"),
)
