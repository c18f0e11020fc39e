"""From the trial table to the answer: models, curves, report."""
