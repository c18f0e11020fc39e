"""How well each arm's maps point at the objects: Pointing Game, IoU, WSL."""

from collections.abc import Mapping, Sequence

import numpy as np

from stimuli.studies.human_ai_team import protocol as protocols
from stimuli.studies.human_ai_team.material import Metric
from xai_backend.metrics.localisation import (
    Box,
    best_threshold,
    box_masks,
    intersection_over_union,
    pointing_game,
    weakly_supervised_localisation,
)
from xai_backend.studies.human_ai_team.draw import Judged
from xai_backend.studies.human_ai_team.helps import Maps

DIGITS = 6
"""Decimals of an overlap that are kept."""


def metrics_of(
    arm: str,
    maps: Maps,
    boxes: Mapping[str, Sequence[Box]],
    judged: Sequence[Judged],
    rule: protocols.Metrics,
) -> dict[tuple[str, str], Metric]:
    """Return what the metrics say of an arm's maps, by item and arm.

    An arm has one threshold for its IoU: the one with the largest mean over the images
    that weren't attacked and whose label is right (of all, if there are none of these).

    Parameters
    ----------
    arm
        Which one.
    maps
        Its maps, by item.
    boxes
        Objects by item, in pixels of the crop; images without any are left out.
    judged
        The images.
    rule
        The protocol's.
    """
    some = [one for one in judged if boxes.get(one.item) and one.item in maps]
    if not some:
        return {}
    values = np.stack([maps[one.item] for one in some])
    own = [boxes[one.item] for one in some]
    objects = box_masks(own, *values.shape[1:])
    pointing = pointing_game(values, objects, rule.pointing_tolerance_px)
    counts = np.array([one.right and not one.adversarial for one in some])
    fair = counts if counts.any() else np.ones(len(some), dtype=bool)
    threshold, _ = best_threshold(values[fair], objects[fair], thresholds(rule))
    overlaps = intersection_over_union(values, objects, threshold)
    found = weakly_supervised_localisation(values, own, rule.wsl_threshold, rule.wsl_iou)
    return {
        (one.item, arm): Metric(float(hit), round(float(overlap), DIGITS), float(local))
        for one, hit, overlap, local in zip(some, pointing, overlaps, found, strict=True)
    }


def thresholds(rule: protocols.Metrics) -> tuple[float, ...]:
    """Return the thresholds that IoU tries, as shares of a map's maximum."""
    count = int((rule.iou_to - rule.iou_from) / rule.iou_step + 1e-9) + 1
    return tuple(round(rule.iou_from + k * rule.iou_step, 9) for k in range(count))
