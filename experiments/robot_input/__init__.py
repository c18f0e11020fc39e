"""Robots' key presses and mouse moves, as the window system delivers a person's."""
