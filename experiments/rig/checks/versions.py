"""Python and the packages that timing rests on."""

import importlib.metadata
import platform
import re
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement

from experiments.rig.checks.finding import Check, Finding

PYTHONS: Final = ((3, 11), (3, 12))
WATCHED: Final = ("psychopy", "psychtoolbox", "pyglet", "numpy")
CONSTRAINTS: Final = Path(__file__).parents[3] / "constraints.txt"
CUDA: Final = re.compile(r"^cuda\b[^=]*=\s*(?P<cuda>.+)$", re.MULTILINE)
NVIDIA_DRIVER: Final = Path("/proc/driver/nvidia/version")

PYTHON = Check(
    "python",
    "the Python that runs the suite",
    fails="it is not 3.11 or 3.12",
    every_session=True,
)
PACKAGES = Check(
    "packages",
    f"{', '.join(WATCHED)} as `constraints.txt` has them",
    warns="one has another version",
    fails="one is missing",
    every_session=True,
)
TORCH = Check(
    "torch",
    "torch, where it is installed, can use the graphics card",
    warns="there is an NVIDIA card, but torch is built for processors only",
)


def python_version(running: tuple[int, ...] = sys.version_info[:2]) -> Finding:
    """Check that the suite supports a Python version (major, minor)."""
    if tuple(running) in PYTHONS:
        return PYTHON.passed("version", version=platform.python_version())
    return PYTHON.failed("version", version=".".join(str(part) for part in running))


def packages(
    pins: Mapping[str, str] | None = None,
    installed: Callable[[str], str | None] | None = None,
) -> Finding:
    """Check that the packages on which timing depends have the tested versions.

    Parameters
    ----------
    pins
        Versions by package; those in ``constraints.txt`` by default.
    installed
        Returns the version of an installed package; None if it isn't installed.
    """
    pins = pinned(CONSTRAINTS.read_text(encoding="utf-8"), WATCHED) if pins is None else pins
    here = {name: (installed or installed_version)(name) for name in pins}
    if missing := [name for name, version in here.items() if version is None]:
        return PACKAGES.failed("missing", packages=", ".join(missing))
    odd = [
        ("odd", {"package": name, "version": here[name], "pinned": version})
        for name, version in pins.items()
        if here[name] != version
    ]
    if odd:
        return PACKAGES.warned("packages", packages=odd)
    tested = ", ".join(f"{name} {version}" for name, version in pins.items())
    return PACKAGES.passed("packages", packages=tested)


def pinned(constraints: str, names: tuple[str, ...]) -> dict[str, str]:
    """Return the versions of some packages on this system, from the text of a constraints file."""
    lines = [line.partition("#")[0].strip() for line in constraints.splitlines()]
    wanted = [Requirement(line) for line in lines if line]
    return {
        pin.name: next(iter(pin.specifier)).version
        for pin in wanted
        if pin.name in names and (pin.marker is None or pin.marker.evaluate())
    }


def installed_version(name: str) -> str | None:
    """Return the version of an installed package; None if it isn't installed."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def torch_build(cuda: str | None, card: bool) -> Finding:
    """Check that torch's build fits the graphics card.

    Parameters
    ----------
    cuda
        The CUDA version that torch was built for; None for a CPU build.
    card
        Whether there is an NVIDIA card.
    """
    if cuda is not None:
        return TORCH.passed("cuda", version=cuda)
    return TORCH.warned("unused") if card else TORCH.passed("no_card")


def torch_here() -> Finding | None:
    """Check the installed torch without importing it; None if it isn't installed."""
    try:
        file = importlib.metadata.distribution("torch").locate_file("torch/version.py")
        written = Path(str(file)).read_text(encoding="utf-8")
    except (importlib.metadata.PackageNotFoundError, OSError):
        return None
    return torch_build(cuda_of(written), has_nvidia_card())


def cuda_of(version_file: str) -> str | None:
    """Return the CUDA version in the text of ``torch/version.py``; None for a CPU build."""
    match = CUDA.search(version_file)
    value = "None" if match is None else match["cuda"].strip()
    return None if value == "None" else value.strip("'\"")


def has_nvidia_card() -> bool:
    """Return whether a driver for an NVIDIA card is installed."""
    return NVIDIA_DRIVER.exists() or shutil.which("nvidia-smi") is not None
