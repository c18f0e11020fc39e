"""The questions that a study from a table asks."""
