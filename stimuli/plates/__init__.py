"""Pseudo-isochromatic plates: dots blind to the digit, colours on a confusion line."""
