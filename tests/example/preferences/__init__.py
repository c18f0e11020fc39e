"""The study preferences: one package, with a module for each room. README.md walks through it."""
