"""What human_ai_team declares to this room."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stimuli.options import grouped
from xai_backend import options
from xai_backend.studies.human_ai_team.request import TeamRequest
from xai_backend.study import Study

if TYPE_CHECKING:
    from xai_backend.studies.human_ai_team.build import Built


@grouped
def build(request: TeamRequest, as_json: options.Json = False) -> None:
    """Build a pack of images with an AI's labels, and what helps people to judge them.

    MNIST needs no options. The small digits need fewer images (--per-bin,
    --adversarial-per-level). Photographs need labelled images (--source) and a classifier
    (--model). An arm of help.arms may be your own method (--method) or maps made elsewhere
    (--for-maps, then --maps). Recorded answers of any system stand in for a network (--answers);
    people then judge images or texts. If a bin can't be filled, the command stops and lists the
    counts of all bins. After an interruption the same command continues where it stopped.

    Example: python3 lab.py build human_ai_team --source photos --model resnet34 --train training
    --out packs/team
    """
    from xai_backend.packs.run import run_build
    from xai_backend.progress import Terminal
    from xai_backend.studies.human_ai_team.build import build as build_pack
    from xai_backend.studies.human_ai_team.build import build_for_maps

    if request.for_maps is None:
        run_build(build_pack, request, _counts, as_json=as_json)
        return
    written = build_for_maps(request, Terminal())
    print(f"{written.images} images: {written.folder}")


def _counts(built: "Built") -> Iterator[str]:
    line = f"{built.images} {built.cases} on {built.sheets} sheets; {built.per_bin} per bin"
    attacked = f", {built.adversarial_per_level} attacked {built.cases} per level"
    yield line if built.cases == "texts" else line + attacked


STUDY = Study(build)
