"""Digits and labelled images, a classifier's answers to them, and arithmetic on pictures."""
