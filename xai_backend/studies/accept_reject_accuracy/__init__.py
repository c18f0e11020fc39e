"""Packs of accept_reject's second assessment, accuracy."""
