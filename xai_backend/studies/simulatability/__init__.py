"""Models of study simulatability, their explanations, and its packs."""
