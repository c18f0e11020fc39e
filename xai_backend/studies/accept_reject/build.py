"""Builder of accept_reject's packs: tasks, S's solutions, robots' paintings, the sealed rest.

Each stage's results are kept by content in the lab's cache, so that a build that was
interrupted, by whatever means, goes on where it was, and one that is repeated computes
nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from stimuli.errors import UserError
from stimuli.images.digits import Digits, load_digits
from stimuli.io.canonical import canonical_json, hash_of, sha256_hex
from stimuli.maps.map_set import MapSet, read_map_set, write_map_set
from stimuli.maps.metrics import metrics_file
from stimuli.maps.origin import RESPONSE_MODEL, Origin
from stimuli.pack import Pack, open_pack
from stimuli.pack.model import PackKind
from stimuli.places import cache_dir
from stimuli.plates.templates import digits_in_mind, templates_bytes
from stimuli.protocol import Protocol, load_protocol, protocol_hash
from stimuli.studies.accept_reject.compose import MAPS_FOLDER, TEMPLATES, compose_solutions
from stimuli.studies.accept_reject.origins import ARMS_FILE, Arm, arms_file
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.shares import matched_remark
from stimuli.studies.accept_reject.tables import METRICS
from stimuli.studies.accept_reject.tasks import Task, draw_tasks, plate_spec, task_files
from xai_backend.explain.answering import Network
from xai_backend.explain.precompute import (
    FEW_BATCHES,
    FEW_BATCHES_OF_A_SMALL_NETWORK,
    SLOWEST,
    Precompute,
    checked_workers,
)
from xai_backend.methods import Method, identity_of, method_of
from xai_backend.models.frame import PREPROCESSING
from xai_backend.models.plate_cnn import ARCHITECTURE, Checkpoint, trained
from xai_backend.options import NamedMethod, check_named
from xai_backend.packs.differences import of_build, of_methods, stated, with_deviations
from xai_backend.packs.origins import computed
from xai_backend.packs.sealed import about as about_build
from xai_backend.packs.sealed import check_out, default_out, sealed
from xai_backend.progress import Reporter
from xai_backend.store import TensorStore, opened_store
from xai_backend.studies.accept_reject.experts import robot_experts
from xai_backend.studies.accept_reject.network import (
    draw_pictures,
    network_report,
    solve,
    solved_places,
    training_settings,
)
from xai_backend.studies.accept_reject.request import BuildRequest

NAME = "accept_reject"
SOLVED_BY_S = ("main", "practice", "no_numeral")


@dataclass(frozen=True, slots=True)
class Built:
    """The result of a build.

    Attributes
    ----------
    pack, pack_id, kind
        The last pack that was made.
    tasks, tasks_id
        The task pack.
    human_maps
        Folders of the paintings that were used.
    remark
        What the design can't distinguish; empty if there is no such remark.
    """

    pack: Path
    pack_id: str
    kind: PackKind
    tasks: Path
    tasks_id: str
    human_maps: tuple[Path, ...]
    remark: str = ""


def build(request: BuildRequest, reporter: Reporter) -> Built:
    """Build a task pack and, if there are paintings, the solution pack.

    Raises
    ------
    UserError
        On any mistake in the request, before any long work begins.
    """
    _check_request(request)
    painted = [read_map_set(folder) for folder in request.human_maps]
    goes_on = bool(painted) or request.robot_experts is not None
    if request.tasks is not None:
        tasks_at = request.tasks
        tasks = _opened_tasks(tasks_at)
        protocol = _of_solutions(tasks.protocol, painted, request)
        out = request.out or default_out(protocol, tasks.pack_id)
        check_out(out, protocol_hash(protocol), "solutions")
    else:
        of_tasks, digits = _resolved(request)
        protocol = _of_solutions(of_tasks, painted, request)
        out = request.out or default_out(protocol, protocol_hash(protocol))
        tasks_at = out.with_name(f"{out.name}-tasks") if goes_on else out
        check_out(tasks_at, protocol_hash(of_tasks), "tasks")
        if goes_on:
            check_out(out, protocol_hash(protocol), "solutions")
        tasks = _build_tasks(of_tasks, digits, tasks_at, request, reporter)
    if not goes_on:
        return Built(tasks_at, tasks.pack_id, "tasks", tasks_at, tasks.pack_id, (), _remark(tasks))
    folders = list(request.human_maps)
    if request.robot_experts is not None:
        robots = _paint(tasks, request.robot_experts, out, reporter)
        painted += robots.values()
        folders += robots
    solutions = _build_solutions(tasks, protocol, painted, out, reporter)
    return Built(
        out, solutions.pack_id, "solutions", tasks_at, tasks.pack_id, tuple(folders),
        _remark(tasks),
    )  # fmt: skip


def _remark(tasks: Pack) -> str:
    """Return a remark on what the design of a task pack can't distinguish."""
    assert isinstance(tasks.protocol, AcceptReject)
    return matched_remark(tasks.protocol)


def _check_request(request: BuildRequest) -> None:
    if request.device.split(":")[0] not in ("cpu", "cuda"):
        raise UserError(f"--device {request.device!r} is unknown; take cpu or cuda")
    if request.device != "cpu" and not torch.cuda.is_available():
        raise UserError(f"--device {request.device}: torch finds no such device; take cpu")
    checked_workers(request.workers, request.device)


def _resolved(request: BuildRequest) -> tuple[AcceptReject, Digits]:
    """Return the protocol with the command line's changes, and its digits."""
    changes: dict[str, Any] = {} if request.seed is None else {"seed": request.seed}
    protocol = load_protocol(NAME, request.protocol_file, changes)
    assert isinstance(protocol, AcceptReject)
    digits = load_digits(request.source or protocol.plates.source)
    # The pack states which digits they are, not where they lie on this machine.
    changes["plates"] = {"source": digits.source}
    protocol = load_protocol(NAME, request.protocol_file, changes)
    assert isinstance(protocol, AcceptReject)
    others = of_methods(request.methods)
    return stated(protocol, request.protocol_file, others), digits


