"""Screening of colour vision: its rules, plates with a gap, and the caps of the D-15."""
