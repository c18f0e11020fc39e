"""Every test finds all chance seeded by the run's number and its own name, whatever ran before."""

import os
import random
import re
import secrets
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.seeds import OPTION, number_of

ROOT = Path(__file__).parents[1]
DRAWS = """
import os, secrets, subprocess, sys, time
from hypothesis import given, strategies
import pytest

CHILD = "import secrets; print(secrets.choice(range(10**9)))"
DRAWN, AT_IMPORT = [], secrets.choice(range(10**9))

def tell(*told):
    with open("told", "a") as file:
        print(*told, file=file)

@given(strategies.integers())
def draw(number):
    DRAWN.append(number)

@pytest.mark.parametrize("turn", range(3))
def test_draws(turn, request):
    tell(request.node.nodeid, AT_IMPORT, secrets.choice(range(10**9)), time.tzname,
        list(set("abcdefgh")),
        [name for name in os.listdir(os.environ["LISTED"])],
        [entry.name for entry in os.scandir(os.environ["LISTED"])],
        turn or subprocess.check_output([sys.executable, "-c", CHILD], text=True).strip())
    draw()
    tell(request.node.nodeid, hash(tuple(DRAWN)))
    DRAWN.clear()
"""


@pytest.fixture(scope="module")
def drawn():
    return (
        np.random.random_sample(),
        torch.rand(1).item(),
        random.random(),
        secrets.choice(range(9)),
    )


def test_a_name_that_is_not_utf8_has_a_number():
    """Folders are listed in an order by number; a name from the disk may have surrogates."""
    assert number_of(0, os.fsdecode(b"\xff")) != number_of(0, os.fsdecode(b"\xfe"))


@pytest.mark.parametrize("turn", range(2))
def test_global_generators_depend_on_the_tests_name_alone(turn, request):
    number = number_of(request.config.getoption(OPTION), request.node.nodeid)
    assert np.random.random_sample() == np.random.RandomState(number).random_sample()
    assert random.random() == random.Random(number).random()
    assert torch.initial_seed() == number
    assert secrets.choice(range(9)) == random.Random(number).choice(range(9))


def test_a_fixture_draws_the_same_whichever_test_asks_first(drawn, request):
    number = number_of(request.config.getoption(OPTION), "tests/test_seeds.py::drawn[0]")
    assert drawn[0] == np.random.RandomState(number).random_sample()
    assert drawn[1] == torch.rand(1, generator=torch.Generator().manual_seed(number)).item()
    assert drawn[2] == random.Random(number).random()
    assert drawn[3] == random.Random(number).choice(range(9))


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    folder = tmp_path_factory.mktemp("suite")
    for name in ("test_a.py", "test_b.py"):
        (folder / name).write_text(DRAWS)
    (folder / "listed").mkdir()
    for number in range(6):
        (folder / "listed" / f"{number}").touch()
    return folder


def run(folder, *arguments, **more):
    """Run a small suite under this suite's rules; return what it printed, and its tests' draws."""
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    environment = os.environ | {"LISTED": str(folder / "listed")} | more
    done = subprocess.run(
        [*command, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )
    told = folder / "told"
    lines = told.read_text().splitlines() if told.exists() else []
    told.unlink(missing_ok=True)
    return done.stdout + done.stderr, lines


@pytest.mark.skipif(os.name != "posix", reason="starts pytest again in the same process")
def test_a_number_orders_and_seeds_a_run_and_a_file_by_itself_alike(suite):
    _, whole = run(suite, OPTION, "7", PYTHONHASHSEED="random")
    files = list(dict.fromkeys(re.match("[^:]+", line)[0] for line in whole))
    assert len(whole) == 2 * 3 * 2
    assert run(suite, OPTION, "7", files[-1], "-n", "1", PYTHONHASHSEED="7")[1] == whole[-6:]
    other = run(suite, OPTION, "8", PYTHONHASHSEED="8")[1]
    orders = [[line.partition(" ")[0] for line in lines] for lines in (whole, other)]
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]
    assert not set(whole) & set(other)


def test_a_failure_names_its_number_and_the_command_that_repeats_it(tmp_path):
    (tmp_path / "test_fails.py").write_text("def test_fails():\n    assert False\n")
    told, _ = run(tmp_path, OPTION, "12", PYTHONHASHSEED="12")
    assert "The order and the seed are those of number 12. To repeat:" in told
    assert "  python3 lab.py test test_fails.py --order-seed 12" in told
