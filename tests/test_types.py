"""The types hold on every platform."""

import re
import tomllib

import pytest

from tests.checker import PLATFORMS, ROOT, checker, problems
from tests.structure import PRODUCT

SOURCES = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ty"]["src"]
OTHERS = ("Windows", "macOS")
PLATFORMS_DIFFER = re.compile(
    r"sys\.platform|os\.name|^\s*(?:import|from) (?:asyncio|ctypes|fcntl|mmap|msvcrt"
    r"|multiprocessing|os|pwd|resource|select|signal|socket|subprocess|tempfile|termios|threading"
    r"|time|winreg)\b",
    re.MULTILINE,
)
"""What a file has whose types may hold on one platform alone."""

installed = pytest.mark.skipif(checker() is None, reason="ty is missing: python3 lab.py setup")


def test_every_part_of_the_product_is_checked():
    assert sorted(SOURCES["include"]) == sorted(PRODUCT)
    assert not SOURCES.get("exclude")


@installed
@pytest.mark.parametrize(
    "platform",
    ["Linux", *(pytest.param(platform, marks=pytest.mark.slow) for platform in OTHERS)],
)
def test_the_types_hold(platform):
    assert [str(problem) for problem in problems(platform, SOURCES["include"])] == []


@pytest.mark.slow
@installed
@pytest.mark.parametrize("platform", OTHERS)
def test_the_types_hold_where_platforms_differ(platform):
    places = [ROOT / place for place in SOURCES["include"]]
    files = [file for one in places for file in (one.rglob("*.py") if one.is_dir() else [one])]
    differing = [
        file.relative_to(ROOT).as_posix()
        for file in files
        if PLATFORMS_DIFFER.search(file.read_text(encoding="utf-8"))
    ]
    assert len(files) > len(differing) > 50
    assert [str(problem) for problem in problems(platform, differing)] == []


@installed
def test_the_checker_finds_what_another_platform_lacks(tmp_path):
    own = tmp_path / "own.py"
    own.write_text("import os\n\nos.sched_yield()\nlength: int = 'long'\n", encoding="utf-8")
    found = {platform: problems(platform, [str(own)]) for platform in PLATFORMS}
    assert [one.line for one in found["Linux"]] == [4]
    assert [one.line for one in found["Windows"]] == [3, 4]
