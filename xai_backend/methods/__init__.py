"""Explanation methods: a frozen specification each, with one verb, ``explain``."""

from xai_backend import torchvision_fix
from xai_backend.methods.registry import METHODS, Method, method_of

__all__ = ["METHODS", "Method", "method_of", "torchvision_fix"]
