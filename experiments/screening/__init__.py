"""Screening of colour vision in a window: plates with a gap, caps, digits, the book's score."""
