"""A session in a window, from the command to the tables."""
