"""Study simulatability: sessions, rows and robots."""
