"""Scores of maps, and the tables in which a comparison writes them.

The scores rate each map. Other figures are how far methods agree, and the sanity check with
shuffled weights.
"""

import copy
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stimuli.errors import UserError
from stimuli.io.canonical import seed_of
from stimuli.io.tables import Column, Row, TableSchema
from xai_backend.explain.precompute import Codes, ComputedMap
from xai_backend.explain.working import Answered
from xai_backend.methods.method import Method
from xai_backend.metrics.faithfulness import deletion, insertion
from xai_backend.metrics.localisation import Box, box_masks, pointing_game
from xai_backend.metrics.maps import compressed_size, covered_area, gini, spearman
from xai_backend.metrics.perturbation import (
    blackened,
    comprehensiveness,
    infidelity,
    max_sensitivity,
    road,
    sufficiency,
)
from xai_backend.models.image_model import ImageModel, as_images

SCORES = (
    Column(
        "deletion",
        "real",
        "Area under the class's probability while the most relevant pixels are blackened first "
        "(Petsiuk et al. 2018); low is good.",
    ),
    Column(
        "insertion",
        "real",
        "The same while they are brought back into a blurred image; high is good.",
    ),
    Column(
        "comprehensiveness",
        "real",
        "Mean fall of the class's probability if the most relevant 1 to 50 % of the pixels are "
        "blackened (DeYoung et al. 2020); high is good.",
    ),
    Column("sufficiency", "real", "The same if all other pixels are blackened; low is good."),
    Column(
        "road",
        "real",
        "Half the difference of the probability without the least and without the most relevant "
        "pixels, which are imputed from their neighbours (Rong et al. 2022); high is good.",
    ),
    Column(
        "infidelity",
        "real",
        "Mean squared difference between the relevance in a blackened square, at the best scale, "
        "and the fall of the probability (Yeh et al. 2019); low is good.",
    ),
    Column(
        "max_sensitivity",
        "real",
        "Largest change of the map, as a share of it, if codes change by up to 2 % (Yeh et al. "
        "2019); low is good. Empty where it wasn't computed.",
        optional=True,
    ),
    Column(
        "pointing_game",
        "real",
        "Whether the most relevant pixel lies on the object or within 15 pixels of it (Zhang et "
        "al. 2018); empty without boxes.",
        optional=True,
    ),
    Column(
        "sparseness",
        "real",
        "Gini's index of |relevance| (Chalasani et al. 2020): 0 spread evenly, 1 in one pixel; "
        "empty of an empty map.",
        optional=True,
    ),
    Column("covered", "real", "Share of the pixels with over 5 % of the largest relevance."),
    Column("png_bytes", "real", "Bytes of the map as a grey PNG.", unit="B"),
    Column(
        "sanity",
        "real",
        "Spearman's correlation with the |map| of the network with shuffled weights (after Adebayo "
        "et al. 2018); near 0 is good, near 1 says that the map shows the image and not the "
        "network. Empty where it wasn't computed.",
        optional=True,
    ),
    Column(
        "seconds",
        "real",
        "Time that the map took when it was computed; empty where it wasn't measured.",
        unit="s",
        optional=True,
    ),
)

SCORED = TableSchema(
    "scores",
    "One row for each image and method.",
    (
        Column("image", "text", "Stem of the image's file."),
        Column("method", "text", "The method's name in this comparison."),
        Column("target", "integer", "Index of the class that is explained."),
        *SCORES,
    ),
)

SUMMARY = TableSchema(
    "summary",
    "One row for each method: means over the images.",
    (
        Column("method", "text", "The method's name in this comparison."),
        Column("images", "integer", "Images with a map."),
        *(
            Column(score.name, score.kind, f"Mean of {score.name}.", unit=score.unit, optional=True)
            for score in SCORES
        ),
    ),
)

AGREEMENT = TableSchema(
    "agreement",
    "One row for each pair of methods: whether they rank the pixels alike.",
    (
        Column("method", "text", "A method."),
        Column("other", "text", "Another method."),
        Column(
            "rank_correlation",
            "real",
            "Mean over the images of Spearman's correlation of their maps; empty where none is "
            "defined.",
            optional=True,
        ),
        Column("images", "integer", "Images with a map of both."),
    ),
)


STEPS = 56
"""Steps of deletion and insertion: on 224 × 224 pixels, a quarter of Petsiuk et al.'s 224."""

Maps = Mapping[str, ComputedMap]


@dataclass(frozen=True, slots=True)
class Again:
    """What became of a map when its method was run again; None where it wasn't.

    Attributes
    ----------
    other
        (H, W), the map of the network with shuffled weights.
    sensitivity
        How much the map changes if the image hardly does (`max_sensitivity`).
    """

    other: NDArray[np.float32] | None = None
    sensitivity: float | None = None


