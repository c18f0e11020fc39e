"""A network and a method are tried on one photograph: what is wrong with them is told."""

import sys

import numpy as np
import pytest
from PIL import Image

from xai_backend.cli import main

CODE = """\
import torch
from torch import nn


class OfBatch(nn.Module):
    def forward(self, images):
        return images.mean(dim=(2, 3)) - images.mean()


class Blind(nn.Module):
    def forward(self, images):
        return images.detach().mean(dim=(2, 3))


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

    def check(network, method):
        words = ["explain", "--model", f"tried_networks:{network}", "--method", method]
        status = main([*words, "--images", "photos", "--out", "out", "--check"])
        said = capsys.readouterr()
        assert not (tmp_path / "out").exists()
        lines = said.out.splitlines()
        return status, {line[6:].split(":")[0] for line in lines if line.startswith("fail")}

    return check


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
def test_what_is_wrong_is_told_and_nothing_is_written(run, network, method, failed):
    status, told = run(network, method)
    assert (status, told) == (2 if failed else 0, failed)
