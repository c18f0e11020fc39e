"""ImageNet's challenge (ILSVRC) and Stanford Dogs as they lie on disk."""
