"""Packs of accept_reject."""
