"""Keys of results: a hash of all that determines them, and of nothing else."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stimuli.io.canonical import canonical_json, hash_of, sha256_hex
from xai_backend.methods.method import Method, identity_of
from xai_backend.models.frame import PREPROCESSING

LOGITS_VERSION = 2
"""Raised by hand whenever the same network and picture would give other digits."""


Picture = NDArray[np.uint8]


def input_sha256(picture: Picture) -> str:
    """Return the hash by which a picture, uint8 (H, W, 3), enters keys."""
    shape = canonical_json(picture.shape)
    return sha256_hex(shape + np.ascontiguousarray(picture).tobytes())


def map_key(
    method: Method,
    weights_sha256: str,
    picture: Picture | str,
    target: int,
    preprocessing: Any = PREPROCESSING,
) -> str:
    """Return the key of a map, 64 hexadecimal digits.

    Parameters
    ----------
    method
        Name, version and parameters enter.
    weights_sha256
        Of the network with its front.
    picture
        uint8 (H, W, 3), what is explained, or its `input_sha256`.
    target
        The class that is explained.
    preprocessing
        What is done to the picture before it reaches the weights: plain JSON values.
    """
    return _key(identity_of(method), weights_sha256, picture, target, preprocessing)


def logits_key(
    weights_sha256: str, picture: Picture | str, preprocessing: Any = PREPROCESSING
) -> str:
    """Return the key of a picture's logits, 64 hexadecimal digits."""
    what = {"name": "logits", "version": LOGITS_VERSION}
    return _key(what, weights_sha256, picture, None, preprocessing)


def _key(
    what: dict[str, Any],
    weights_sha256: str,
    picture: Picture | str,
    target: int | None,
    preprocessing: Any,
) -> str:
    return hash_of(
        {
            "what": what,
            "weights": weights_sha256,
            "preprocessing": preprocessing,
            "input": picture if isinstance(picture, str) else input_sha256(picture),
            "target": target,
            "dtype": "float32",
        }
    )
