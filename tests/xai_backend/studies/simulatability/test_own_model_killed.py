"""A build from a lab's own model that was killed goes on to the same pack."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.xai_backend.studies.simulatability.own_model_packs import built_in, write_protocol
from tests.xai_backend.studies.simulatability.own_models import write_tree

PROGRAM = """\
import sys, time
from xai_backend.cli import main
from xai_backend.studies.simulatability import explaining
own = explaining._explanations_of
def slowed(*asked):
    time.sleep(0.2)
    return own(*asked)
explaining._explanations_of = slowed
sys.exit(main(["build", "simulatability", "--workers", "1", *sys.argv[1:]]))
"""
"""A build whose worker takes its time; the worker loads the model by its name."""


@pytest.mark.slow
def test_a_build_that_was_killed_goes_on_and_makes_the_same_pack(tree_lab, tmp_path):
    """Killed while its worker explains; what was finished then isn't explained again."""
    _, built = tree_lab
    write_tree(tmp_path, "lab_tree")
    protocol = write_protocol(tmp_path, "tabular", 4, 8)
    options = ["--protocol", str(protocol), "--table", str(tmp_path / "small.csv")]
    options += ["--table-model", "lab_tree:chances", "--out", str(tmp_path / "pack")]
    begun = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *options],
        env={
            **os.environ, "PLAINSIGHT_LAB": str(tmp_path), "PYTHONPATH": str(Path.cwd()),
        },
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while not kept_lines(tmp_path) and begun.poll() is None:
        time.sleep(0.02)
    begun.send_signal(signal.SIGKILL)
    assert begun.wait() == -signal.SIGKILL
    finished = kept_lines(tmp_path)
    assert 0 < len(finished) < 12
    assert not (tmp_path / "pack").exists()
    asked = {"table": tmp_path / "small.csv", "table_model": "lab_tree:chances"}
    assert built_in(tmp_path, protocol_file=protocol, **asked).pack_id == built.pack_id
    every = kept_lines(tmp_path)
    assert every[: len(finished)] == finished
    assert len({json.loads(line)["key"] for line in every}) == len(every)


def kept_lines(lab: Path) -> list[bytes]:
    """Return whole lines of what is kept."""
    files = (lab / "cache" / "simulatability").glob("explanations-*.jsonl")
    lines = [line for file in files for line in file.read_bytes().splitlines(keepends=True)]
    return [line for line in lines if line.endswith(b"\n")]
