"""A new study: a small one that runs, written for a person to change."""
