"""Studies from a table: what their reports say, from what study.toml tests."""
