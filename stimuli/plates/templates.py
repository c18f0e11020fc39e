"""The digits that observers have in mind, as they are carried in a pack."""

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from stimuli.errors import UserError
from stimuli.plates.observer import DigitTemplates

FORMAT = "plainsight-templates-1"
INK_STEPS = 255


def templates_bytes(templates: DigitTemplates) -> bytes:
    """Return templates as safetensors, ink in 255ths: equal templates, equal bytes."""
    tensors = {
        "ink": np.round(templates.ink * INK_STEPS).astype(np.uint8),
        "labels": templates.labels,
    }
    # One entry only: safetensors writes several in an order that changes from run to run.
    return save(tensors, {"format": FORMAT})


def templates_from_bytes(data: bytes) -> DigitTemplates:
    """Read what `templates_bytes` made; UserError if it is something else."""
    try:
        tensors = load(data)
        ink = tensors["ink"].astype(np.float32) / INK_STEPS
        return DigitTemplates(ink, tensors["labels"])
    except (SafetensorError, KeyError, ValueError, TypeError) as fault:
        raise UserError(f"these are no digit templates ({fault}); build the pack again") from None
