import torch
import torch.utils.deterministic

from xai_backend.determinism import deterministic


def test_what_was_set_before_is_restored():
    threads, state = torch.get_num_threads(), torch.get_rng_state()
    filling = torch.utils.deterministic.fill_uninitialized_memory
    with deterministic(seed=4, threads=threads + 1):
        assert torch.get_num_threads() == threads + 1
        assert torch.are_deterministic_algorithms_enabled()
        torch.rand(3)
    assert torch.get_num_threads() == threads
    assert torch.equal(torch.get_rng_state(), state)
    assert not torch.are_deterministic_algorithms_enabled()
    assert torch.utils.deterministic.fill_uninitialized_memory == filling


def test_draws_follow_from_the_seed():
    def draws(seed):
        with deterministic(seed=seed):
            return torch.rand(5)

    assert torch.equal(draws(1), draws(1))
    assert not torch.equal(draws(1), draws(2))


def test_float32_is_float32_on_a_graphics_card_too():
    """torch's own default rounds the inputs of convolutions to 10 bits there."""
    backends = torch.backends
    kinds = (backends.cudnn.conv, backends.cudnn.rnn, backends.cuda.matmul)

    def flags():
        old = (backends.cudnn.allow_tf32, backends.cuda.matmul.allow_tf32)
        return [kind.fp32_precision for kind in kinds], old

    before = flags()
    with deterministic():
        assert flags() == (["ieee"] * 3, (False, False))
    assert flags() == before
