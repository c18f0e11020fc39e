"""Backups of a lab in a second place: what is kept, how, for how long, and how it comes back."""
