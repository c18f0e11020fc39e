"""On what something was computed: kept beside results, never part of what they are."""

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

PACKAGES = ("torch", "captum", "zennit", "numpy", "numba", "safetensors")


def provenance(device: str) -> dict[str, Any]:
    """Return versions and machine as plain JSON values."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "device": device,
        "packages": {name: _version(name) for name in PACKAGES},
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
