"""What accept_reject declares to this room."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stimuli.options import grouped
from xai_backend import options
from xai_backend.studies.accept_reject.request import BuildRequest
from xai_backend.study import Study

if TYPE_CHECKING:
    from xai_backend.studies.accept_reject.build import Built


@grouped
def build(request: BuildRequest, as_json: options.Json = False) -> None:
    """Build a pack of plates, with a network's and experts' explanations.

    First the command builds the task pack, on which experts paint. With --tasks and --human-maps,
    or with --robot-experts, it builds the solution pack too, which leads judge. The protocol may
    name several explanation methods, compared within each lead (system.further_methods), the rungs
    of the pack's leads (solutions.rungs), and where experts see plates (experts.axis,
    experts.rung). After an interruption the same command continues where it stopped.

    Example: python3 lab.py build accept_reject --source uci --robot-experts 3 --out packs/first
    """
    from xai_backend.packs.run import run_build
    from xai_backend.studies.accept_reject.build import build as build_pack

    run_build(build_pack, request, _next, as_json=as_json)


def _next(built: "Built") -> Iterator[str]:
    if built.remark:
        yield f"note: {built.remark}"
    if built.kind == "tasks":
        yield (
            "next: experts paint it, then "
            f"python3 lab.py build accept_reject --tasks {built.pack} --human-maps DIR "
            "(robots in their place: --robot-experts N)"
        )


STUDY = Study(build)
