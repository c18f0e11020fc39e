"""S's network for a protocol: trained or found, how well it reads, and its answers.

The network answers each plate at the rungs that the pack's leads judge, and at the highest rung of
each axis (`solved_places`). Each answer has an explanation by each of the protocol's methods.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from stimuli.colour.spaces import Axis
from stimuli.images.digits import Digits
from stimuli.io.canonical import canonical_json, hash_of
from stimuli.io.files import write_whole
from stimuli.io.tables import Row
from stimuli.maps.map_set import MapRecord, MapSet
from stimuli.maps.origin import NETWORK
from stimuli.plates.plate import Plate
from stimuli.plates.spec import PlateSpec, check_gamut
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.tasks import Task, plate_spec
from xai_backend.explain.metrics import metrics_of_maps
from xai_backend.explain.precompute import Codes, Picture, Precompute
from xai_backend.methods import Method
from xai_backend.models import plate_reading
from xai_backend.models.image_model import probability
from xai_backend.models.plate_cnn import Checkpoint, TrainingSettings
from xai_backend.models.plate_reading import pictures_of
from xai_backend.models.plate_stream import StreamSettings, digits_hash
from xai_backend.progress import Reporter

Place = tuple[Axis, int, float]
Question = tuple[str, Axis, int]
EVALUATION_PLATES = 400


@dataclass(frozen=True, slots=True)
class Solved:
    """S's answers to plates, with explanations.

    Attributes
    ----------
    maps
        Answers with their probabilities and maps.
    halved_to
        By map: inputs at once after halving for lack of memory, which may change a map's last
        digits.
    metrics
        Rows of `tables.METRICS`, if metrics were asked for.
    """

    maps: MapSet
    halved_to: Mapping[str, int]
    metrics: Sequence[Row] = ()


def solve(
    work: Precompute,
    methods: Mapping[str, Method],
    solver_id: str,
    pictures: Mapping[Question, Codes],
    *,
    metrics: bool = False,
) -> Solved:
    """Return the most likely digit of each picture, its probability and its map by each method.

    Parameters
    ----------
    work
        S's network, the store with its finished answers, and the workers that compute the rest.
    methods
        The explanation methods by their names in the protocol; a picture's records come in this
        order.
    solver_id
        S's id in the pack.
    pictures
        uint8 (H, W, 3) by (item, axis, rung).
    metrics
        Whether maps get metrics.

    Raises
    ------
    UserError
        If workers can't be started or the store can't be written; finished results stay.
    """
    names = {question: _name(question) for question in pictures}
    as_pictures = [Picture.of(names[question], codes) for question, codes in pictures.items()]
    logits = work.logits(as_pictures)
    answers = {name: int(values.argmax()) for name, values in logits.items()}
    wanted = [answers[picture.name] for picture in as_pictures]
    maps_by_method = {
        method: work.maps(how, as_pictures, wanted) for method, how in methods.items()
    }
    records = tuple(
        MapRecord(
            map=_map_name(name, method, methods),
            item=item,
            source="model",
            solver_id=solver_id,
            method=method,
            axis=axis,
            rung=rung,
            answer=str(answers[name]),
            confidence=probability(logits[name], answers[name]),
            rt_s=None,
            origin=NETWORK,
            origin_note=solver_id,
        )
        for (item, axis, rung), name in names.items()
        for method in methods
    )
    explained = {
        _map_name(name, method, methods): computed
        for method in methods
        for name, computed in maps_by_method[method].items()
    }
    halved_to = {
        name: computed.halved_to for name, computed in explained.items() if computed.halved_to
    }
    maps = MapSet(records, {name: computed.values for name, computed in explained.items()})
    if not metrics:
        return Solved(maps, halved_to)
    rows: list[Row] = []
    for method in methods:
        values = {name: computed.values for name, computed in maps_by_method[method].items()}
        scores = metrics_of_maps(work, as_pictures, wanted, values)
        rows += [
            {"item": item, "axis": axis, "rung": rung, "method": method, **scores[name]}
            for (item, axis, rung), name in names.items()
        ]
    return Solved(maps, halved_to, rows)


def draw_pictures(
    plates: Mapping[str, Plate],
    places: Sequence[Place],
    spec: PlateSpec,
    input_px: int,
    reporter: Reporter,
) -> dict[Question, Codes]:
    """Return every plate at every place (axis, rung, contrast) as the network sees it."""
    pictures: dict[Question, Codes] = {}
    with reporter.stage("drawing plates", len(plates)) as advance:
        for item, plate in plates.items():
            drawn = pictures_of(plate, [(axis, c) for axis, _, c in places], spec, input_px)
            for (axis, rung, _), picture in zip(places, drawn, strict=True):
                pictures[item, axis, rung] = picture
            advance(1)
    return pictures


def _name(question: Question) -> str:
    item, axis, rung = question
    return f"{item}-{axis}-{rung}"


def _map_name(picture: str, method: str, methods: Iterable[str]) -> str:
    """Return a map's name: the picture's, plus the method's unless the method is the first."""
    return picture if method == next(iter(methods)) else f"{picture}-{method}"


