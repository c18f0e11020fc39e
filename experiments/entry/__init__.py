"""Typing at the screen: a field with suggestions, and words to be copied."""
