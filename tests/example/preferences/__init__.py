"""The study preferences: what study.toml says, and a module for each room that needs code."""
