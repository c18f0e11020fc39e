"""The official validator of BIDS, run without a network."""

import json
import os
import subprocess
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

UNAVOIDABLE = {"HEDVersion", "CogAtlasID", "CogPOID"}
"""Recommended keys that we have no honest value for: no HED tags, no terms of these atlases."""


def issues_of(dataset: Path) -> Counter:
    """Return how often the validator says what: severity, code and key.

    Where this platform has no binary of it, the test is skipped.
    """
    deno = pytest.importorskip("deno", reason="the validator of BIDS isn't installed")
    script = Path(find_spec("bids_validator_deno").origin).with_name("bids-validator.js")
    command = [os.fsdecode(deno.find_deno_bin()), "--allow-read", "--allow-env", str(script)]
    try:
        done = subprocess.run(
            [*command, str(dataset), "--format", "json", "--max-rows", "-1"],
            capture_output=True,
            text=True,
        )
    except OSError as error:
        pytest.skip(f"the validator of BIDS doesn't run on this platform: {error}")
    found = json.loads(done.stdout)["issues"]["issues"]
    return Counter((one["severity"], one["code"], one.get("subCode", "")) for one in found)


def avoidable(issues: Counter) -> list:
    """Return errors, and warnings that an export can do something about."""
    return [one for one in issues if one[0] == "error" or one[2] not in UNAVOIDABLE]
