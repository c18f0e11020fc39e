"""The smallest protocol of accept_reject that packs are built by, and its builds."""

import io
import json
import sys

from xai_backend import cli
from xai_backend.studies.accept_reject import network

TINY = """
schema = "protocol/1.0"
study = "accept_reject"
name = "tiny"
[plates]
source = "uci"
axes = ["deutan"]
ladder_deutan = [0.04, 0.09]
dot_radius_min = 0.04
dot_radius_max = 0.08
density = 0.5
min_stroke_dots = 1.0
[system]
input_px = 32
training_plates = 960
patch_px = 8
stride_px = 8
[experts]
no_numeral_share = 0.05
high_contrast_share = 0.05
[solutions]
trials_per_run = 10
practice_trials = 2
lists = 2
[solutions.shares]
S = 0.3
E = 0.4
wrong_digit = 0.1
right_digit = 0.1
no_numeral = 0.1
high_contrast = 0.0
no_solution = 0.0
"""

EVALUATION_PLATES = 100


def fewer_plates_in(patch):
    """Let S be evaluated on fewer plates."""
    patch.setattr(network, "EVALUATION_PLATES", EVALUATION_PLATES)


def build_printed(patch, options):
    """Build in this process, and return what the command printed."""
    stream = io.StringIO()
    patch.setattr(sys, "stdout", stream)
    assert cli.main(["build", "accept_reject", *map(str, options)]) == 0
    return json.loads(stream.getvalue())


def run_build(*options):
    """Build in this process, and return the exit status."""
    return cli.main(["build", *map(str, options)])
