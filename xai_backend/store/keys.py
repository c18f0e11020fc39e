"""Keys of results: a hash of all that determines them, and of nothing else."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stimuli.canonical import canonical_json, hash_of, sha256_hex
from xai_backend.methods.method import Method, identity_of

PREPROCESSING = "codes/255"
LOGITS_VERSION = 1


def map_key(method: Method, weights_sha256: str, picture: NDArray[np.uint8], target: int) -> str:
    """Return the key of a map, 64 hexadecimal digits.

    Parameters
    ----------
    method
        Name, version and parameters enter.
    weights_sha256
        Of the network with its front.
    picture
        uint8 (H, W, 3), what is explained.
    target
        The class that is explained.
    """
    return _key(identity_of(method), weights_sha256, picture, target)


def logits_key(weights_sha256: str, picture: NDArray[np.uint8]) -> str:
    """Return the key of a picture's logits, 64 hexadecimal digits."""
    return _key({"name": "logits", "version": LOGITS_VERSION}, weights_sha256, picture, None)


def _key(
    what: dict[str, Any], weights_sha256: str, picture: NDArray[np.uint8], target: int | None
) -> str:
    shape = canonical_json(picture.shape)
    return hash_of(
        {
            "what": what,
            "weights": weights_sha256,
            "preprocessing": PREPROCESSING,
            "input": sha256_hex(shape + np.ascontiguousarray(picture).tobytes()),
            "target": target,
            "dtype": "float32",
        }
    )
