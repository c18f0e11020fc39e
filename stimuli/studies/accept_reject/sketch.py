"""A solution pack in memory, without a network: for simulations, power and tests.

S's answers and regions, and E's, are drawn at stated error rates from where the
digit lies. What a sketch shows of S is an assumption, never a result.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stimuli.images.digits import Digits, load_digits
from stimuli.images.filters import smooth
from stimuli.images.sets import NO_SOLUTION
from stimuli.io.canonical import seed_of
from stimuli.maps.map_set import MapRecord, MapSet
from stimuli.maps.origin import NETWORK, RESPONSE_MODEL
from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.plates.masks import Mask
from stimuli.plates.templates import digits_in_mind, templates_bytes
from stimuli.protocol import protocol_hash
from stimuli.studies.accept_reject.compose import MAPS_FOLDER, TEMPLATES, compose_solutions
from stimuli.studies.accept_reject.lists import plausible_wrong
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.shares import expert_places
from stimuli.studies.accept_reject.tables import NO_NUMERAL
from stimuli.studies.accept_reject.tasks import Task, draw_tasks, plate_spec, task_files

Map = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SketchRates:
    """What a sketch assumes of S and E.

    Attributes
    ----------
    system_error, expert_error
        Shares of plausible wrong digits among the answers.
    expert_abstention
        Share of plates on which E finds no solution.
    map_px
        Side of the maps in pixels.
    system_blur, expert_blur
        SD of the Gaussian on the digit's mask, as a share of the map's side.
    system_noise
        SD of the smooth noise on S's map, as a share of its largest relevance.
    """

    system_error: float = 0.06
    expert_error: float = 0.02
    expert_abstention: float = 0.04
    map_px: int = 64
    system_blur: float = 0.04
    expert_blur: float = 0.015
    system_noise: float = 0.3


def sketch(
    protocol: AcceptReject,
    places: Sequence[tuple[str, int]] | None = None,
    rates: SketchRates = SketchRates(),
    digits: Digits | None = None,
) -> Pack:
    """Return a solution pack in memory; the same for the same arguments.

    Parameters
    ----------
    protocol
        The protocol; its ``seed`` is the root of every draw.
    places
        Axes and rungs for which solutions and lists are made; all of the
        protocol's if None. The highest rung of an axis is always among them.
    rates
        What is assumed of S and E.
    digits
        Where digits come from; UCI's if None.

    Returns
    -------
    Pack
        Its id begins with ``sketch-``.
    """
    digits = load_digits("uci") if digits is None else digits
    tasks, painted = sketch_tasks(protocol, places, rates, digits)
    files = compose_solutions(tasks, [painted])
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)


def sketch_tasks(
    protocol: AcceptReject,
    places: Sequence[tuple[str, int]] | None,
    rates: SketchRates,
    digits: Digits,
) -> tuple[Pack, MapSet]:
    """Return a task pack in memory and the map set of one expert."""
    spec = plate_spec(protocol.plates)
    tasks = draw_tasks(protocol, digits)
    files = task_files(tasks, {task.item: task.plate(spec) for task in tasks})
    templates = digits_in_mind(digits, spec)
    files[TEMPLATES] = templates_bytes(templates)
    solved = [task for task in tasks if task.use in ("main", "practice")]
    system = _system(protocol, _wanted(protocol, places), solved, rates)
    files |= {f"{MAPS_FOLDER}/{name}": data for name, data in system.files().items()}
    pack = pack_in_memory(protocol, protocol_hash(protocol), "tasks", files)
    return pack, _expert(protocol, tasks, rates)


def _wanted(
    protocol: AcceptReject, places: Sequence[tuple[str, int]] | None
) -> list[tuple[str, int]]:
    wanted = protocol.lead_places if places is None else places
    return sorted({*wanted, *((axis, len(protocol.plates.ladder(axis))) for axis, _ in wanted)})


def _system(
    protocol: AcceptReject,
    places: Sequence[tuple[str, int]],
    tasks: Sequence[Task],
    rates: SketchRates,
) -> MapSet:
    records, maps = [], {}
    for task in tasks:
        for axis, rung in places:
            rng = _rng(protocol, "S", task.item, axis, rung)
            wrong = rng.random() < rates.system_error
            answer = _answer(task, wrong, protocol.seed, axis, rung)
            confidence = rng.beta(4, 3) if wrong else rng.beta(12, 2)
            for method in _methods(protocol):
                name = f"{task.item}-{axis}-{rung}{method.removeprefix('sketch')}"
                maps[name] = _system_map(task.mask, rates, rng)
                records.append(
                    MapRecord(
                        name, task.item, "model", "sketch", method, axis, rung, answer,
                        float(confidence), None, NETWORK, "sketch",
                    )
                )  # fmt: skip
    return MapSet(tuple(records), maps)


def _methods(protocol: AcceptReject) -> list[str]:
    """Return the sketch's names of a protocol's methods; all explain equally well."""
    return ["sketch", *(f"sketch-{name}" for name in protocol.system.further_methods)]


def _expert(protocol: AcceptReject, tasks: Sequence[Task], rates: SketchRates) -> MapSet:
    records, maps = [], {}
    places = expert_places(protocol, [(task.item, task.use) for task in tasks])
    for task in (task for task in tasks if task.item in places):
        rng, place = _rng(protocol, "E", task.item), places[task.item]
        silent = rng.random() < rates.expert_abstention or task.true_label == NO_NUMERAL
        wrong = rng.random() < rates.expert_error
        answer = NO_SOLUTION if silent else _answer(task, wrong, protocol.seed, "E", 0)
        if not silent:
            maps[task.item] = _expert_map(task.mask, rates)
        records.append(
            MapRecord(
                task.item, task.item, "expert", "sketch-expert", "painting",
                place.axis, place.rung, answer, None, float(2 + rng.exponential(2)),
                RESPONSE_MODEL, "sketch",
            )
        )  # fmt: skip
    return MapSet(tuple(records), maps)


def _answer(task: Task, wrong: bool, *key: str | int) -> str:
    if not wrong:
        return task.true_label
    return plausible_wrong(task.true_label, "sketch", task.item, *key)


def _system_map(mask: Mask, rates: SketchRates, rng: np.random.Generator) -> Map:
    blurred = smooth(_shrunk(mask, rates.map_px), rates.system_blur * rates.map_px)
    noise = smooth(rng.standard_normal(blurred.shape), rates.system_blur * rates.map_px)
    noise *= rates.system_noise * blurred.max() / max(float(np.abs(noise).max()), 1e-12)
    return (blurred + noise).astype(np.float32)


def _expert_map(mask: Mask, rates: SketchRates) -> Map:
    blurred = smooth(_shrunk(mask, rates.map_px), rates.expert_blur * rates.map_px)
    return (blurred >= 0.4).astype(np.float32)


def _shrunk(mask: Mask, side: int) -> NDArray[np.float64]:
    """Return the share of ink in each cell of a coarser grid; the mask's side is a multiple."""
    step = mask.shape[0] // side
    return mask.reshape(side, step, side, step).mean(axis=(1, 3))


def _rng(protocol: AcceptReject, *key: str | int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed_of("sketch", protocol.seed, *key)))