def map_scores(
    model: ImageModel,
    photo: Codes,
    answered: Answered,
    computed: ComputedMap,
    boxes: Sequence[Box],
    again: Again,
) -> Row:
    """Return the scores of one map, as `SCORES` names them.

    Parameters
    ----------
    model
        The network.
    photo
        RGB codes, uint8 (H, W, 3).
    answered
        The class that is explained.
    computed
        The map.
    boxes
        Boxes of the image's objects, in pixels of ``photo``; empty if none are known.
    again
        What became of it when its method was run again.
    """
    other, sensitivity = again.other, again.sensitivity
    values = computed.values[None]
    images, targets = as_images(torch.tensor(photo[None])), torch.tensor([answered.target])
    image, target, relevance = images[0], answered.target, computed.values
    answer = blackened(model, image, target)
    sane = None if other is None else spearman(np.abs(values), np.abs(other[None]))[0]
    return {
        "deletion": float(deletion(model, images, targets, values, STEPS).area[0]),
        "insertion": float(insertion(model, images, targets, values, STEPS).area[0]),
        "comprehensiveness": comprehensiveness(answer, relevance),
        "sufficiency": sufficiency(answer, relevance),
        "road": road(model, image, target, relevance),
        "infidelity": infidelity(answer, relevance),
        "max_sensitivity": None if sensitivity is None else _number(sensitivity),
        "pointing_game": _pointing(values, boxes),
        "sparseness": _number(gini(values)[0]),
        "covered": float(covered_area(values)[0]),
        "png_bytes": float(compressed_size(values)[0]),
        "sanity": None if sane is None else _number(sane),
        "seconds": computed.seconds,
    }


def shuffled_maps(
    model: ImageModel, method: Method, photos: Mapping[str, Codes], answers: Mapping[str, Answered]
) -> dict[str, NDArray[np.float32]]:
    """Return maps of the network with shuffled weights, by photograph.

    Raises
    ------
    UserError
        If the network can't be copied, or the method refuses the copy.
    """
    try:
        other = with_shuffled_weights(model)
        return {
            name: method.explain(
                other,
                as_images(torch.tensor(codes[None])),
                torch.tensor([answers[name].target]),
            ).numpy()[0]
            for name, codes in photos.items()
        }
    except UserError:
        raise
    except Exception as fault:  # networks of any origin may raise anything
        raise UserError(str(fault)) from None


def sensitivities(
    model: ImageModel, method: Method, photos: Mapping[str, Codes], answers: Mapping[str, Answered]
) -> dict[str, float]:
    """Return the maximal sensitivity of a method's maps, by photograph."""

    def explain(images: Tensor, targets: Tensor) -> Tensor:
        return method.explain(model, images, targets)

    return {
        name: max_sensitivity(
            explain, as_images(torch.tensor(codes[None]))[0], answers[name].target
        )
        for name, codes in photos.items()
    }


def summary(scores: Sequence[Row], methods: Sequence[str]) -> list[Row]:
    """Return each method's mean scores over its images."""
    rows = []
    for method in methods:
        of_method = [row for row in scores if row["method"] == method]
        means = {column.name: _mean(row[column.name] for row in of_method) for column in SCORES}
        rows.append({"method": method, "images": len(of_method), **means})
    return rows


def agreement(maps: Mapping[str, Maps]) -> list[Row]:
    """Return the mean rank correlation of each pair of methods, over images that both explain."""
    rows = []
    for (method, maps_of_method), (other, others) in itertools.combinations(maps.items(), 2):
        both = [name for name in maps_of_method if name in others]
        correlations = [
            _number(spearman(maps_of_method[name].values[None], others[name].values[None])[0])
            for name in both
        ]
        rows.append(
            {
                "method": method,
                "other": other,
                "rank_correlation": _mean(correlations),
                "images": len(both),
            }
        )
    return rows


def _pointing(values: NDArray[np.floating], boxes: Sequence[Box]) -> float | None:
    if not boxes:
        return None
    return float(pointing_game(values, box_masks([boxes], *values.shape[1:]))[0])


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _mean(values: Iterable[str | float | None]) -> float | None:
    """Return the mean of the values that are numbers; None if there are none."""
    known = [value for value in values if value is not None and not isinstance(value, str)]
    return float(np.mean(known)) if known else None


def with_shuffled_weights(model: ImageModel) -> ImageModel:
    """Return a copy of a network whose weights are shuffled within each tensor.

    Adebayo et al. (section 3) draw new weights. Shuffling keeps the scale of a layer's outputs, for
    any network, and also destroys what the network has learned. The means and variances of
    normalisation layers stay.
    """
    other = copy.deepcopy(model)
    with torch.no_grad():
        for name, weights in other.named_parameters():
            weights.copy_(_shuffled(weights, name))
    return other.eval()


def _shuffled(weights: Tensor, name: str) -> Tensor:
    generator = torch.Generator().manual_seed(seed_of("shuffled weights", name) % 2**63)
    order = torch.randperm(weights.numel(), generator=generator).to(weights.device)
    return weights.flatten()[order].view_as(weights)
