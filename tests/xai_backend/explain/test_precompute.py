"""Jobs through the store: killed, interrupted, shared, starved, they come to the same maps."""

import multiprocessing
import os
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
import torch
from torch import nn

from bench.parts import killed_job
from bench.parts.killed_job import LOG, METHOD, begun, computed, finished, run
from bench.parts.killing import kill_and_finish, lose_a_worker, lose_the_scheduler
from stimuli.errors import UserError
from stimuli.workers import Workers
from tests.xai_backend.given import Told
from xai_backend.explain import answering
from xai_backend.explain.answering import Batch, Network, answer
from xai_backend.explain.precompute import Picture, Precompute, checked_workers
from xai_backend.methods import Execution, named_method
from xai_backend.models.frame import PREPROCESSING
from xai_backend.models.plate_cnn import read_checkpoint
from xai_backend.store import TensorStore

HERE = Workers(here=True)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return killed_job.write_network(tmp_path_factory.mktemp("network"))


@pytest.fixture
def folder(checkpoint, tmp_path):
    """A job's folder with its network."""
    (tmp_path / checkpoint.name).write_bytes(checkpoint.read_bytes())
    return tmp_path


@pytest.fixture(scope="module")
def undisturbed(checkpoint):
    """The bytes of 40 maps by key, from a run that nothing disturbed."""
    run(checkpoint.parent, checkpoint.parent / "whole", 40, HERE)
    return finished(checkpoint.parent / "whole")


def network_of(checkpoint):
    loaded, _ = read_checkpoint(checkpoint)
    return Network("plate_cnn", str(checkpoint), "cpu", loaded.weights_sha256)


def pictures(count):
    return [Picture.of(f"{k}", killed_job._noise(k)) for k in range(count)]


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_a_killed_job_computes_nothing_again_that_was_finished(folder, undisturbed):
    lives = kill_and_finish(folder, folder / "killed", 40, kills=1, processes=1)
    assert lives.kills > 0
    assert lives.twice == 0
    assert 40 <= lives.begun <= 40 + lives.in_flight
    assert finished(folder / "killed") == undisturbed


def test_weights_are_laid_out_as_a_method_s_maps_want_them(checkpoint):
    network = network_of(checkpoint)
    model = answering.classifier_at_hand(network.name, network.weights, "cpu").model
    last = [part for part in model.network.modules() if isinstance(part, nn.Conv2d)][-1]
    codes = np.stack([killed_job._noise(k) for k in range(2)])

    def is_as_stored(name):
        method = named_method(name, ()) if name else None
        answer(Batch(network, method, ("a", "b"), codes, (0, 1) if name else ()))
        return last.weight.is_contiguous()

    found = {name: is_as_stored(name) for name in (None, "lrp", "gradcam", "captum:Saliency")}
    assert found == {None: False, "lrp": True, "gradcam": False, "captum:Saliency": True}


def test_a_torn_line_is_no_batch_and_the_next_one_is_whole(folder):
    run(folder, folder / "store", 4, HERE)
    (first,) = begun(folder)
    with (folder / LOG).open("a", encoding="utf-8") as log:
        log.write('\n["torn')
    assert begun(folder) == [first]
    run(folder, folder / "store", 8, HERE)
    assert begun(folder)[0] == first
    assert sorted(computed(folder).values()) == [1] * 8


@pytest.mark.slow
def test_one_worker_and_three_give_the_same_bytes_killed_or_not(folder, undisturbed):
    lives = kill_and_finish(folder, folder / "killed", 40, kills=2, processes=3)
    assert lives.twice == 0
    assert lives.begun <= 40 + lives.in_flight
    assert finished(folder / "killed") == undisturbed


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_gives_the_same_bytes(folder, undisturbed):
    pytest.importorskip("distributed")
    assert lose_a_worker(folder, folder / "store", 40) == 2
    assert finished(folder / "store") == undisturbed


@pytest.mark.slow
def test_a_cluster_that_loses_its_scheduler_is_one_line_and_nothing_finished_is_lost(
    folder, undisturbed
):
    pytest.importorskip("distributed")
    lost = lose_the_scheduler(folder, folder / "store", 40)
    assert "the scheduler ended" in lost.line
    assert lost.kept
    assert not lost.twice
    assert finished(folder / "store") == undisturbed


def test_dask_gives_the_same_bytes_even_with_several_threads_a_worker(folder, undisturbed):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=3, processes=False, dashboard_address=None
    ) as cluster:
        run(folder, folder / "store", 20, Workers(scheduler=cluster.scheduler_address))
    found = finished(folder / "store")
    assert len(found) == 20
    assert found.items() <= undisturbed.items()


