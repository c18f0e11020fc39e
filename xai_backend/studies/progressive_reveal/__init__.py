"""Packs of progressive_reveal."""
