"""Studies from a table: what people go through, what becomes of their answers, and robots."""
