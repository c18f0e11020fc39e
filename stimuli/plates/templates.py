"""The digits that observers have in mind, as they are carried in a pack."""

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from stimuli.errors import UserError
from stimuli.plates.observer import DigitTemplates

FORMAT = "plainsight-templates-1"


def templates_bytes(templates: DigitTemplates) -> bytes:
    """Return templates as safetensors, ink as packed bits: equal templates, equal bytes."""
    tensors = {
        "ink": np.packbits(templates.ink.astype(np.bool_), axis=0),
        "labels": templates.labels,
    }
    # One entry only: safetensors writes several in an order that changes from run to run.
    return save(tensors, {"format": FORMAT})


def templates_from_bytes(data: bytes) -> DigitTemplates:
    """Read what `templates_bytes` made; UserError if it is something else."""
    try:
        tensors = load(data)
        ink = np.unpackbits(tensors["ink"], axis=0).astype(np.float32)
        return DigitTemplates(ink, tensors["labels"])
    except (SafetensorError, KeyError, ValueError, TypeError) as fault:
        raise UserError(f"these are no digit templates ({fault}); build the pack again") from None
