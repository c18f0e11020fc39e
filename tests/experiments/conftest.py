from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from participants.folder import LabFolder
from stimuli.images.digits import Digits, load_digits
from stimuli.maps.map_set import MapSet
from stimuli.maps.origin import PEOPLE, RESPONSE_MODEL, robot_id
from stimuli.pack import write_pack
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.compose import compose_solutions
from stimuli.studies.accept_reject.sketch import SketchRates, sketch_tasks
from stimuli.studies.accept_reject.tables import TASKS

# Its assertions are spelled out like those of tests.
pytest.register_assert_rewrite(
    "tests.experiments.screens.laid_out", "tests.experiments.studies.accept_reject.told_early"
)

CHANGES = {
    "plates": {
        "source": "uci",
        "axes": ["deutan"],
        "ladder_deutan": [0.04, 0.097],
        "density": 0.3,
        "dot_radius_min": 0.02,
        "dot_radius_max": 0.045,
    },
    "solutions": {"trials_per_run": 6, "practice_trials": 5, "lists": 1},
    "practice": {"answered_share": 0.0, "right_share": 0.0},
    "trial": {"limit_s": 4.0, "fixation_s": 0.05, "practice_feedback_s": 0.1},
    "session": {
        "between_runs_s": 0.3,
        "break_every_trials": 4,
        "run_order": "without_first",
        "comprehension_attempts": 1,
    },
}


def few_digits() -> Digits:
    """Return a few of each digit, so that templates are quickly made."""
    whole = load_digits("uci")
    train = np.concatenate(
        [whole.train_indices[whole.labels[whole.train_indices] == digit][:4] for digit in range(10)]
    )
    return replace(whole, train_indices=train)


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """A new lab folder, which commands take where none is named."""
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    return LabFolder.make()


@pytest.fixture(scope="session")
def mini_pack(tmp_path_factory) -> Path:
    """A sealed solution pack of a few trials, without a network; as if a person had painted."""
    return painted_pack(tmp_path_factory.mktemp("packs") / "mini", "CDF34HK", PEOPLE)


@pytest.fixture(scope="session")
def robots_pack(tmp_path_factory) -> Path:
    """The same with robots in place of experts, as `build --robot-experts` makes it."""
    return painted_pack(tmp_path_factory.mktemp("packs") / "robots", robot_id("1"), RESPONSE_MODEL)


def painted_pack(
    folder: Path,
    solver_id: str,
    origin: str,
    languages: tuple[str, ...] = ("en", "de"),
    changes: Mapping = CHANGES,
) -> Path:
    """Write a sealed solution pack whose paintings are somebody's."""
    protocol = load_protocol("accept_reject", None, {**changes, "languages": languages})
    tasks, expert = sketch_tasks(protocol, [("deutan", 2)], SketchRates(), few_digits())
    whose = {"solver_id": solver_id, "origin": origin, "origin_note": solver_id}
    painted = MapSet(tuple(replace(record, **whose) for record in expert.records), expert.maps)
    files = compose_solutions(tasks, [painted])
    write_pack(folder, protocol, "solutions", files, {"made": "sketch"})
    return folder


def few_tasks(folder: Path, plates: int | None = None) -> Path:
    """Write a sealed task pack without a network: all of it, or a few plates to paint and two
    to learn with."""
    protocol = load_protocol("accept_reject", None, CHANGES)
    made, _ = sketch_tasks(protocol, [("deutan", 2)], SketchRates(), few_digits())
    files = {path: made.asset(path) for path in made.manifest.files}
    rows = made.table(TASKS)
    mains, practice = ([row for row in rows if row["use"] == use] for use in ("main", "practice"))
    left_out = [] if plates is None else [*mains[plates:], *practice[2:]]
    files["tasks.csv"] = TASKS.to_csv([row for row in rows if row not in left_out])
    files = {
        path: data
        for path, data in files.items()
        if path not in {row["plate_file"] for row in left_out}
    }
    write_pack(folder, protocol, "tasks", files, {"made": "sketch"})
    return folder


@pytest.fixture(scope="session")
def mini_tasks(tmp_path_factory) -> Path:
    """A sealed task pack with one plate to paint, besides practice and controls."""
    return few_tasks(tmp_path_factory.mktemp("packs") / "mini-tasks", plates=1)


@pytest.fixture(scope="session")
def all_tasks(tmp_path_factory) -> Path:
    """A sealed task pack as the builder makes it, but without a network."""
    return few_tasks(tmp_path_factory.mktemp("packs") / "all-tasks")
