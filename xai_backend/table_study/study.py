"""``build`` of a study from a table; a network and a method make the pictures ``METHOD:FILE``."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from stimuli.options import grouped
from xai_backend import options
from xai_backend.packs.from_rules import Built, RulesRequest, build_from_rules
from xai_backend.study import Metrics, Study

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stimuli.maps.origin import Origin
    from stimuli.table_study.protocol import TableStudy
    from xai_backend.progress import Reporter


EXAMPLES: Final = "examples"
"""The folder of a study with the pictures of which the nearest may be shown."""


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
    text_model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The model of explanations that the table names as METHOD:text: hf:DIR or "
            "module:function.",
            show_default=False,
        ),
    ] = None
    device: options.Device = "cpu"
    metrics: options.Metrics = False


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

    from participants.table_study.plan import check_texts
    from stimuli.catalogue import studies_of
    from stimuli.errors import UserError
    from stimuli.table_study.protocol import TableStudy
    from stimuli.table_study.study import Made, explained_pictures, explained_texts, pack_files

    def files(protocol: TableStudy) -> Mapping[str, bytes]:
        check_texts(protocol)
        wanted, texts = explained_pictures(protocol, folder), explained_texts(protocol, folder)
        if not wanted and not texts:
            declared = studies_of("stimuli")[folder.name].files
            assert declared is not None
            return declared(protocol)
        if wanted and request.model is None:
            raise UserError(
                f"build {folder.name}: the table names maps of {', '.join(sorted(wanted))}; give "
                "the network with --model"
            )
        if texts and request.text_model is None:
            raise UserError(
                f"build {folder.name}: the table names texts by {', '.join(sorted(texts))}; give "
                "the model with --text-model"
            )
        pictures: dict[str, bytes] = {}
        written: dict[tuple[str, str], str] = {}
        origins: dict[str, Origin] = {}
        scores: dict[tuple[str, str], Metrics] = {}
        for method, names in wanted.items():
            overlays, origins[method], method_scores = _maps(
                folder, method, names, request, reporter
            )
            pictures |= overlays
            scores |= method_scores
        for method, asked in texts.items():
            texts_made, origins[f"{method}:text"], method_scores = _texts(
                method, asked, protocol, request, reporter
            )
            written |= texts_made
            scores |= method_scores
        return pack_files(protocol, folder, Made(pictures, written, origins, scores))

    return build_from_rules(folder.name, request, reporter, files, request.device)


def _texts(
    method: str,
    prompts: "Sequence[str]",
    protocol: "TableStudy",
    request: TableRequest,
    reporter: "Reporter",
) -> "tuple[dict[tuple[str, str], str], Origin, dict[tuple[str, str], Metrics]]":
    """Return a method's explanations in words, as `texts_by`."""
    from xai_backend.table_study.texts import texts_by

    assert request.text_model is not None
    model, device = request.text_model, request.device
    rules = protocol.rationale
    return texts_by(method, prompts, model, device, rules, reporter, metrics=request.metrics)


def _maps(
    folder: Path, method: str, names: frozenset[str], request: TableRequest, reporter: "Reporter"
) -> "tuple[dict[str, bytes], Origin, dict[tuple[str, str], Metrics]]":
    """Return the overlays of a method on pictures, as PNG by the pack's path, and their origin.

    Their metrics come last, if they were asked for.
    """
    import shutil
    import tempfile

    from stimuli.errors import UserError
    from stimuli.maps.origin import NETWORK, Origin
    from stimuli.table_study.items import MAPS, PICTURES
    from xai_backend.explain.job import overlays_of
    from xai_backend.explain.nearest import nearest_examples
    from xai_backend.explain.request import ExplainRequest, PhotosRequest
    from xai_backend.methods import named_method
    from xai_backend.methods.nearest_neighbours import NearestNeighbours
    from xai_backend.packs.origins import computed

    assert request.model is not None
    with tempfile.TemporaryDirectory() as aside:
        # Maps are named by stems, which pictures of several kinds or folders may share.
        stems = {name: f"picture{nth:04d}" for nth, name in enumerate(sorted(names))}
        for name, stem in stems.items():
            shutil.copy(folder / PICTURES / name, Path(aside, f"{stem}{Path(name).suffix}"))
        photos = PhotosRequest(
            model=request.model, weights=request.weights, images=Path(aside), out=Path(aside),
            device=request.device,
        )  # fmt: skip
        if method == NearestNeighbours.name:
            overlays, network = nearest_examples(photos, _examples(folder, aside), reporter)
            scores = {}
        else:
            overlays, network, scores = overlays_of(
                ExplainRequest(photos, method), reporter, metrics=request.metrics
            )
    missing = sorted(name for name, stem in stems.items() if stem not in overlays)
    if missing:
        raise UserError(f"{folder / PICTURES / missing[0]}: {method} could not explain it")
    weights = network.weights_sha256
    origin = Origin(NETWORK, network.name, method, weights_sha256=weights)
    if method != NearestNeighbours.name:
        origin = computed(named_method(method), network.name, weights)
    paths = {f"{MAPS}/{method}/{name}": stem for name, stem in stems.items()}
    path_scores = {(method, path): scores[stem] for path, stem in paths.items() if stem in scores}
    return {path: overlays[stem] for path, stem in paths.items()}, origin, path_scores


def _examples(folder: Path, aside: str) -> frozenset[str]:
    """Copy the study's examples beside the pictures that are explained; return their stems."""
    import shutil

    from stimuli.errors import UserError
    from xai_backend.models.frame import photos_in

    place = folder / EXAMPLES
    if not place.is_dir():
        raise UserError(f"{place}: is missing; the nearest of its pictures would be shown")
    stems = {}
    for nth, path in enumerate(photos_in(place)):
        stems[f"example{nth:04d}"] = path
        shutil.copy(path, Path(aside, f"example{nth:04d}{path.suffix}"))
    return frozenset(stems)
