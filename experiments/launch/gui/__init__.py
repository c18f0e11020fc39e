"""The start window in Qt: pages that show what `experiments.launch` finds out."""
