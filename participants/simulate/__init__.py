"""Data-only simulation: robots write the journals that people would, without a window."""
