"""A build that was stopped or killed goes on to the same pack."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.xai_backend.stopped_builds import count_begun_again, stop_once
from tests.xai_backend.studies.human_ai_team.digit_packs import TINY, built_here, options_of

PROGRAM = """\
import sys
import torch
from tests.xai_backend.studies.human_ai_team.digit_packs import SMALLER
from xai_backend.cli import main
torch.set_num_threads(1)
for (module, name), value in SMALLER.items():
    setattr(module, name, value)
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def other_lab(trained, tmp_path):
    """A lab with the protocol and the network of the first, but none of its results."""
    (tmp_path / "tiny.toml").write_text(TINY, encoding="utf-8")
    kept = Path("cache", "checkpoints")
    shutil.copytree(trained[0] / kept, tmp_path / kept)
    return tmp_path


def test_a_build_that_was_stopped_goes_on_to_the_same_pack(trained, other_lab, monkeypatch):
    batches = stop_once(monkeypatch, 12)
    options = options_of(other_lab)
    with contextlib.suppress(KeyboardInterrupt):
        status, _, _ = built_here(monkeypatch, other_lab, *options)
        assert status != 0
    assert not (other_lab / "pack").exists()
    status, again, wrong = built_here(monkeypatch, other_lab, *options)
    assert status == 0, wrong
    assert json.loads(again)["pack_id"] == trained[1]["pack_id"]
    assert len(batches) > 15
    assert 0 < count_begun_again(batches) <= 2 * len(batches[11])


@pytest.mark.slow
def test_a_build_that_was_killed_goes_on_to_the_same_pack(trained, other_lab, monkeypatch):
    tmp_path, said = other_lab, trained[1]
    shards = tmp_path / "cache" / "results" / "shards"
    options = options_of(tmp_path)
    build = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "build", "human_ai_team", *map(str, options)],
        env={**os.environ, "PLAINSIGHT_LAB": str(tmp_path)},
        stdout=subprocess.DEVNULL,
    )
    while build.poll() is None and count(shards) < 6:
        time.sleep(0.01)
    assert build.poll() is None, "it was done before it could be killed"
    build.send_signal(signal.SIGKILL)
    build.wait()
    kept = count(shards)
    assert not (tmp_path / "pack").exists()
    status, again, wrong = built_here(monkeypatch, tmp_path, *options)
    assert status == 0, wrong
    assert json.loads(again)["pack_id"] == said["pack_id"]
    assert count(shards) > kept


def count(shards: Path) -> int:
    return sum(1 for _ in shards.glob("*.safetensors"))
