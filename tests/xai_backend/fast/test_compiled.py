"""Occlusion of a network that goes through torch.compile."""

import functools
import json
import os
import shutil

import numpy as np
import pytest
import safetensors
import torch
from PIL import Image
from safetensors.numpy import load_file
from torch import nn
from torchvision import models

from stimuli.errors import UserError
from tests.xai_backend.given import Told
from tests.xai_backend.requests import explain_request
from xai_backend import cli
from xai_backend.explain.job import explain
from xai_backend.methods import Execution
from xai_backend.methods.occlusion import Occlusion
from xai_backend.models.image_model import ImageModel
from xai_backend.progress import Silent

TARGETS = torch.tensor([3, 0, 4])
GENUINE = torch.compile


class Compiler:
    """Stands in for torch.compile: keeps what it was asked for, and the sizes of batches."""

    def __init__(self):
        self.networks, self.shapes = [], []

    def __call__(self, network, **options):
        assert options["dynamic"] is False
        self.networks.append(network)

        def forward(x):
            self.shapes.append(tuple(x.shape))
            return network(x)

        return forward


class Unread(nn.Module):
    """A network whose way through hangs on values."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x) if x.sum() < 1e9 else self.inner(-x)


def cpp_compiler():
    return os.environ.get("CXX") or shutil.which("cl" if os.name == "nt" else "g++")


@pytest.fixture
def compiler(monkeypatch):
    found = Compiler()
    monkeypatch.setattr(torch, "compile", found)
    return found


def with_backend(monkeypatch, backend):
    """torch.compile itself, but for what turns graphs into machine code."""
    monkeypatch.setattr(torch, "compile", functools.partial(GENUINE, backend=backend))


@pytest.fixture
def cold(monkeypatch, tmp_path):
    """Nothing that an earlier run compiled is found."""
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "inductor"))
    torch.compiler.reset()


def agree(one, other):
    return float((one - other).abs().max()) <= 1e-4 * float(other.abs().max())


@pytest.mark.parametrize("at_once", [7, 13, 40])
def test_every_batch_has_one_size_and_the_map_is_the_plain_one(
    compiler, small_model, photos, at_once
):
    """26 inputs an image: the clean one and 25 windows; batches end within, at and after them."""
    method = Occlusion(8, 4)
    plain = method.explain(small_model, photos, TARGETS)
    found = method.explain(small_model, photos, TARGETS, Execution(at_once, compiled=True))
    assert set(compiler.shapes) == {(at_once, 3, 24, 24)}
    assert len(compiler.shapes) == 3 * -(-26 // at_once)
    assert agree(found, plain)


def test_a_network_that_cannot_be_read_is_compiled_too(compiler, small_model, photos):
    model = ImageModel(small_model.normalise, Unread(small_model.network)).eval()
    plain = Occlusion(8, 4).explain(model, photos, TARGETS)
    assert not compiler.networks
    found = Occlusion(8, 4).explain(model, photos, TARGETS, Execution(7, compiled=True))
    assert compiler.networks == [model.network]
    assert agree(found, plain)


def test_a_network_is_compiled_once_and_again_when_its_weights_change(
    compiler, small_model, photos
):
    how = Execution(compiled=True)
    first = Occlusion(8, 4).explain(small_model, photos, TARGETS, how)
    assert torch.equal(Occlusion(8, 4).explain(small_model, photos, TARGETS, how), first)
    assert len(compiler.networks) == 1
    with torch.no_grad():
        small_model.network[-1].weight.mul_(2)
    doubled = Occlusion(8, 4).explain(small_model, photos, TARGETS, how)
    assert len(compiler.networks) == 2
    assert agree(doubled, 2 * first)


def test_bfloat16_is_refused_as_it_would_reach_the_last_layer(small_model, photos):
    with pytest.raises(ValueError, match="only in float32, not bfloat16"):
        Occlusion(8, 4, "bfloat16").explain(small_model, photos, TARGETS, Execution(compiled=True))


def test_what_torch_traces_gives_the_plain_map(monkeypatch, small_model, photos):
    """Graphs of torch.compile's own, run as they are; a way that hangs on values breaks them."""
    graphs = []

    def as_it_is(graph, inputs):
        graphs.append([tuple(x.shape) for x in inputs if x.dim() == 4 and x.shape[1] == 3])
        return graph.forward

    with_backend(monkeypatch, as_it_is)
    model = ImageModel(small_model.normalise, Unread(small_model.network)).eval()
    plain = Occlusion(8, 4).explain(model, photos, TARGETS)
    found = Occlusion(8, 4).explain(model, photos, TARGETS, Execution(7, compiled=True))
    assert agree(found, plain)
    assert 1 <= len(graphs) <= 3, "traced anew for other batches"
    assert (7, 3, 24, 24) in graphs[0]


