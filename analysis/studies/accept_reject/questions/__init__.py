"""The questions of accept_reject, a module each."""
