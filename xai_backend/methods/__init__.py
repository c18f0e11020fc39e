"""Explanation methods: a frozen specification each, with one verb, ``explain``."""

from xai_backend import torchvision_fix
from xai_backend.methods.method import Execution, Method, identity_of
from xai_backend.methods.registry import METHODS, method_of, named_method

__all__ = [
    "METHODS",
    "Execution",
    "Method",
    "identity_of",
    "method_of",
    "named_method",
    "torchvision_fix",
]
