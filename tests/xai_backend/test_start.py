"""What a start must not import: seconds before the first map, for nothing."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from PIL import Image

from xai_backend.models.torchvision_models import untrained

HEAVY = (
    "torch._dynamo", "torch._inductor", "torchvision.transforms.v2", "sympy", "scipy", "pandas",
    "sklearn", "matplotlib", "captum", "zennit", "dask", "distributed",
)  # fmt: skip
"""torch's compiler and its algebra, libraries for other methods, for training and for clusters."""

EXPLAIN = f"""
import sys
from xai_backend.cli import main
assert main(sys.argv[1:]) == 0
print([name for name in {HEAVY} if name in sys.modules])
"""

COMPILER = """
import xai_backend.torchvision_fix
from torchvision.ops import roi_align
import torch._dynamo.utils
assert roi_align.__globals__["is_compile_supported"]("cpu") is True
assert torch._dynamo.config.cache_size_limit > 0
"""


def run(code, *arguments):
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)


def test_a_map_comes_without_what_it_has_no_use_for(tmp_path):
    torch.save(untrained("resnet18", num_classes=2).state_dict(), tmp_path / "net.pt")
    (tmp_path / "photos").mkdir()
    codes = np.random.default_rng(0).integers(0, 256, (60, 80, 3), dtype=np.uint8)
    Image.fromarray(codes).save(tmp_path / "photos" / "one.png")
    folders = {"--images": "photos", "--out": "out", "--store": "store", "--weights": "net.pt"}
    places = [text for name, place in folders.items() for text in (name, str(tmp_path / place))]
    done = run(EXPLAIN, "explain", "--model", "resnet18", "--method", "lrp", *places)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


@pytest.mark.slow
def test_torch_s_compiler_is_itself_in_a_new_process():
    done = run(COMPILER)
    assert done.returncode == 0, done.stderr
