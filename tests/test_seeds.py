"""Every test finds the global generators seeded by its own name, whatever ran before it."""

import random
import zlib

import numpy as np
import pytest
import torch


@pytest.fixture(scope="module")
def drawn():
    return np.random.random_sample(), torch.rand(1).item(), random.random()


@pytest.mark.parametrize("turn", range(2))
def test_global_generators_depend_on_the_tests_name_alone(turn, request):
    number = zlib.crc32(request.node.nodeid.encode())
    assert np.random.random_sample() == np.random.RandomState(number).random_sample()
    assert random.random() == random.Random(number).random()
    assert torch.initial_seed() == number


def test_a_fixture_draws_the_same_whichever_test_asks_first(drawn):
    number = zlib.crc32(b"tests/test_seeds.py::drawn[0]")
    assert drawn[0] == np.random.RandomState(number).random_sample()
    assert drawn[2] == random.Random(number).random()
    assert drawn[1] == torch.rand(1, generator=torch.Generator().manual_seed(number)).item()
