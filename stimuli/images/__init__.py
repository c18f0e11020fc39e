"""Digits and labelled images, what they are called, and arithmetic on pictures."""