def places_of(protocol: AcceptReject) -> list[Place]:
    """Return every (axis, rung, contrast as Δu′v′) of a protocol.

    Raises
    ------
    UserError
        If a contrast doesn't fit the reference display.
    """
    places: list[Place] = []
    for axis in protocol.plates.axes:
        for rung, contrast in enumerate(protocol.plates.ladder(axis), start=1):
            check_gamut(axis, contrast, plate_spec(protocol.plates))
            places.append((axis, rung, contrast))
    return places


def solved_places(protocol: AcceptReject) -> list[Place]:
    """Return where S answers a pack's plates: its leads' rungs, and each axis's highest rung."""
    tops = {(axis, len(protocol.plates.ladder(axis))) for axis in protocol.plates.axes}
    wanted = tops.union(protocol.lead_places)
    return [place for place in places_of(protocol) if place[:2] in wanted]


def training_settings(protocol: AcceptReject) -> TrainingSettings:
    """Return how a protocol's network learns."""
    system = protocol.system
    stream = StreamSettings(
        spec=plate_spec(protocol.plates),
        input_px=system.input_px,
        places=tuple((axis, contrast) for axis, _, contrast in places_of(protocol)),
        no_numeral_share=system.no_numeral_share,
    )
    return TrainingSettings(system.training_plates, stream, protocol.seed)


def network_report(
    protocol: AcceptReject,
    checkpoint: Checkpoint,
    digits: Digits,
    tasks: Sequence[Task],
    folder: Path,
    reporter: Reporter,
) -> dict[str, Any]:
    """Return the description of S for the pack's ``network.json``.

    Accuracy is measured on held-out digits that the pack doesn't use, at each rung of each axis,
    and at zero contrast, where a network that reads colour can only guess. The figures are computed
    once and kept in ``folder``.
    """
    spec = plate_spec(protocol.plates)
    used = frozenset(task.source_index for task in tasks if task.source_index is not None)
    places = places_of(protocol) + [(axis, 0, 0.0) for axis in protocol.plates.axes[:1]]
    key = hash_of(
        {
            "version": plate_reading.VERSION,
            "weights": checkpoint.weights_sha256,
            "digits": digits_hash(digits, digits.held_out_indices),
            "without": sorted(used),
            "plates": protocol.plates.model_dump(mode="json"),
            "input_px": protocol.system.input_px,
            "seed": protocol.seed,
            "most": EVALUATION_PLATES,
        }
    )
    path = folder / f"{key}.json"
    if not path.exists():
        plates = plate_reading.held_out_plates(digits, spec, protocol.seed, EVALUATION_PLATES, used)
        with reporter.stage("how well S reads (plates)", len(plates)) as advance:
            figures = plate_reading.accuracies(
                checkpoint.model, plates, places, spec, protocol.system.input_px, advance
            )
        write_whole(path, canonical_json([asdict(figure) for figure in figures]))
    measured = json.loads(path.read_bytes())
    return {
        "network": protocol.system.network,
        "checkpoint": checkpoint.checkpoint_id,
        "weights_sha256": checkpoint.weights_sha256,
        "input_px": protocol.system.input_px,
        "training_plates": protocol.system.training_plates,
        "digits": digits.source,
        "accuracy": [figure for figure in measured if figure["rung"] > 0],
        "zero_contrast": next(figure for figure in measured if figure["rung"] == 0),
    }
