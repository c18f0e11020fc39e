"""A study from a table: a folder with ``study.toml`` and a table of items, and no code."""
