"""Where memory doesn't suffice, half as many inputs are computed at once."""

import pytest
import torch

from stimuli.errors import UserError
from xai_backend.explain.answering import with_halving
from xai_backend.methods import Execution


def test_halving_goes_on_where_it_fits():
    tried, told = [], []

    def compute(execution):
        tried.append(execution.at_once)
        if (execution.at_once or 64) > 5:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return "maps"

    assert with_halving(compute, Execution(), told.append) == ("maps", Execution(at_once=4))
    assert tried == [None, 32, 16, 8, 4]
    assert told[-1] == "out of memory: continuing with 4 at once"


@pytest.mark.parametrize(
    "fault",
    [
        torch.OutOfMemoryError("CUDA out of memory"),
        MemoryError(),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried"),
    ],
)
def test_memory_that_never_suffices_is_one_line(fault):
    def compute(execution):
        raise fault

    with pytest.raises(UserError, match="even with one input at once"):
        with_halving(compute, Execution(at_once=3), lambda line: None)


def test_other_faults_are_not_taken_for_memory():
    def compute(execution):
        raise RuntimeError("shapes differ")

    with pytest.raises(RuntimeError, match="shapes differ"):
        with_halving(compute, Execution(), lambda line: None)


def test_real_memory_running_out_is_recognised():
    """An allocation that no machine grants, through torch itself."""
    with pytest.raises(UserError, match="out of memory"):
        with_halving(lambda execution: torch.empty(2**50), Execution(at_once=2), lambda line: None)
