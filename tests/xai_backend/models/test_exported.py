"""Exported programs: torchvision's families are read, and nothing that stands in a file is run."""

import io
import json
import pickle
import re
import zipfile
from functools import partial
from pathlib import Path

import pytest
import sympy
import torch
from torch import nn
from torch.utils._sympy import functions

from stimuli.errors import UserError
from xai_backend.methods.gradcam import GradCam
from xai_backend.models import torchvision_models
from xai_backend.models.classifier import ModelSettings, assembled
from xai_backend.models.image_model import ImageModel
from xai_backend.models.program_file import read_size
from xai_backend.networks import load_network

from torchvision.models import SwinTransformer, VisionTransformer  # isort: skip - after the fix
from torchvision.models.swin_transformer import (  # isort: skip
    PatchMergingV2,
    SwinTransformerBlockV2,
)

CLASSES, SIDE_PX = 5, 32
SWIN = partial(SwinTransformer, [4, 4], 8, [1, 1], [2, 4], [4, 4], num_classes=CLASSES)
MENDED = {
    "vit": lambda: VisionTransformer(SIDE_PX, 8, 1, 2, 16, 32, num_classes=CLASSES),
    "swin": SWIN,
    "swin_v2": lambda: SWIN(block=SwinTransformerBlockV2, downsample_layer=PatchMergingV2),
}
"""Small networks whose programs compute with the number of pictures."""


def exported(network, path, side_px):
    """Save a network as docs/models.md says."""
    pictures = torch.export.Dim("pictures", min=1, max=256)
    example = torch.zeros(2, 3, side_px, side_px)
    program = torch.export.export(network.eval(), (example,), dynamic_shapes=({0: pictures},))
    torch.export.save(program, path)
    path.with_suffix(".toml").write_text(f"side_px = {side_px}\n")


def check_same_answers(network, path, side_px):
    """A number of pictures that the export didn't see tells whether sizes were read rightly."""
    pictures = torch.rand(3, 3, side_px, side_px, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        wanted = network(pictures)
        found = load_network(str(path)).model.network(pictures)
    assert (found - wanted).abs().max() <= 1e-5 * wanted.abs().max()


@pytest.mark.parametrize(
    "family", ["swin_v2", *(pytest.param(name, marks=pytest.mark.slow) for name in ("vit", "swin"))]
)
def test_a_program_that_computes_with_the_number_of_pictures_is_read(family, tmp_path):
    network = MENDED[family]()
    exported(network, tmp_path / "net.pt2", SIDE_PX)
    check_same_answers(network, tmp_path / "net.pt2", SIDE_PX)


@pytest.mark.slow
@pytest.mark.parametrize("name", torchvision_models.names())
def test_every_classifier_of_torchvisions_is_read(name, tmp_path):
    """With random weights; Inception needs larger pictures."""
    side_px = 299 if name == "inception_v3" else 224
    network = torchvision_models.untrained(name)
    exported(network, tmp_path / "net.pt2", side_px)
    check_same_answers(network, tmp_path / "net.pt2", side_px)
    # All of them are some 20 GB.
    (tmp_path / "net.pt2").unlink()


S, U = sympy.Symbol("s77", positive=True, integer=True), sympy.Symbol("u0", integer=True)


@pytest.mark.parametrize(
    "size",
    [
        49 * S,
        sympy.Min(768, 768 * S),
        functions.FloorDiv(S + 3, 4) - functions.Mod(S, 7),
        functions.CeilDiv(U, 2) ** 2,
        sympy.And(S > 3, sympy.Ne(U, -1)),
        sympy.Rational(1, 3) * S,
    ],
)
def test_a_size_is_read_as_the_expression_that_was_written(size):
    assert read_size(sympy.srepr(size)) == size


DEEP = "Not(" * 5000 + "true" + ")" * 5000


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('touch here')",
        "Symbol('__import__')",
        "Symbol('s0', a=__import__('os'))",
        "Symbol('s0', cls=True)",
        "Integer(Symbol)",
        "(lambda: 1)()",
        "Add(Integer(1), Integer(2)) + 1",
        "Integer(1) Integer(2)",
        "Integer(1",
        "Mul()) ",
        "s0.__class__",
        "sympify('1')",
        "Pow(Integer(9), Integer(99))",
        "Pow(Integer(9), Pow(Integer(9), Integer(9)))",
        "LShift(Integer(1), Integer(999999999))",
        "9" * 30,
        DEEP,
        "",
    ],
)
def test_what_is_no_arithmetic_or_too_large_is_refused(text):
    with pytest.raises(ValueError, match="isn't arithmetic"):
        read_size(text)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A program without anything bad in it."""
    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("plain") / "net.pt2"
    layers = [nn.Conv2d(3, 4, 8, 8), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 4 * 4, CLASSES)]
    exported(nn.Sequential(*layers), path, SIDE_PX)
    return path


class Evil:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, left):
        self.left = left

    def __reduce__(self):
        return Path.touch, (self.left,)


def pickled(left):
    stream = io.BytesIO()
    torch.save({"x": Evil(left)}, stream)
    return stream.getvalue()


def of_weights(left):
    def change(name, content):
        if name.endswith("weights_config.json"):
            told = json.loads(content)
            next(iter(told["config"].values()))["use_pickle"] = True
            return json.dumps(told)
        return pickle.dumps(Evil(left)) if name.endswith("/weight_0") else content

    return change


def of_constants(left):
    def change(name, content):
        if name.endswith("constants_config.json"):
            return json.dumps({"config": {"x": {"path_name": "opaque_obj_0", "use_pickle": False}}})
        return content

    return change


def of_old_weights(left):
    """Weights in the form of earlier versions of torch, which its reader prefers and unpickles."""
    return lambda name, content: pickled(left) if name == OLD else content


def of_the_program(before, after):
    def harm(left):
        there = str(left).encode()

        def change(name, content):
            if not name.endswith("models/model.json"):
                return content
            changed, times = re.subn(before, lambda _: after.replace(b"LEFT", there), content)
            assert times
            return changed

        return change

    return harm


OLD = "bad/data/weights/model.pt"
RUN = b"__import__('pathlib').Path('LEFT').touch()"


def changed(source, target, change):
    """Write an exported program with some of its files changed, and perhaps one more."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            inner = name.replace("net/", "bad/", 1)
            new.writestr(inner, change(inner, old.read(name)))
        if more := change(OLD, b""):
            new.writestr(OLD, more)


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (of_weights, "pickled objects"),
        (of_old_weights, "pickled objects"),
        (of_constants, "pickled objects"),
        (of_the_program(rb"torch.ops.aten.relu.default", b"torch.serialization.os.system"), "call"),
        (of_the_program(rb"torch.ops.aten.relu.default", b"torch.ops.aten.from_file"), "call"),
        (of_the_program(rb"torch.ops.aten.relu.default", b"#space:op"), "call"),
        (of_the_program(rb"Symbol\('s\d+', positive=True", b"Add(a=" + RUN), "expression"),
        (of_the_program(rb"Symbol\('s\d+'[^)]*\)", RUN), "expression"),
        (of_the_program(rb'"relu"', b'"relu = ' + RUN + b'"'), "name"),
        (of_the_program(rb'"3\.weight"', b'"3\\", ' + RUN + b', \\""'), "name"),
        (of_the_program(rb"builtins.tuple", b"collections.defaultdict"), "argument of the type"),
    ],
)
def test_a_program_with_code_in_it_is_refused_and_never_run(plain, tmp_path, harm, said):
    left = tmp_path / "left"
    changed(plain, tmp_path / "bad.pt2", harm(left))
    with pytest.raises(UserError, match=f"contains .*{said}") as refused:
        load_network(str(tmp_path / "bad.pt2"))
    assert "\n" not in str(refused.value)
    assert not left.exists()


