"""What is said of a method on a network before anybody sees its maps."""

import numpy as np
import pytest
import torch
from PIL import Image

from tests.xai_backend.given import Told
from tests.xai_backend.requests import explain_request
from xai_backend.explain.job import explain
from xai_backend.methods import METHODS
from xai_backend.methods.registry import caution
from xai_backend.models.torchvision_models import untrained


def test_lrp_on_mobilenet_is_cautioned_about_each_time(tmp_path):
    """Also where its maps are only read again: who looks at them may be another person."""
    torch.manual_seed(0)
    torch.save(untrained("mobilenet_v2", num_classes=3).state_dict(), tmp_path / "net.pt")
    (tmp_path / "net.toml").write_text("side_px = 32")
    (tmp_path / "photos").mkdir()
    codes = np.random.default_rng(1).integers(0, 256, (40, 40, 3), dtype=np.uint8)
    Image.fromarray(codes).save(tmp_path / "photos" / "a.png")
    asked = explain_request(
        "lrp",
        model="mobilenet_v2",
        images=tmp_path / "photos",
        out=tmp_path / "out",
        weights=str(tmp_path / "net.pt"),
        store=tmp_path / "store",
    )
    for _ in range(2):
        told = Told()
        explain(asked, told)
        lines = [line for line in told.lines if " sees of photographs: " not in line]
        assert [line for line in lines if "on MobileNetV2, lrp" in line] == lines
        assert len(lines) == 1


@pytest.mark.parametrize("network", ["mobilenet_v2", "timm:mobilenetv2_100"])
def test_cautions_are_for_lrp_alone(network):
    assert [name for name in METHODS if caution(name, network)] == ["lrp"]
    line = caution("lrp", network)
    assert line
    assert "\n" not in line
    assert caution("lrp", "resnet18") is None
