"""The tutorial's way without a connection, with every way to the network closed."""

import os
import re
import subprocess
import sys
from pathlib import Path
from string import digits

import pytest

from stimuli.pack import open_pack
from stimuli.studies.progressive_reveal.tables import KEY
from tests.pictures.tutorial import PAGE, read_tutorial

ROOT = Path(__file__).parents[2]
CLOSED = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://[::1]:9")

pytestmark = pytest.mark.slow


def test_a_pack_is_built_and_simulated_as_the_page_says(tmp_path):
    text = PAGE.read_text(encoding="utf-8")
    (section,) = re.findall(r"^### Without a connection$(.*?)(?=^## )", text, re.DOTALL | re.M)
    (build,) = re.findall(r"^python3 lab\.py (.*)$", section, re.M)
    lines = read_tutorial().protocol.splitlines()
    kept = [line for line in lines if line != "[system]" and not line.startswith("network =")]
    assert len(kept) == len(lines) - 2
    (tmp_path / "fruit.toml").write_text("\n".join(kept), encoding="utf-8")
    surroundings = os.environ | CLOSED | {"PLAINSIGHT_LAB": str(tmp_path / "lab")}
    for words in (
        build,
        "simulate progressive_reveal --pack packs/fruit --out data --mix viewer:2",
    ):
        done = subprocess.run(
            [sys.executable, ROOT / "lab.py", *words.split()],
            cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
    key = open_pack(tmp_path / "packs" / "fruit").table(KEY)
    assert {row["class"] for row in key} <= set(digits)
