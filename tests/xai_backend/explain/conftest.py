"""Photographs to explain, and a small network's weights."""

import numpy as np
import pytest
import torch
from PIL import Image
from torchvision import models


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A network's weights and a folder of photographs, one of them broken."""
    here = tmp_path_factory.mktemp("explain")
    torch.manual_seed(8)
    torch.save(models.squeezenet1_1(num_classes=6).state_dict(), here / "net.pt")
    generator = np.random.default_rng(3)
    (here / "photos").mkdir()
    for name, size in (("b.photo.jpg", (300, 260)), ("a.png", (256, 256)), ("c.webp", (90, 70))):
        coarse = generator.integers(0, 256, (8, 8, 3), dtype=np.uint8)
        Image.fromarray(coarse).resize(size).save(here / "photos" / name)
    (here / "photos" / "broken.jpg").write_bytes(b"no picture")
    (here / "photos" / "notes.txt").write_text("none", encoding="utf-8")
    return here
