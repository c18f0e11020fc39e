"""human_ai_team with people: is the AI's label right, and what helps to tell?"""
