"""The recipes of docs/models.md, as typed in the environment's Python."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from xai_backend.networks import load_network

ROOT = Path(__file__).parents[3]


def typed(text, folder):
    """Run lines in a new Python that finds the checkout, as one does that starts in it."""
    return subprocess.run(
        [sys.executable, "-"], input=text, cwd=folder, text=True, capture_output=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


@pytest.mark.slow
def test_a_network_is_exported_as_the_page_says(tmp_path):
    page = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"```python\n(import xai_backend.*?)```", page, re.DOTALL)
    done = typed(recipe.replace("224", "32"), tmp_path)
    assert done.returncode == 0, done.stderr
    (tmp_path / "net.toml").write_text("side_px = 32\n")
    model = load_network(str(tmp_path / "net.pt2")).model
    assert model(torch.rand(2, 3, 32, 32)).shape == (2, 1000)


def test_a_module_of_ones_own_may_import_torchvision(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import torchvision\n\ndef answers(texts):\n    return texts\n"
    )
    script = (
        "from xai_backend.own_code import own_function\nown_function('mine:answers', '--model')"
    )
    done = typed(script, tmp_path)
    assert done.returncode == 0, done.stderr
