"""A network and a method are tried on one photograph: what is wrong with them is told."""

import sys

import numpy as np
import pytest
from PIL import Image

from xai_backend.cli import main

CODE = """\
import sys

import numpy as np
import torch
from torch import nn


class OfBatch(nn.Module):
    def forward(self, images):
        return images.mean(dim=(2, 3)) - images.mean()


class Blind(nn.Module):
    def forward(self, images):
        return images.detach().mean(dim=(2, 3))


class Changed(nn.Module):
    def __init__(self, change):
        super().__init__()
        self.change, self.calls = change, 0

    def forward(self, images):
        self.calls += 1
        return self.change(images.mean(dim=(2, 3)), self.calls)


def dropout():
    return Changed(lambda logits, calls: nn.functional.dropout(logits))


def of_numpy():
    return Changed(lambda logits, calls: logits + np.random.rand())


def counting():
    return Changed(lambda logits, calls: logits + calls)


def nan():
    return Changed(lambda logits, calls: logits * float("nan"))


def complex_numbers():
    return Changed(lambda logits, calls: logits * 1j)


def leaving():
    return Changed(lambda logits, calls: logits if calls == 1 else sys.exit(3))


def failing():
    return Changed(lambda logits, calls: logits if calls == 1 else {}["no key"])


def gone():
    sys.exit(3)


def sound():
    torch.manual_seed(3)
    return nn.Sequential(nn.Conv2d(3, 4, 5, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten())


def of_batch():
    return OfBatch()


def blind():
    return Blind()


def brightness(model, inputs, targets):
    return inputs.mean(dim=1)


calls = []


def restless(model, inputs, targets):
    calls.append(1)
    return inputs.mean(dim=1) * len(calls)


def small(model, inputs, targets):
    return inputs.mean(dim=1)[:, ::2]


def empty(model, inputs, targets):
    return inputs.mean(dim=1) * 0


def nan_map(model, inputs, targets):
    return inputs.mean(dim=1) / 0 * 0


def complex_map(model, inputs, targets):
    return inputs.mean(dim=1) * 1j


def leaving_map(model, inputs, targets):
    sys.exit("that's all")
"""


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.delitem(sys.modules, "tried_networks", raising=False)
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    (tmp_path / "tried_networks.py").write_text(CODE)
    (tmp_path / "tried_networks.toml").write_text("side_px = 24\n")
    (tmp_path / "photos").mkdir()
    codes = np.random.default_rng(1).integers(0, 256, (30, 40, 3), dtype=np.uint8)
    Image.fromarray(codes).save(tmp_path / "photos" / "a.png")

    def explain(network, method, *options):
        words = ["explain", "--model", f"tried_networks:{network}", "--method", method]
        status = main([*words, "--images", "photos", "--out", "out", "--workers", "1", *options])
        said = capsys.readouterr()
        return status, said.out.splitlines(), said.err.splitlines()

    return explain


@pytest.mark.parametrize(
    ("network", "method", "failed"),
    [
        ("sound", "tried_networks:brightness", set()),
        ("sound", "integrated_gradients", set()),
        ("of_batch", "tried_networks:brightness", {"same answer in a batch"}),
        ("blind", "tried_networks:brightness", {"gradients"}),
        ("sound", "tried_networks:restless", {"same map again"}),
        ("sound", "tried_networks:small", {"map of tried_networks"}),
    ],
)
def test_what_is_wrong_is_told_and_nothing_is_written(run, tmp_path, network, method, failed):
    status, out, _ = run(network, method, "--check")
    told = {line[6:].split(":")[0] for line in out if line.startswith("fail")}
    assert (status, told) == (2 if failed else 0, failed)
    assert any("what tried_networks:" in line and "cut off" in line for line in out), out
    assert not (tmp_path / "out").exists()


OWN, FINE = "tried_networks", "tried_networks:brightness"


@pytest.mark.parametrize(
    ("network", "method", "line"),
    [
        ("dropout", FINE, "fail  same answer again: random: differs by up to"),
        ("counting", FINE, "fail  same answer again: differs by up to 1"),
        ("nan", FINE, "fail  answer: 3 of 3 numbers are NaN"),
        ("leaving", FINE, "fail  answer: SystemExit: 3"),
        ("sound", f"{OWN}:empty", f"fail  map of {OWN}:empty: zero everywhere"),
        ("sound", f"{OWN}:nan_map", "its map can't be shown: 576 of 576 numbers are NaN"),
        ("sound", f"{OWN}:complex_map", "returns complex numbers; return real ones"),
    ],
)
def test_a_fault_is_told_for_what_it_is(run, network, method, line):
    status, out, err = run(network, method, "--check")
    assert status == 2
    assert any(line in one for one in out if one.startswith("fail")), out
    assert len(err) == 1


@pytest.mark.parametrize(
    ("network", "method", "options", "line"),
    [
        ("complex_numbers", FINE, ["--check"], "gives numbers of the type complex64"),
        ("gone", FINE, ["--check"], "the function fails (SystemExit: 3)"),
        ("sound", FINE, ["--check", "--target", "9"], "--target 9: "),
        ("sound", FINE, ["--labels", "none.csv"], "none.csv: can't be read"),
        ("sound", "gradcam", ["--set", "layer=zero"], "--set layer=zero: "),
        ("sound", "captum:GuidedGradCam", ["--set", "layer=9"], "--set layer=9: "),
    ],
)
def test_a_mistake_is_one_line_before_any_progress(run, network, method, options, line):
    status, out, err = run(network, method, *options)
    assert (status, out, len(err)) == (2, [], 1)
    assert line in err[0]


@pytest.mark.parametrize(
    ("network", "method", "line"),
    [
        ("nan", FINE, "the answer of tried_networks:nan can't be explained: 3 of 3 numbers are"),
        ("failing", FINE, "fails while it answers (KeyError: 'no key')"),
        ("blind", "integrated_gradients", "fails while integrated_gradients explains it"),
        ("sound", f"{OWN}:empty", "each of its 1 maps is zero everywhere"),
        ("sound", f"{OWN}:leaving_map", "the function fails (SystemExit: that's all)"),
    ],
)
def test_explain_ends_with_one_line(run, tmp_path, network, method, line):
    status, _, err = run(network, method)
    assert status == 2
    assert line in err[-1]
    assert not list((tmp_path / "out").rglob("*.*"))


def test_a_scheduler_is_asked_for_even_if_all_maps_are_there(run, monkeypatch):
    monkeypatch.setattr("stimuli.workers.CONNECT_S", 0.5)
    assert run("sound", FINE)[0] == 0
    status, _, err = run("sound", FINE, "--scheduler", "tcp://127.0.0.1:9")
    assert (status, len(err)) == (2, 1)
    assert "--scheduler tcp://127.0.0.1:9: can't be reached" in err[0]
    assert run("sound", FINE, "--check", "--scheduler", "tcp://127.0.0.1:9")[0] == 2
