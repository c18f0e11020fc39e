"""The questions of progressive_reveal, a module each."""
