"""simulatability on a screen."""