def _of_solutions(protocol: Protocol, painted: Sequence[MapSet], request: BuildRequest) -> Protocol:
    """Return the protocol of a solution pack, which says if robots paint or have painted."""
    records = (record for maps in painted for record in maps.records)
    solvers = {record.solver_id for record in records if record.origin == RESPONSE_MODEL}
    robots = len(solvers) + (request.robot_experts or 0)
    if not robots:
        return protocol
    difference = of_build(
        "--robot-experts",
        "Experts are people with normal colour vision.",
        f"Robots solved and painted as experts: {robots}.",
        "They let the study be tried out. Their solutions are no human baseline.",
    )
    return with_deviations(protocol, [difference])


def _methods(protocol: AcceptReject, choices: Mapping[str, NamedMethod]) -> dict[str, Method]:
    """Return the methods by the protocol's names; UserError if one doesn't exist."""
    system = protocol.system
    check_named({"--method": choices}, system.methods)
    settings = system.model_dump()
    methods = {
        name: choices[name].method() if name in choices else method_of(name, settings)
        for name in system.methods
    }
    patch_px = max(getattr(method, "patch_px", 0) for method in methods.values())
    if patch_px > system.input_px:
        raise UserError(f"system.patch_px is {patch_px}, larger than input_px ({system.input_px})")
    return methods


def _build_tasks(
    protocol: AcceptReject, digits: Digits, out: Path, request: BuildRequest, reporter: Reporter
) -> Pack:
    begun = datetime.now(UTC)
    methods, places = _methods(protocol, request.methods), solved_places(protocol)
    spec = plate_spec(protocol.plates)
    tasks = draw_tasks(protocol, digits)
    settings = training_settings(protocol)
    checkpoint = trained(settings, digits, cache_dir() / "checkpoints", reporter, request.device)
    plates = {task.item: task.plate(spec) for task in tasks}
    report = network_report(
        protocol, checkpoint, digits, tasks, cache_dir() / "evaluations", reporter
    )
    solved = {task.item: plates[task.item] for task in _solved_by_s(tasks)}
    pictures = draw_pictures(solved, places, spec, protocol.system.input_px, reporter)
    with opened_store() as store:
        work = _work(checkpoint, methods, store, request, reporter)
        solved_by_s = solve(
            work, methods, checkpoint.checkpoint_id, pictures, metrics=request.metrics
        )
    templates = digits_in_mind(digits, spec)
    arms: dict[Arm, Origin] = {
        ("S", name): computed(method, checkpoint.checkpoint_id, checkpoint.weights_sha256)
        for name, method in methods.items()
    }
    files = {
        **task_files(tasks, plates),
        ARMS_FILE: arms_file(arms),
        TEMPLATES: templates_bytes(templates),
        **{f"{MAPS_FOLDER}/{name}": data for name, data in solved_by_s.maps.files().items()},
        "network.json": canonical_json(report) + b"\n",
        **metrics_file(METRICS, solved_by_s.metrics),
    }
    about = {
        **about_build(begun, request.device),
        "halved_to": dict(solved_by_s.halved_to),
        "methods": {name: identity_of(method) for name, method in methods.items()},
    }
    return sealed(out, protocol, "tasks", files, about, reporter)


def _work(
    checkpoint: Checkpoint,
    methods: Mapping[str, Method],
    store: TensorStore,
    request: BuildRequest,
    reporter: Reporter,
) -> Precompute:
    """Return S's network for workers to load, with the store of its results."""
    path = str(checkpoint.path.resolve())
    network = Network(ARCHITECTURE, path, request.device, checkpoint.weights_sha256)
    workers = checked_workers(request.workers, request.device)
    slow = any(method.name in SLOWEST for method in methods.values())
    few = FEW_BATCHES if slow else FEW_BATCHES_OF_A_SMALL_NETWORK
    return Precompute(network, PREPROCESSING, store, workers, reporter=reporter, few_batches=few)


def _solved_by_s(tasks: Sequence[Task]) -> list[Task]:
    return sorted((task for task in tasks if task.use in SOLVED_BY_S), key=lambda task: task.item)


def _paint(tasks: Pack, count: int, out: Path, reporter: Reporter) -> dict[Path, MapSet]:
    """Return the paintings of expert robots by the folder to which they were written."""
    with opened_store() as store:
        painted = robot_experts(tasks, count, store, reporter)
    by_folder = {out.with_name(f"{out.name}-experts") / code: m for code, m in painted.items()}
    for folder, maps in by_folder.items():
        write_map_set(folder, maps)
    return by_folder


def _build_solutions(
    tasks: Pack, protocol: Protocol, painted: Sequence[MapSet], out: Path, reporter: Reporter
) -> Pack:
    begun = datetime.now(UTC)
    files = compose_solutions(tasks, painted)
    about = {**about_build(begun, "cpu"), "tasks": tasks.pack_id, "experts": _hashes(painted)}
    return sealed(out, protocol, "solutions", files, about, reporter)


def _hashes(painted: Sequence[MapSet]) -> list[str]:
    return [
        hash_of({name: sha256_hex(data) for name, data in maps.files().items()}) for maps in painted
    ]


def _opened_tasks(folder: Path) -> Pack:
    tasks = open_pack(folder, "tasks")
    if tasks.manifest.study != NAME:
        raise UserError(f"{folder}: is not a task pack of {NAME}")
    return tasks
