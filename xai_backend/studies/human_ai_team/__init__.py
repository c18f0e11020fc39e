"""Packs of human_ai_team."""
