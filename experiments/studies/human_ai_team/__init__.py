"""human_ai_team on a screen."""
