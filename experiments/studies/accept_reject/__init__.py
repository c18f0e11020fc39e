"""accept_reject on a screen."""
