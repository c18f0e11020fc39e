"""Make ``import torchvision`` work beside a CPU build of torch; imported before it.

torchvision's wheel is linked to CUDA: beside a CPU torch its operators don't load, and its
import stops at "operator torchvision::nms does not exist" (zennit imports torchvision).
With the two operators' schemas defined by hand the import goes through. Models, transforms
and datasets then work; ``ops.nms`` and ``torchvision.io`` don't: images are read by Pillow.
"""

import importlib
import sys

import torch

_MISSING = "operator torchvision::nms does not exist"
_SCHEMAS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)


def _import_torchvision() -> torch.library.Library | None:
    """Import torchvision; return the schemas that had to be defined for it, if any."""
    try:
        importlib.import_module("torchvision")
    except RuntimeError as fault:
        if _MISSING not in str(fault):
            raise
    else:
        return None
    for name in [name for name in sys.modules if name.split(".")[0] == "torchvision"]:
        del sys.modules[name]
    library = torch.library.Library("torchvision", "DEF")
    for schema in _SCHEMAS:
        library.define(schema)
    importlib.import_module("torchvision")
    return library


SCHEMAS = _import_torchvision()
"""Kept for as long as the process lives: the schemas vanish with the last reference."""