def of_inputs(left):
    return lambda name, content: pickled(left) if "sample_inputs" in name else content


@pytest.mark.parametrize(
    "harm",
    [
        of_inputs,
        of_the_program(rb'"guards_code": ?\[[^]]*\]', b'"guards_code": ["' + RUN + b'"]'),
    ],
)
def test_what_a_network_doesnt_need_is_left_unread(plain, tmp_path, harm):
    left = tmp_path / "left"
    changed(plain, tmp_path / "bad.pt2", harm(left))
    (tmp_path / "bad.toml").write_text(f"side_px = {SIDE_PX}\n")
    load_network(str(tmp_path / "bad.pt2"))
    assert not left.exists()


class Branched(nn.Module):
    """Two convolutions, and a third that weights channels, as in squeeze and excitation."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 8, 3, 2, 1), nn.Conv2d(8, 16, 3, 2, 1)
        self.squeezed, self.last = nn.Conv2d(16, 16, 1), nn.Linear(16, CLASSES)
        self.features = nn.Identity()

    def forward(self, images):
        maps = torch.relu(self.second(torch.relu(self.first(images))))
        maps = self.features(maps * self.squeezed(maps.mean((2, 3), keepdim=True)).sigmoid())
        return self.last(maps.mean((2, 3)))


def test_gradcam_takes_the_last_feature_maps_of_a_programs_graph(tmp_path):
    network = Branched()
    exported(network, tmp_path / "net.pt2", SIDE_PX)
    found = load_network(str(tmp_path / "net.pt2")).model
    images = torch.rand(3, 3, SIDE_PX, SIDE_PX)
    targets = torch.tensor([0, 1, 2])
    there = ImageModel(found.normalise, network.eval(), "features")
    wanted = GradCam().explain(there, images, targets)
    assert wanted.abs().max() > 0
    torch.testing.assert_close(GradCam().explain(found, images, targets), wanted)


def test_gradcam_says_that_a_program_of_patches_has_no_feature_maps(tmp_path):
    network = nn.Sequential(nn.Conv2d(3, 8, 8, 8), nn.Flatten(), nn.Linear(128, CLASSES))
    exported(network, tmp_path / "net.pt2", SIDE_PX)
    found = load_network(str(tmp_path / "net.pt2")).model
    with pytest.raises(UserError, match="the exported program has fewer than two convolutions"):
        GradCam().explain(found, torch.rand(1, 3, SIDE_PX, SIDE_PX), torch.tensor([0]))


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
def test_half_precision_is_refused_with_the_remedy(kind):
    network = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.LazyLinear(2))
    network(torch.zeros(1, 3, SIDE_PX, SIDE_PX))
    settings = ModelSettings(side_px=SIDE_PX)
    with pytest.raises(UserError, match=r"its weights are b?float16, .*: network\.float\(\)"):
        assembled("mine", network.to(kind), settings, "", torch.device("cpu"))
