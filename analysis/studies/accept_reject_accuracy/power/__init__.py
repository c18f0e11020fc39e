"""Power of the assessment of accuracy: simulated judgements of labels."""
