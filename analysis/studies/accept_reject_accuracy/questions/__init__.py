"""The questions of accept_reject_accuracy, one module each."""
