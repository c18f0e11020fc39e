"""``build`` of a study from a table; a network and a method make the pictures ``METHOD:FILE``."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stimuli.options import grouped
from xai_backend import options
from xai_backend.packs.from_rules import Built, RulesRequest, build_from_rules
from xai_backend.study import Study

if TYPE_CHECKING:
    from xai_backend.progress import Reporter


@dataclass(frozen=True, slots=True)
class TableRequest(RulesRequest):
    """What is asked for; the network is needed where the table names methods."""

    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The network whose maps the table names as METHOD:FILE; as in explain.",
            show_default=False,
        ),
    ] = None
    weights: options.Weights = None


def declare(folder: Path) -> Study:
    """Return the declaration of the study in a folder."""
    name = folder.name

    def build(request: TableRequest, as_json: options.Json = False) -> None:
        from functools import partial

        from xai_backend.packs.run import run_build

        run_build(partial(build_table, folder), request, lambda built: (), as_json=as_json)

    build.__doc__ = f"""Build the pack of {name} from its table.

    Example: python3 lab.py build {name} --out packs/{name}
    """
    return Study(grouped(build))


def build_table(folder: Path, request: TableRequest, reporter: "Reporter") -> Built:
    """Build the pack; UserError for a mistake in the table, or without a network that it needs."""
    from collections.abc import Mapping

    from stimuli.catalogue import studies_of
    from stimuli.errors import UserError
    from stimuli.table_study.protocol import TableStudy
    from stimuli.table_study.study import explained_pictures, pack_files

    def files(protocol: TableStudy) -> Mapping[str, bytes]:
        wanted = explained_pictures(protocol, folder)
        if not wanted:
            declared = studies_of("stimuli")[folder.name].files
            assert declared is not None
            return declared(protocol)
        if request.model is None:
            raise UserError(
                f"build {folder.name}: the table names maps of {', '.join(sorted(wanted))}; give "
                "the network with --model"
            )
        made: dict[str, bytes] = {}
        for method, names in wanted.items():
            made |= _maps(folder, method, names, request, reporter)
        return pack_files(protocol, folder, made)

    return build_from_rules(folder.name, request, reporter, files)


def _maps(
    folder: Path, method: str, names: frozenset[str], request: TableRequest, reporter: "Reporter"
) -> dict[str, bytes]:
    """Return the overlays of a method on pictures, as PNG by the pack's path."""
    import shutil
    import tempfile

    from stimuli.errors import UserError
    from stimuli.table_study.items import PICTURES
    from xai_backend.explain.job import overlays_of
    from xai_backend.explain.request import ExplainRequest, PhotosRequest

    assert request.model is not None
    with tempfile.TemporaryDirectory() as aside:
        for name in names:
            shutil.copy(folder / PICTURES / name, Path(aside, name))
        photos = PhotosRequest(
            model=request.model, weights=request.weights, images=Path(aside), out=Path(aside)
        )
        made = overlays_of(ExplainRequest(photos, method), reporter)
    missing = sorted(name for name in names if Path(name).stem not in made)
    if missing:
        raise UserError(f"{folder / PICTURES / missing[0]}: {method} could not explain it")
    return {f"{PICTURES}/{method}/{name}": made[Path(name).stem] for name in names}
