"""Study progressive_reveal: what participants go through, and what becomes of their answers."""
