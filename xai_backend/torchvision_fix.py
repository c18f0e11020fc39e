"""Import torchvision fast, and beside a CPU build of torch too; imported before it.

torchvision's wheel is linked to CUDA: beside a CPU torch its operators don't load, and its
import stops at "operator torchvision::nms does not exist" (zennit imports torchvision).
With the two operators' schemas defined by hand the import goes through. Models, transforms
and datasets then work; ``ops.nms`` and ``torchvision.io`` don't: images are read by Pillow.

torchvision's operators also load torch's compiler, for a single function that says whether
there is one. That takes longer than torchvision itself, so the function is lent until it is
called.
"""

import contextlib
import importlib
import sys
from collections.abc import Iterator
from types import ModuleType

import torch

_MISSING = "operator torchvision::nms does not exist"
_SCHEMAS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)
_COMPILER, _ASKED = "torch._dynamo", "torch._dynamo.utils"


def _import_torchvision() -> torch.library.Library | None:
    """Import torchvision; return the operator schemas that had to be defined for it, or None."""
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


@contextlib.contextmanager
def _compiler_left_out() -> Iterator[None]:
    """Replace torch's compiler by a stub while torchvision is imported, unless it is loaded."""
    if _COMPILER in sys.modules:
        yield
        return
    compiler, asked = ModuleType(_COMPILER), ModuleType(_ASKED)
    compiler.__path__ = []
    vars(asked).update(is_compile_supported=_is_compile_supported)
    lent = {_COMPILER: compiler, _ASKED: asked}
    sys.modules.update(lent)
    try:
        yield
    finally:
        for name in lent:
            del sys.modules[name]


def _is_compile_supported(device_type: str) -> bool:
    return importlib.import_module(_ASKED).is_compile_supported(device_type)


with _compiler_left_out():
    SCHEMAS = _import_torchvision()
    """Kept for as long as the process lives: the schemas vanish with the last reference."""
