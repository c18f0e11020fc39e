"""S's network for a protocol: trained or found, and how well it reads."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from stimuli.images.digits import Digits
from stimuli.io.canonical import canonical_json, hash_of
from stimuli.io.files import write_whole
from stimuli.plates.spec import check_gamut
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.tasks import Task, plate_spec
from xai_backend.models import plate_reading
from xai_backend.models.plate_checkpoint import Checkpoint
from xai_backend.models.plate_stream import StreamSettings, digits_hash
from xai_backend.models.plate_training import TrainingSettings
from xai_backend.progress import Reporter
from xai_backend.studies.accept_reject.solve import Place

EVALUATION_PLATES = 400


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
    """Return where S solves a pack's plates: at its leads' rungs, and at the top of each axis."""
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
    """Return what S is, as it stands in the pack's ``network.json``.

    Accuracy is that on held-out digits that are no plates of the pack, at each rung of
    each axis, and at zero contrast, where a network that reads colour is left with chance.
    The figures are kept in ``folder`` and made once.
    """
    spec = plate_spec(protocol.plates)
    own = frozenset(task.source_index for task in tasks if task.source_index is not None)
    places = places_of(protocol) + [(axis, 0, 0.0) for axis in protocol.plates.axes[:1]]
    key = hash_of(
        {
            "version": plate_reading.VERSION,
            "weights": checkpoint.weights_sha256,
            "digits": digits_hash(digits, digits.held_out_indices),
            "without": sorted(own),
            "plates": protocol.plates.model_dump(mode="json"),
            "input_px": protocol.system.input_px,
            "seed": protocol.seed,
            "most": EVALUATION_PLATES,
        }
    )
    path = folder / f"{key}.json"
    if not path.exists():
        plates = plate_reading.held_out_plates(digits, spec, protocol.seed, EVALUATION_PLATES, own)
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
