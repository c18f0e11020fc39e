"""The smallest protocol of human_ai_team, and packs of embedded digits that are built by it."""

import io
import sys
from dataclasses import replace

import numpy as np
from PIL import Image

from xai_backend import cli
from xai_backend.studies.human_ai_team import attacks
from xai_backend.studies.human_ai_team import source as sources

TINY = """\
schema = "protocol/1.0"
study = "human_ai_team"
name = "tiny"
[bins]
low_below = 0.35
mid_from = 0.35
mid_below = 0.6
high_from = 0.6
per_bin = 1
adversarial_per_level = 1
sheets = 2
trials_per_sheet = 5
[prior]
samples = 1
sample_from = 0.5
[validation]
trials = 4
right_trials = 2
pass_right = 4
[attack]
epsilon_255 = 20.0
[help]
arms = ["confidence", "gradcam", "salient_object", "nearest_neighbours"]
[analysis]
reference_arm = "confidence"
"""

DIGITS, JUDGED = 60, 400

SMALLER = {
    (sources, "ERRING"): replace(sources.ERRING, epochs=30),
    (sources, "FEW"): DIGITS,
    (sources, "MOST_JUDGED"): JUDGED,
    (attacks, "CHUNK"): 16,
}
"""What is smaller here than in a build for people."""


def options_of(lab):
    """The options of the build from nothing in a lab."""
    return ["--protocol", lab / "tiny.toml", "--out", lab / "pack", "--workers", 1, "--json"]


def built_here(monkeypatch, lab, *options):
    """Run the builder in this process."""
    monkeypatch.setenv("PLAINSIGHT_LAB", str(lab))
    for (module, name), value in SMALLER.items():
        monkeypatch.setattr(module, name, value)
    said, wrong = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", said)
    monkeypatch.setattr(sys, "stderr", wrong)
    status = cli.main(["build", "human_ai_team", *map(str, options)])
    return status, said.getvalue(), wrong.getvalue()


def pixels(pack, path):
    """Return the codes of an image of a pack."""
    return np.asarray(Image.open(io.BytesIO(pack.asset(path))))
