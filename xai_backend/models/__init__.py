"""Networks: architectures, training, checkpoints, and how well they read."""

from xai_backend import torchvision_fix

__all__ = ["torchvision_fix"]
