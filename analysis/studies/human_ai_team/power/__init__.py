"""Power of human_ai_team: studies drawn from a world of crossed effects, analysed as real ones."""
