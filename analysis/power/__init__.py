"""Power: simulate the study, fit the preregistered model, count."""
