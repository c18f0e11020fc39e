"""Pages of words, answer fields, and what every screen of a session works with."""
