"""From a task pack over experts' sessions in real windows to a study that can be run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from participants.folder import LabFolder
from stimuli.images.sets import NO_SOLUTION
from stimuli.maps.map_set import read_map_set
from stimuli.maps.origin import robot_id
from stimuli.pack import open_pack
from stimuli.studies.accept_reject.tables import ITEM_TABLE
from tests.experiments.conftest import few_tasks

ROOT = Path(__file__).parents[2]
PATIENCE_S = 600

pytestmark = [
    pytest.mark.slow,
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


@pytest.fixture
def lab_py(tmp_path):
    def call(*arguments):
        done = subprocess.run(
            [sys.executable, ROOT / "lab.py", *map(str, arguments)],
            env={**os.environ, "HOME": str(tmp_path), "PLAINSIGHT_LAB": str(tmp_path / "lab")},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    LabFolder.make(tmp_path / "lab")
    return call


def test_two_experts_paintings_become_a_solution_pack_that_leads_can_judge(tmp_path, lab_py):
    tasks = few_tasks(tmp_path / "tasks")
    codes = [
        json.loads(lab_py("annotate", tasks, "--robot", "expert", "--seed", seed, "--json"))[
            "participant"
        ]
        for seed in (1, 2)
    ]
    maps = tmp_path / "maps"
    made = json.loads(lab_py("participants", "mapset", "--out", maps, "--keep-failed", "--json"))
    assert sorted(made["experts"]) == sorted(codes)
    painted = read_map_set(maps)
    pack = tmp_path / "pack"
    lab_py("build", "accept_reject", "--tasks", tasks, "--human-maps", maps, "--out", pack)
    rows = open_pack(pack, "solutions").table(ITEM_TABLE)
    answers = {(record.solver_id, record.item): record.answer for record in painted.records}
    assert {row["expert_id"] for row in rows} <= set(map(robot_id, codes))
    for row in rows:
        assert row["expert_label"] == answers[row["expert_id"], row["item"]]
        silent = row["expert_label"] == row["model_label"] == NO_SOLUTION
        assert silent or row["region_area"] > 0.05
    out = tmp_path / "data"
    lab_py("simulate", "accept_reject", "--pack", pack, "--participants", 2, "--out", out)
    assert (out / "tables" / "trials.csv").is_file()
    assert LabFolder.open(tmp_path / "lab").data.tables.joinpath("experts.csv").is_file()
