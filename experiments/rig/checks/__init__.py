"""Checks of a rig: each finds one thing, says how it stands, and what to do."""
