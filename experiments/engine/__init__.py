"""The engine: a window, a clock, a schedule of frames and a keyboard, and nothing of a study."""
