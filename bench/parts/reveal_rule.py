"""The paper's rule of uncovering once more: slowly, in whole numbers, pixel by pixel."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from bench.parts.reveal_pictures import Uncovered
from stimuli.images.filters import resampled
from stimuli.studies.progressive_reveal.protocol import HUMAN, PROTOTYPES, ProgressiveReveal
from stimuli.studies.progressive_reveal.reveal import uncovered
from xai_backend.studies.progressive_reveal.build import Gathered


def by_the_rule(found: Gathered, uncoverings: Sequence[Uncovered], method: str) -> dict[str, int]:
    """Return how many images were uncovered exactly by the rule, step by step.

    The rule is written down once more, pixel by pixel and in whole numbers, from the
    paper's words and the protocol.
    """
    right_counts = right_order = right_end = 0
    own = [uncovering for uncovering in uncoverings if uncovering.method == method]
    for one in own:
        maps = {
            name: resampled(mapped.maps[one.item], found.protocol.images.size_px).astype(np.float32)
            for name, mapped in found.by_method.items()
        }
        wanted = _wanted(found.protocol, method, maps)
        right_counts += list(one.pixels) == wanted
        right_order += _most_relevant_first(one, maps[method], found.protocol.reveal.steps)
        right_end += one.ran_out == (wanted[-1] < _asked(found.protocol, method, maps))
    return {
        "images": len(own),
        "counts": right_counts,
        "order": right_order,
        "ran_out_told": right_end,
    }


def _asked(protocol: ProgressiveReveal, method: str, maps: Mapping[str, np.ndarray]) -> int:
    """Return how many pixels the paper's rule asks for in the end."""
    image = protocol.images.size_px**2
    bubbled = _above_zero(maps[HUMAN])
    if method == HUMAN:
        return bubbled
    if method == PROTOTYPES:
        return image // 6
    return max(image // 10, bubbled)


def _wanted(protocol: ProgressiveReveal, method: str, maps: Mapping[str, np.ndarray]) -> list[int]:
    """Return how many pixels are to be uncovered at each step."""
    steps, asked = protocol.reveal.steps, _asked(protocol, method, maps)
    there = _above_zero(maps[method])
    wanted = []
    for step in range(1, steps + 1):
        exact = Fraction(step, steps) * asked
        whole = exact.numerator // exact.denominator
        wanted.append(min(there, whole if whole == exact else whole + 1))
    return wanted


def _above_zero(values: np.ndarray) -> int:
    return sum(1 for value in values.ravel().tolist() if value > 0)


def _most_relevant_first(one: Uncovered, relevance: np.ndarray, steps: int) -> bool:
    """Return whether no pixel comes before a more relevant one, and none without relevance."""
    before = np.inf
    for step in range(1, steps + 1):
        new = uncovered(one.step_of, step) & ~uncovered(one.step_of, step - 1)
        if not new.any():
            continue
        if relevance[new].max() > before or relevance[new].min() <= 0:
            return False
        before = relevance[new].min()
    rest = relevance[one.step_of == 0]
    return not rest.size or bool(rest.max() <= before)
