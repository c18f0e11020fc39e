"""Builders of packs: one module a study."""
