"""accept_reject's second assessment, accuracy, on a screen."""