def test_a_compiler_that_fails_is_one_line(monkeypatch, small_model, photos):
    def broken(graph, inputs):
        raise RuntimeError("No working C++ compiler found\nin many lines")

    with_backend(monkeypatch, broken)
    with pytest.raises(
        UserError, match=r"Error: No working C\+\+ compiler found\).*--compile"
    ) as line:
        Occlusion(8, 4).explain(small_model, photos, TARGETS, Execution(compiled=True))
    assert "\n" not in str(line.value)


@pytest.fixture
def here(tmp_path_factory):
    """A network's weights and two photographs, which no earlier test has loaded."""
    here = tmp_path_factory.mktemp("compiled")
    torch.manual_seed(8)
    torch.save(models.squeezenet1_1(num_classes=6).state_dict(), here / "net.pt")
    (here / "photos").mkdir()
    generator = np.random.default_rng(3)
    for name in ("a.png", "b.png"):
        coarse = generator.integers(0, 256, (8, 8, 3), dtype=np.uint8)
        Image.fromarray(coarse).resize((256, 256)).save(here / "photos" / name)
    return here


def asked(here, out, **changes):
    values = {
        "model": "squeezenet1_1",
        "method": "occlusion",
        "images": here / "photos",
        "out": out,
        "weights": str(here / "net.pt"),
        "settings": ("patch_px=112", "stride_px=112"),
        "batch": 5,
        "store": out / "store",
    }
    return explain_request(**{**values, **changes})


def compiled_maps(folder):
    with safetensors.safe_open(folder / "maps.safetensors", "numpy") as file:
        return json.loads(file.metadata()["explanations"])["compiled"]


def test_what_was_compiled_is_recorded_with_the_maps_and_no_part_of_their_keys(
    compiler, here, tmp_path
):
    explain(asked(here, tmp_path / "plain"), Silent())
    assert compiled_maps(tmp_path / "plain") == []
    told = Told()
    explain(asked(here, tmp_path / "fast", compiled=True), told)
    said = [line for line in told.lines if " sees of photographs: " not in line]
    assert said == ["--compile gives up a short cut for squeezenet1_1 that is faster on CPUs"]
    assert compiled_maps(tmp_path / "fast") == ["a", "b"]
    assert set(compiler.shapes) == {(5, 3, 224, 224)}
    plain, fast = (load_file(tmp_path / name / "maps.safetensors") for name in ("plain", "fast"))
    assert all(agree(torch.tensor(fast[name]), torch.tensor(plain[name])) for name in plain)
    runs = len(compiler.shapes)
    again = asked(here, tmp_path / "again", store=tmp_path / "fast" / "store")
    explain(again, Silent())
    assert len(compiler.shapes) == runs
    assert compiled_maps(tmp_path / "again") == ["a", "b"]


def command(here, out):
    return (
        f"explain --model squeezenet1_1 --weights {here / 'net.pt'} --images {here / 'photos'} "
        "--method occlusion --set patch_px=112 --set stride_px=112 --batch 5 --compile "
        f"--out {out} --store {out / 'store'} --workers 1"
    ).split()


@pytest.mark.slow
@pytest.mark.skipif(cpp_compiler() is None, reason="no C++ compiler")
@pytest.mark.parametrize("readable", [True, False])
def test_machine_code_gives_the_plain_map(cold, small_model, photos, readable):
    network = small_model.network if readable else Unread(small_model.network)
    model = ImageModel(small_model.normalise, network).eval()
    plain = Occlusion(8, 4).explain(model, photos, TARGETS)
    found = Occlusion(8, 4).explain(model, photos, TARGETS, Execution(7, compiled=True))
    assert agree(found, plain)
    assert torch.equal(
        Occlusion(8, 4).explain(model, photos[1:2], TARGETS[1:2], Execution(7, compiled=True))[0],
        found[1],
    )


@pytest.mark.slow
def test_without_a_real_compiler_the_command_ends_with_one_line(
    cold, monkeypatch, here, tmp_path, capsys
):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    assert cpp_compiler() is None
    assert cli.main(command(here, tmp_path / "out")) == 2
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert "C++ compiler" in last
    assert "go without --compile" in last
