"""Expert robots paint a task pack, without a screen: map sets as people's sessions give them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from participants.studies.accept_reject.robots.expert import annotate
from stimuli.images.predictions import NO_SOLUTION
from stimuli.io.canonical import hash_of, seed_of, sha256_hex
from stimuli.io.tables import Row
from stimuli.maps.map_set import MapRecord, MapSet, robot_id
from stimuli.pack import Pack
from stimuli.plates.observer import DigitTemplates
from stimuli.plates.plate import plate_from_bytes
from stimuli.plates.templates import templates_from_bytes
from stimuli.studies.accept_reject.compose import TEMPLATES
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.tables import TASKS
from stimuli.studies.accept_reject.tasks import plate_spec
from xai_backend.progress import Advance, Reporter
from xai_backend.provenance import provenance
from xai_backend.store import TensorStore

VERSION = 1
"""Raised by hand whenever the expert robot would answer or paint otherwise."""

PAINTINGS_A_SHARD = 32
LEADS_ONLY = "no_numeral"
"""Plates of this use are controls of leads; experts never see them."""

_ANSWER, _PAINTING = "answer", "painting"
_SILENT = -1.0


def robot_experts(
    tasks: Pack, count: int, store: TensorStore, reporter: Reporter
) -> dict[str, MapSet]:
    """Return the map sets of expert robots, by their codes.

    Parameters
    ----------
    tasks
        A task pack; each expert paints every plate that experts are shown, at the
        protocol's expert axis and rung.
    count
        How many experts.
    store
        Keeps what was painted.
    """
    protocol = tasks.protocol
    assert isinstance(protocol, AcceptReject)
    rows = [row for row in tasks.table(TASKS) if row["use"] != LEADS_ONLY]
    templates = templates_from_bytes(tasks.asset(TEMPLATES))
    codes = [robot_id(str(number)) for number in range(1, count + 1)]
    with reporter.stage("expert robots paint", len(rows) * count) as advance:
        return {code: _expert(code, tasks, templates, rows, store, advance) for code in codes}


def _expert(
    code: str,
    tasks: Pack,
    templates: DigitTemplates,
    rows: Sequence[Row],
    store: TensorStore,
    advance: Advance,
) -> MapSet:
    protocol = tasks.protocol
    assert isinstance(protocol, AcceptReject)
    keys = {str(row["item"]): _key(code, protocol, tasks, row) for row in rows}
    missing = set(store.missing([f"{key}:{_ANSWER}" for key in keys.values()]))
    wanted = [row for row in rows if f"{keys[str(row['item'])]}:{_ANSWER}" in missing]
    advance(len(rows) - len(wanted))
    for start in range(0, len(wanted), PAINTINGS_A_SHARD):
        some = wanted[start : start + PAINTINGS_A_SHARD]
        tensors: dict[str, NDArray[Any]] = {}
        for row in some:
            tensors |= _painted(keys[str(row["item"])], protocol, tasks, templates, row)
            advance(1)
        store.put(tensors, provenance("cpu"))
    return _map_set(code, protocol, keys, store)


def _key(code: str, protocol: AcceptReject, tasks: Pack, row: Row) -> str:
    return hash_of(
        {
            "what": {"name": "robot_expert", "version": VERSION},
            "expert": [code, protocol.seed],
            "plate": sha256_hex(tasks.asset(str(row["plate_file"]))),
            "templates": sha256_hex(tasks.asset(TEMPLATES)),
            "plates": protocol.plates.model_dump(mode="json"),
            "place": [protocol.experts.axis, protocol.expert_rung],
        }
    )


def _painted(
    key: str, protocol: AcceptReject, tasks: Pack, templates: DigitTemplates, row: Row
) -> dict[str, NDArray[Any]]:
    """Return the tensors of one answer: digit (−1: none) and time; the painting, if any."""
    axis = protocol.experts.axis
    annotation = annotate(
        plate_from_bytes(tasks.asset(str(row["plate_file"]))),
        axis,
        protocol.plates.ladder(axis)[protocol.expert_rung - 1],
        plate_spec(protocol.plates),
        np.random.Generator(np.random.PCG64(seed_of("robot expert", key))),
        templates,
    )
    digit = _SILENT if annotation.label == NO_SOLUTION else float(annotation.label)
    tensors: dict[str, NDArray[Any]] = {f"{key}:{_ANSWER}": np.array([digit, annotation.rt_s])}
    if annotation.painting is not None:
        tensors[f"{key}:{_PAINTING}"] = annotation.painting
    return tensors


def _map_set(code: str, protocol: AcceptReject, keys: dict[str, str], store: TensorStore) -> MapSet:
    answers = store.get([f"{key}:{_ANSWER}" for key in keys.values()])
    records, maps = [], {}
    for item, key in keys.items():
        digit, rt_s = (float(value) for value in answers[f"{key}:{_ANSWER}"])
        name = f"{code}-{item}"
        if digit != _SILENT:
            painting = f"{key}:{_PAINTING}"
            maps[name] = store.get([painting])[painting]
        records.append(
            MapRecord(
                map=name,
                item=item,
                source="expert",
                solver_id=code,
                method="painting",
                axis=protocol.experts.axis,
                rung=protocol.expert_rung,
                answer=NO_SOLUTION if digit == _SILENT else str(int(digit)),
                confidence=None,
                rt_s=rt_s,
            )
        )
    return MapSet(tuple(records), maps)
