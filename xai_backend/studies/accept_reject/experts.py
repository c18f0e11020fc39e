"""Expert robots paint a task pack, without a screen: map sets as people's sessions give them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from participants.studies.accept_reject.robots.expert import annotate
from stimuli.images.sets import NO_SOLUTION
from stimuli.io.canonical import hash_of, seed_of, sha256_hex
from stimuli.maps.map_set import MapRecord, MapSet
from stimuli.maps.origin import RESPONSE_MODEL, robot_id
from stimuli.pack import Pack
from stimuli.plates.observer import DigitTemplates, ShownPlate
from stimuli.plates.plate import plate_from_bytes
from stimuli.plates.templates import templates_from_bytes
from stimuli.studies.accept_reject.compose import TEMPLATES
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.shares import ExpertPlace, expert_places
from stimuli.studies.accept_reject.tables import TASKS
from stimuli.studies.accept_reject.tasks import plate_spec
from xai_backend.progress import Advance, Reporter
from xai_backend.provenance import provenance
from xai_backend.store import TensorStore

VERSION = 1
"""Raise it by hand whenever the expert robot would answer or paint differently."""

PAINTINGS_A_SHARD = 32
_ANSWER, _PAINTING = "answer", "painting"
_SILENT = -1.0


def robot_experts(
    tasks: Pack, count: int, store: TensorStore, reporter: Reporter
) -> dict[str, MapSet]:
    """Return the map sets of expert robots, by their codes.

    Parameters
    ----------
    tasks
        A task pack; each expert paints every plate that experts are shown, at its place.
    count
        Number of experts.
    store
        Keeps finished paintings.
    """
    protocol = tasks.protocol
    assert isinstance(protocol, AcceptReject)
    plates = _plates(tasks)
    templates = templates_from_bytes(tasks.asset(TEMPLATES))
    codes = [robot_id(str(number)) for number in range(1, count + 1)]
    with reporter.stage("expert robots paint", len(plates) * count) as advance:
        return {code: _expert(code, tasks, templates, plates, store, advance) for code in codes}


@dataclass(frozen=True, slots=True)
class _Plate:
    """A plate that experts are shown: its item, its file, and how they see it."""

    item: str
    file: str
    place: ExpertPlace


def _plates(tasks: Pack) -> list[_Plate]:
    protocol = tasks.protocol
    assert isinstance(protocol, AcceptReject)
    rows = {str(row["item"]): row for row in tasks.table(TASKS)}
    places = expert_places(protocol, [(item, str(row["use"])) for item, row in rows.items()])
    return [
        _Plate(item, str(row["plate_file"]), places[item])
        for item, row in rows.items()
        if item in places
    ]


def _expert(
    code: str,
    tasks: Pack,
    templates: DigitTemplates,
    plates: Sequence[_Plate],
    store: TensorStore,
    advance: Advance,
) -> MapSet:
    protocol = tasks.protocol
    assert isinstance(protocol, AcceptReject)
    keys = {plate: _key(code, protocol, tasks, plate) for plate in plates}
    missing = set(store.missing([f"{key}:{_ANSWER}" for key in keys.values()]))
    wanted = [plate for plate in plates if f"{keys[plate]}:{_ANSWER}" in missing]
    advance(len(plates) - len(wanted))
    for start in range(0, len(wanted), PAINTINGS_A_SHARD):
        part = wanted[start : start + PAINTINGS_A_SHARD]
        tensors: dict[str, NDArray[Any]] = {}
        for plate in part:
            tensors |= _painted(keys[plate], protocol, tasks, templates, plate)
            advance(1)
        store.put(tensors, provenance("cpu"))
    return _map_set(code, keys, store)


def _key(code: str, protocol: AcceptReject, tasks: Pack, plate: _Plate) -> str:
    return hash_of(
        {
            "what": {"name": "robot_expert", "version": VERSION},
            "expert": [code, protocol.seed],
            "plate": sha256_hex(tasks.asset(plate.file)),
            "templates": sha256_hex(tasks.asset(TEMPLATES)),
            "plates": protocol.plates.model_dump(mode="json"),
            "place": [plate.place.axis, plate.place.contrast],
        }
    )


def _painted(
    key: str, protocol: AcceptReject, tasks: Pack, templates: DigitTemplates, plate: _Plate
) -> dict[str, NDArray[Any]]:
    """Return the tensors of one answer: digit (−1: none) and time; the painting, if any."""
    annotation = annotate(
        ShownPlate(
            plate_from_bytes(tasks.asset(plate.file)),
            plate.place.axis,
            plate.place.contrast,
            plate_spec(protocol.plates),
        ),
        np.random.Generator(np.random.PCG64(seed_of("robot expert", key))),
        templates,
    )
    digit = _SILENT if annotation.label == NO_SOLUTION else float(annotation.label)
    tensors: dict[str, NDArray[Any]] = {f"{key}:{_ANSWER}": np.array([digit, annotation.rt_s])}
    if annotation.painting is not None:
        tensors[f"{key}:{_PAINTING}"] = annotation.painting
    return tensors


def _map_set(code: str, keys: dict[_Plate, str], store: TensorStore) -> MapSet:
    answers = store.get([f"{key}:{_ANSWER}" for key in keys.values()])
    records, maps = [], {}
    for plate, key in keys.items():
        digit, rt_s = (float(value) for value in answers[f"{key}:{_ANSWER}"])
        name = f"{code}-{plate.item}"
        if digit != _SILENT:
            painting = f"{key}:{_PAINTING}"
            maps[name] = store.get([painting])[painting]
        records.append(
            MapRecord(
                map=name,
                item=plate.item,
                source="expert",
                solver_id=code,
                method="painting",
                axis=plate.place.axis,
                rung=plate.place.rung,
                answer=NO_SOLUTION if digit == _SILENT else str(int(digit)),
                confidence=None,
                rt_s=rt_s,
                origin=RESPONSE_MODEL,
                origin_note=code,
            )
        )
    return MapSet(tuple(records), maps)
