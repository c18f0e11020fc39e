"""Stroke tasks in a window: pictures that people paint or mark with a mouse."""
