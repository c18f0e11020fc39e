"""The types hold on every platform."""

import tomllib

import pytest

from tests.checker import PLATFORMS, ROOT, checker, problems
from tests.structure import PRODUCT

SOURCES = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ty"]["src"]

installed = pytest.mark.skipif(checker() is None, reason="ty is missing: python3 lab.py setup")


def test_every_part_of_the_product_is_checked():
    assert sorted(SOURCES["include"]) == sorted(PRODUCT)
    assert not SOURCES.get("exclude")


@installed
@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_types_hold(platform):
    assert [str(problem) for problem in problems(platform, SOURCES["include"])] == []


@installed
def test_the_checker_finds_what_another_platform_lacks(tmp_path):
    own = tmp_path / "own.py"
    own.write_text("import os\n\nos.sched_yield()\nlength: int = 'long'\n", encoding="utf-8")
    found = {platform: problems(platform, [str(own)]) for platform in PLATFORMS}
    assert [one.line for one in found["Linux"]] == [4]
    assert [one.line for one in found["Windows"]] == [3, 4]
