"""The timing bench: what a person would see and press, measured from outside the process."""
