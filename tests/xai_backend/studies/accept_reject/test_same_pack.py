"""A build that is repeated, stopped or run by a cluster ends with the same pack.

`tests/test_killed_verbs.py` kills it.
"""

import shutil

import pytest

from stimuli.pack import open_pack
from stimuli.workers import Workers
from tests.xai_backend.stopped_builds import count_begun_again, stop_once
from tests.xai_backend.studies.accept_reject.small_builds import (
    build_printed,
    run_build,
)
from xai_backend.progress import Silent
from xai_backend.studies.accept_reject import build as accept_reject
from xai_backend.studies.accept_reject import network
from xai_backend.studies.accept_reject.request import BuildRequest


def test_a_second_run_computes_nothing(built, protocol_file, monkeypatch):
    lab, printed = built
    monkeypatch.setenv("PLAINSIGHT_LAB", str(lab))
    monkeypatch.setattr("xai_backend.models.plate_cnn.train", None)
    monkeypatch.setattr(network.plate_reading, "accuracies", None)
    monkeypatch.setattr("xai_backend.explain.answering.logits_of", None)
    monkeypatch.setattr("xai_backend.methods.occlusion.Occlusion.explain", None)
    monkeypatch.setattr("xai_backend.studies.accept_reject.experts.annotate", None)
    options = ["--protocol", protocol_file, "--robot-experts", 2, "--out", lab / "pack", "--json"]
    assert build_printed(monkeypatch, options) == printed


def test_human_maps_on_a_task_pack_give_the_same_pack(built, tmp_path):
    lab, printed = built
    maps = [option for folder in printed["human_maps"] for option in ("--human-maps", folder)]
    options = ["--tasks", lab / "pack-tasks", *maps, "--out", tmp_path / "p"]
    assert run_build("accept_reject", *options) == 0
    assert open_pack(tmp_path / "p").pack_id == printed["pack_id"]


@pytest.mark.slow
def test_a_build_that_was_stopped_among_the_maps_ends_with_the_same_pack(
    built, protocol_file, tmp_path, monkeypatch
):
    """In another lab, with the network of the first, but none of its maps."""
    for kept in ("checkpoints", "evaluations"):
        shutil.copytree(built[0] / "cache" / kept, tmp_path / "cache" / kept)
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path))
    batches = stop_once(monkeypatch, 2)
    request = BuildRequest(
        protocol_file=protocol_file,
        robot_experts=2,
        out=tmp_path / "pack",
        workers=Workers(here=True),
    )
    with pytest.raises(KeyboardInterrupt):
        accept_reject.build(request, Silent())
    assert not (tmp_path / "pack-tasks").exists()
    made = accept_reject.build(request, Silent())
    assert (made.pack_id, made.tasks_id) == (built[1]["pack_id"], built[1]["tasks_id"])
    assert 0 < count_begun_again(batches) <= 16


@pytest.mark.slow
def test_a_clusters_pack_is_the_same(built, protocol_file, tmp_path):
    """The trained network is taken over; answers and maps are a Dask worker's."""
    distributed = pytest.importorskip("distributed")
    lab, printed = built
    for kept in ("checkpoints", "evaluations"):
        shutil.copytree(lab / "cache" / kept, tmp_path / "lab" / "cache" / kept)
    options = ["--protocol", protocol_file, "--out", tmp_path / "pack", "--json", "--scheduler"]
    with (
        pytest.MonkeyPatch.context() as patch,
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
        ) as cluster,
    ):
        patch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
        again = build_printed(patch, [*options, cluster.scheduler_address])
    assert again["pack_id"] == printed["tasks_id"]
