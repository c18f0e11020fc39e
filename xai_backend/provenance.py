"""On what something was computed: kept beside results, never part of what they are."""

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from stimuli.versions import suite_version

PACKAGES = (
    "torch", "torchvision", "captum", "zennit", "numpy", "numba", "safetensors", "pillow",
)  # fmt: skip


def provenance(device: str) -> dict[str, Any]:
    """Return versions and machine as plain JSON values."""
    return {
        "plainsight": suite_version(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "device": device,
        "graphics": _graphics(device),
        "packages": {name: _version(name) for name in PACKAGES},
    }


def _graphics(device: str) -> str | None:
    if not device.startswith("cuda"):
        return None
    import torch

    return torch.cuda.get_device_name(device)


@cache
def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
