"""Builds in this process that are interrupted among the maps."""

from collections.abc import Sequence

import pytest

from xai_backend.explain import answering


def stop_once(monkeypatch: pytest.MonkeyPatch, at: int) -> list[Sequence[str]]:
    """Interrupt at a batch of maps, counted from 1 over all builds that follow.

    Returns
    -------
    list
        The keys of the maps of each batch that was begun; it grows.
    """
    compute, begun = answering._values, []

    def stopped_once(loaded, batch, execution):
        begun.append(batch.keys)
        if len(begun) == at:
            raise KeyboardInterrupt
        return compute(loaded, batch, execution)

    monkeypatch.setattr(answering, "_values", stopped_once)
    return begun


def count_begun_again(batches: Sequence[Sequence[str]]) -> int:
    """Return how many maps were begun more than once."""
    keys = [key for batch in batches for key in batch]
    return len(keys) - len(set(keys))
