"""Requirements: what is imported is pinned, and the light environment holds what it needs."""

import ast
import re
import sys
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import grimp
import pytest

import lab

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("analysis", "experiments", "participants", "stimuli", "xai_backend")
ENVIRONMENT = sorted(path.name for path in (ROOT / "lab_environment").glob("*.py"))
DOOR = ["lab.py", *(f"lab_environment/{name}" for name in ENVIRONMENT)]


@pytest.mark.parametrize("module", DOOR)
def test_the_door_needs_the_standard_library_only(module):
    tree = ast.parse((ROOT / module).read_text(encoding="utf-8"))
    names = _imported(tree) - {"lab_environment"}
    # pytest is what `test` runs, once there is an environment
    assert names - {"pytest"} <= sys.stdlib_module_names


@cache
def _providers() -> dict[str, list[str]]:
    """Import name to the installed distributions that bring it."""
    return dict(packages_distributions())


def _pins(name: str) -> dict[str, str]:
    """Distribution to line, as a requirements file has them."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    wanted = [line.split("#")[0].strip() for line in lines]
    pins = [line for line in wanted if line]
    assert all(re.match(r"[A-Za-z0-9-]+==[^ *]+( ; .+)?$", pin) for pin in pins)
    return {pin.split("==")[0].lower(): pin.split("==")[1].split(" ;")[0] for pin in pins}


def _named(text: str) -> set[str]:
    """Top-level names of what a file imports, or of what a text in it seems to import."""
    return set(re.findall(r"^[ \t]*(?:import|from)[ \t]+(\w+)", text, re.MULTILINE))


def _imported(tree: ast.AST) -> set[str]:
    """Top-level names of all that a file imports, anywhere in it."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(node.module.split(".")[0])
    return names


def _distribution(module: str) -> str:
    found = [name.lower().replace("_", "-") for name in _providers().get(module, [module])]
    # PyQt6 comes in three parts, the first of which has the module's own name.
    return module.lower() if module.lower() in found else found[0]


def test_every_package_that_a_room_imports_is_pinned_by_us():
    pinned = _pins("requirements.txt").keys()
    ours = {*ROOMS, "bench", "docs", "tests", "lab", "lab_environment"}
    ours |= {path.stem for path in (ROOT / "tests").rglob("*.py")}
    ours |= {path.name for path in (ROOT / "tests" / "example").iterdir()}
    unpinned = {}
    for folder in (*ROOMS, "bench", "docs", "tests"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            foreign = _named(text) - sys.stdlib_module_names - ours
            unknown = {name for name in foreign if _distribution(name) not in pinned}
            # A text may have a line like an import; only the syntax tree tells, and takes long.
            for name in unknown and unknown & _imported(ast.parse(text)):
                unpinned.setdefault(name, []).append(path.relative_to(ROOT).as_posix())
    assert unpinned == {}


def test_the_light_environment_is_a_part_of_the_full_one():
    full, light = _pins("requirements.txt"), _pins("requirements-lab.txt")
    assert light.items() < full.items()
    assert not {"torch", "torchvision", "zennit", "captum"} & light.keys()


def test_the_light_environment_holds_all_that_its_verbs_import():
    rooms = {room for room, needs, _ in lab.VERBS.values() if room and needs == lab.LAB}
    graph = grimp.build_graph(*ROOMS, include_external_packages=True)
    reached = {name for room in rooms for name in graph.find_upstream_modules(room, True)}
    packages = {name.split(".")[0] for name in reached} - set(ROOMS)
    needed = {_distribution(name) for name in packages - sys.stdlib_module_names}
    optional = {"numba", "colour-science", "dask", "distributed", "pyarrow"}
    assert "numpy" in needed
    assert needed - optional <= _pins("requirements-lab.txt").keys()


def test_the_constraints_hold_every_direct_pin():
    constraints = _pins("constraints.txt")
    assert _pins("requirements.txt").items() <= constraints.items()