def test_of_a_torn_shard_no_more_than_its_own_maps_are_computed_again(folder, undisturbed):
    run(folder, folder / "store", 24, HERE)
    (folder / LOG).unlink()
    shard = sorted((folder / "store" / "shards").iterdir())[3]
    data = shard.read_bytes()
    shard.write_bytes(data[: len(data) // 2])
    (folder / "store" / "index.sqlite").unlink()
    run(folder, folder / "store", 24, HERE)
    assert computed(folder).total() == 4
    shard.unlink()
    assert finished(folder / "store").items() <= undisturbed.items()


@pytest.mark.skipif(os.name != "posix", reason="limits of a process")
def test_a_full_disk_is_one_line_and_what_was_kept_stays(folder):
    import resource

    run(folder, folder / "store", 12, HERE)
    kept = finished(folder / "store")
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, unlimited[1]))
    try:
        with pytest.raises(UserError, match=r"store/.*\.(safetensors|sqlite): can.t be written"):
            run(folder, folder / "store", 40, HERE)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    assert kept.items() <= finished(folder / "store").items()
    assert not list((folder / "store" / "shards").glob(".*"))
    run(folder, folder / "store", 40, HERE)
    assert len(finished(folder / "store")) == 40


def test_two_jobs_at_once_fill_one_store(folder, undisturbed):
    context = multiprocessing.get_context("spawn" if os.name == "nt" else "forkserver")
    jobs = [
        context.Process(target=run, args=(folder, folder / "store", 30, HERE)) for _ in range(2)
    ]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join(600)
    assert [job.exitcode for job in jobs] == [0, 0]
    found = finished(folder / "store")
    assert len(found) == 30
    assert found.items() <= undisturbed.items()
    store = TensorStore(folder / "store")
    assert store.missing(found) == []
    store.close()


@dataclass(frozen=True, slots=True)
class Greedy:
    """Runs out of memory with more than two inputs at once."""

    name: ClassVar[str] = "greedy"
    version: ClassVar[int] = 1

    def explain(self, model, inputs, targets, execution=Execution()):
        if (execution.at_once or 64) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return torch.ones(len(inputs), 8, 8)


def test_halving_is_said_once_and_marked_at_every_map(checkpoint, tmp_path):
    store, told = TensorStore(tmp_path), Told()
    work = Precompute(network_of(checkpoint), PREPROCESSING, store, HERE, at_once=8, reporter=told)
    found = work.maps(Greedy(), pictures(9), [0] * 9)
    assert [one.halved_to for one in found.values()] == [2] * 9
    assert told.lines == [f"out of memory: continuing with {n} at once" for n in (4, 2)]
    unhurt = work.maps(METHOD, pictures(1), [0])
    assert unhurt["0"].halved_to is None
    store.close()


def test_a_picture_that_vanished_is_left_out_and_the_others_are_explained(checkpoint, tmp_path):
    store = TensorStore(tmp_path)
    some = pictures(6)
    some[2] = replace(some[2], load=lambda: None)
    work = Precompute(network_of(checkpoint), PREPROCESSING, store, HERE)
    assert set(work.logits(some)) == set("01345")
    assert set(work.maps(METHOD, some, [1] * 6)) == set("01345")
    store.close()


def test_a_worker_with_other_weights_refuses(checkpoint):
    network = replace(network_of(checkpoint), weights_sha256="0" * 64)
    codes = np.zeros((1, 48, 48, 3), dtype=np.uint8)
    with pytest.raises(UserError, match="other weights on a worker"):
        answer(Batch(network, METHOD, ("key",), codes, (0,)))


def test_weights_that_were_written_over_are_loaded_anew(monkeypatch, tmp_path):
    loads, loaded = [], SimpleNamespace(model=SimpleNamespace(network=nn.Identity()))
    monkeypatch.setattr(answering, "load_network", lambda *asked: loads.append(asked) or loaded)
    file = tmp_path / "own.pt"
    file.write_bytes(b"first")
    for _ in range(2):
        answering.classifier_at_hand("any", str(file), "cpu")
    assert len(loads) == 1
    file.write_bytes(b"another")
    answering.classifier_at_hand("any", str(file), "cpu")
    assert len(loads) == 2


def test_no_more_workers_than_graphics_cards(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert checked_workers(Workers(2), "cuda") == Workers(2)
    assert checked_workers(Workers(7), "cpu") == Workers(7)
    with pytest.raises(UserError, match="2 on cuda"):
        checked_workers(Workers(3), "cuda")
    with pytest.raises(UserError, match="1 on cuda:1"):
        checked_workers(Workers(2), "cuda:1")
