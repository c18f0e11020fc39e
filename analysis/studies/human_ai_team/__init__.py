"""What human_ai_team reports: who is right with which help, and whether trust is well placed."""
