"""Screening of colour vision and titration: what comes next, and what follows from the answers."""
