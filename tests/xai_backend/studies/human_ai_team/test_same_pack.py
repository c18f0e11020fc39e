"""A build that was stopped goes on to the same pack; `tests/test_killed_verbs.py` kills it."""

import contextlib
import json
import shutil
from pathlib import Path

import pytest

from tests.xai_backend.stopped_builds import count_begun_again, stop_once
from tests.xai_backend.studies.human_ai_team.digit_packs import TINY, built_here, options_of


@pytest.fixture
def other_lab(trained, tmp_path):
    """A lab with the protocol and the network of the first, but none of its results."""
    (tmp_path / "tiny.toml").write_text(TINY, encoding="utf-8")
    kept = Path("cache", "checkpoints")
    shutil.copytree(trained[0] / kept, tmp_path / kept)
    return tmp_path


@pytest.mark.slow
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
