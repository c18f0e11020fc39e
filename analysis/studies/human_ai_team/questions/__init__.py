"""The questions of human_ai_team, one a module."""
